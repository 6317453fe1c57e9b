/** Brings submodules into the tree, so that the bundle holds all that a build needs. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { commitTree } from './commit-tree.ts';
import type { GitHost } from './git-host.ts';

/** Source: upstream facts §3.1. */
const submoduleTimeoutMs = 300_000;

/**
 * Fetches the submodules of a clone and commits their files as plain files on top of HEAD. A failure is a
 * note, never an error: many projects have submodules that only their tests need.
 * @returns notes for a person
 */
export async function addSubmodules(
  git: GitHost,
  folder: string,
  onProgress?: (text: string) => void,
): Promise<string[]> {
  const listed = await access(join(folder, '.gitmodules')).then(
    () => true,
    () => false,
  );
  if (!listed) return [];
  onProgress?.('fetching submodules');
  const deadline = performance.now() + submoduleTimeoutMs;
  const failures: string[] = [];
  let fetched = 0;
  // One by one: git gives up all of them when the clone of one fails.
  for (const path of await submodulePaths(git, folder)) {
    const failure = await fetchSubmodule(git, folder, path, deadline);
    if (failure === null) fetched += 1;
    else failures.push(`${path} (${failure})`);
  }
  const notes: string[] = [];
  if (fetched > 0) {
    const date = Number(await git.run(['-C', folder, 'log', '-1', '--format=%ct']));
    await git.run(['-C', folder, 'rm', '-r', '-q', '--cached', '.']);
    await commitTree(git, folder, { message: `Files of ${fetched} submodules`, date });
    notes.push(`the files of ${fetched} submodules are part of the tree`);
  }
  if (failures.length > 0) notes.push(`submodules left out: ${failures.join(', ')}`);
  return notes;
}

async function submodulePaths(git: GitHost, folder: string): Promise<string[]> {
  const listing = await git.try([
    '-C',
    folder,
    'config',
    '-z',
    '-f',
    '.gitmodules',
    '--get-regexp',
    '\\.path$',
  ]);
  return listing.stdout.split('\0').flatMap((entry) => entry.split('\n')[1] ?? []);
}

/** Null when its files are there, else why not. */
async function fetchSubmodule(
  git: GitHost,
  folder: string,
  path: string,
  deadline: number,
): Promise<string | null> {
  const update = (...depth: string[]) =>
    git.try(['-C', folder, 'submodule', 'update', '-q', '--init', '--recursive', ...depth, '--', path], {
      timeoutMs: Math.max(1, deadline - performance.now()),
    });
  let result = await update('--depth', '1');
  // A server may refuse a commit that is no branch's tip; its whole history has it.
  if (result.exitCode !== 0 && !result.timedOut) result = await update();
  if (result.exitCode === 0) return null;
  return result.timedOut ? `not done within ${submoduleTimeoutMs / 1000} s for all` : lastLine(result.stderr);
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.slice(0, 200) ?? '';
}
