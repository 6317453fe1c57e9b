/**
 * Takes a folder of this machine as the source: what is on disk is what is ported, without `.git` and, in a
 * git repository, without what git ignores.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { EffectError } from '../effects/handler.ts';
import { commitTree, keepEmptyFolders, undatedSeconds } from './commit-tree.ts';
import { copyFiles, copyTree } from './copy-files.ts';
import type { FetchedSource, FetchOptions } from './fetched.ts';
import { type GitHost, gitHost } from './git-host.ts';
import { isDiskFull } from './host-command.ts';

/**
 * Copies the folder into the stage as a git work tree. A folder that is the top of a git repository keeps its
 * HEAD, and what is not committed becomes one commit on top; any other becomes one commit. The same files
 * always give the same commit, so doing it twice is harmless.
 * @throws {EffectError} `badSource` when there is no file in it, `diskFull`
 */
export async function fetchFolder(path: string, options: FetchOptions): Promise<FetchedSource> {
  const git = await gitHost(options.stage, options.signal);
  const folder = join(options.stage, 'tree');
  options.onProgress?.(`copying ${path}`);
  await mkdir(folder);
  const repository = await inspect(git, path);
  const head = repository.isTop ? await takeHead(git, path, folder) : null;
  const copied = await copy(path, folder, repository.files, options.home);
  if (copied.count === 0) throw new EffectError('badSource', `folder ${path} holds no files`);

  const notes = copied.special > 0 ? [`${copied.special} sockets, pipes or devices were left out`] : [];
  if (repository.files !== null) notes.push('files that git ignores were left out');
  if (head === null) {
    const commit = await commitTree(git, folder, { message: 'Files of a folder', date: undatedSeconds });
    return { folder, commit, branch: 'main', version: '', recovery: null, notes };
  }
  await git.run(['-C', folder, 'add', '-A', '-f', '.']);
  const changed =
    (await git.run(['-C', folder, 'diff', '--cached', '--name-only', '-z', 'HEAD'])).split('\0').length - 1;
  let commit = head.commit;
  if (changed > 0) {
    commit = await commitTree(git, folder, { message: 'Changes that were not committed', date: head.date });
    notes.push(`${changed} files differ from commit ${head.commit.slice(0, 12)}: what is on disk is ported`);
  }
  const version = changed > 0 ? '' : head.tag;
  return { folder, commit, branch: head.branch, version, recovery: null, notes };
}

/** Whether git knows the folder, and the files it would keep; null for all of them. */
async function inspect(git: GitHost, path: string): Promise<{ isTop: boolean; files: string[] | null }> {
  const prefix = await git.try(['-C', path, 'rev-parse', '--show-prefix']);
  if (prefix.exitCode !== 0) return { isTop: false, files: null };
  const listing = await git.run(['-C', path, 'ls-files', '-z', '-c', '-o', '--exclude-standard', '--', '.']);
  const files = [...new Set(listing.split('\0').filter(Boolean))];
  // A folder that its surrounding repository ignores as a whole is a source of its own.
  return { isTop: prefix.stdout.trim() === '', files: files.length === 0 ? null : files };
}

interface Head {
  commit: string;
  branch: string;
  tag: string;
  date: number;
}

/** Brings HEAD of the user's repository into the stage, its files not yet checked out. */
async function takeHead(git: GitHost, path: string, folder: string): Promise<Head | null> {
  const head = await git.try(['-C', path, 'rev-parse', '--verify', '-q', 'HEAD']);
  if (head.exitCode !== 0) return null;
  const commit = head.stdout.trim();
  const named = await git.try(['-C', path, 'symbolic-ref', '--short', '-q', 'HEAD']);
  const branch = named.exitCode === 0 ? named.stdout.trim() : 'main';
  const tags = (await git.run(['-C', path, 'tag', '--points-at', 'HEAD'])).split('\n').filter(Boolean);
  await git.run(['init', '-q', '-b', branch, folder]);
  await git.run(['-C', folder, 'fetch', '-q', '--depth', '1', '--no-tags', path, 'HEAD'], {
    env: { GIT_ALLOW_PROTOCOL: 'file' },
  });
  await git.run(['-C', folder, 'update-ref', `refs/heads/${branch}`, 'FETCH_HEAD']);
  for (const tag of tags) await git.run(['-C', folder, 'tag', '--no-sign', tag, commit]);
  const date = Number(await git.run(['-C', folder, 'log', '-1', '--format=%ct']));
  return { commit, branch, tag: tags[0] ?? '', date };
}

async function copy(path: string, folder: string, files: string[] | null, home: string) {
  try {
    const copied =
      files === null ? await copyTree(path, folder, home) : await copyFiles(path, folder, files, home);
    if (files === null) await keepEmptyFolders(folder);
    return copied;
  } catch (fault) {
    if (isDiskFull(fault))
      throw new EffectError('diskFull', `no space left while copying ${path}`, { cause: fault });
    const { code, path: at } = fault as NodeJS.ErrnoException;
    if (code === 'EACCES' || code === 'EPERM') {
      throw new EffectError('denied', `${at ?? path} cannot be read by this user`, { cause: fault });
    }
    throw fault;
  }
}
