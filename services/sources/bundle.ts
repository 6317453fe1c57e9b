/**
 * The source as one file: a git bundle from which the same work tree can be made again without a network.
 *
 * Git cannot clone a bundle of a shallow repository, because a bundle does not say where its history was
 * cut. Ours names each cut commit by a ref `refs/shallow/ID`, and `unpackBundle` tells git before it reads.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EffectError } from '../effects/handler.ts';
import { setTimes } from './commit-tree.ts';
import type { GitHost } from './git-host.ts';

export interface Unpacked {
  commit: string;
  branch: string;
  /** Files of the commit. */
  fileCount: number;
}

const shallowPrefix = 'refs/shallow/';

/** Writes HEAD, its branch and its tags of the repository at `folder` into `file`. */
export async function createBundle(git: GitHost, folder: string, file: string): Promise<void> {
  const shallow = await readFile(join(folder, '.git', 'shallow'), 'utf8').catch(() => '');
  const cuts = shallow.split('\n').filter((id) => /^[0-9a-f]{40,64}$/.test(id));
  for (const id of cuts) await git.run(['-C', folder, 'update-ref', `${shallowPrefix}${id}`, id]);
  const branch = await branchOf(git, folder);
  const tags = (await git.run(['-C', folder, 'tag', '--points-at', 'HEAD'])).split('\n').filter(Boolean);
  await rm(file, { force: true });
  await git.run(['-C', folder, '-c', 'pack.threads=1', 'bundle', 'create', '-q', file, 'HEAD', '--stdin'], {
    stdin: [
      `refs/heads/${branch}`,
      ...tags.map((tag) => `refs/tags/${tag}`),
      ...cuts.map((id) => `${shallowPrefix}${id}`),
      '',
    ].join('\n'),
  });
}

/**
 * Makes the work tree of a bundle in the empty or missing `folder`: its branch checked out, every file byte
 * for byte as it was fetched and dated like the commit.
 */
export async function unpackBundle(git: GitHost, file: string, folder: string): Promise<Unpacked> {
  const refs = (await git.run(['bundle', 'list-heads', file])).split('\n').filter(Boolean);
  const named = refs.map((line) => ({
    id: line.slice(0, line.indexOf(' ')),
    name: line.slice(line.indexOf(' ') + 1),
  }));
  const branchRef = named.find((ref) => ref.name.startsWith('refs/heads/'));
  if (branchRef === undefined) throw new EffectError('internal', 'the bundle of the source holds no branch');
  const branch = branchRef.name.slice('refs/heads/'.length);

  await git.run(['init', '-q', '-b', branch, folder]);
  const cuts = named.filter((ref) => ref.name.startsWith(shallowPrefix));
  if (cuts.length > 0) {
    await writeFile(join(folder, '.git', 'shallow'), cuts.map((ref) => `${ref.id}\n`).join(''));
  }
  await git.run(['-C', folder, 'bundle', 'unbundle', file]);
  for (const ref of named) {
    if (/^refs\/(heads|tags)\//.test(ref.name)) await git.run(['-C', folder, 'update-ref', ref.name, ref.id]);
  }
  await git.run(['-C', folder, 'reset', '-q', '--hard']);
  await setTimes(folder, Number(await git.run(['-C', folder, 'log', '-1', '--format=%ct'])));
  const fileCount = await countFiles(git, folder);
  return { commit: branchRef.id, branch, fileCount };
}

async function countFiles(git: GitHost, folder: string): Promise<number> {
  const listing = await git.run(['-C', folder, 'ls-files', '-z']);
  return listing === '' ? 0 : listing.split('\0').length - 1;
}

/** The branch that HEAD stands on; a detached HEAD is put on `main` first. */
export async function branchOf(git: GitHost, folder: string): Promise<string> {
  const named = await git.try(['-C', folder, 'symbolic-ref', '--short', '-q', 'HEAD']);
  if (named.exitCode === 0) return named.stdout.trim();
  await git.run(['-C', folder, 'checkout', '-q', '-B', 'main']);
  return 'main';
}
