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
  const update = (...depth: string[]) =>
    git.try(['-C', folder, 'submodule', 'update', '-q', '--init', '--recursive', ...depth], {
      timeoutMs: Math.max(1_000, deadline - performance.now()),
    });
  let result = await update('--depth', '1');
  // A server may refuse a commit that is no branch's tip; its whole history has it.
  if (result.exitCode !== 0 && !result.timedOut) result = await update();

  const states = (await git.try(['-C', folder, 'submodule', 'status', '--recursive'])).stdout;
  const fetched = states.split('\n').filter((line) => /^[ +]/.test(line)).length;
  const missing = states.split('\n').flatMap((line) => /^-\S+ (\S+)/.exec(line)?.[1] ?? []);
  const notes: string[] = [];
  if (fetched > 0) {
    const date = Number(await git.run(['-C', folder, 'log', '-1', '--format=%ct']));
    await git.run(['-C', folder, 'rm', '-r', '-q', '--cached', '.']);
    await commitTree(git, folder, { message: `Files of ${fetched} submodules`, date });
    notes.push(`the files of ${fetched} submodules are part of the tree`);
  }
  if (result.exitCode !== 0) {
    const why = result.timedOut ? `not done within ${submoduleTimeoutMs / 1000} s` : lastLine(result.stderr);
    notes.push(`submodules left out: ${missing.join(', ') || 'some'} (${why})`);
  }
  return notes;
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.slice(0, 200) ?? '';
}
