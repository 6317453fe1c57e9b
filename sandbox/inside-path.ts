/**
 * Paths inside a sandbox seen from the host. The tree belongs to a program that may be hostile: a link in it
 * must never lead to the host, so every component is looked at and links are followed inside the tree only.
 * Safe against what is there; not against a process that changes links at the same time, so callers see to it
 * that no command runs meanwhile.
 */
import type { Stats } from 'node:fs';
import { lstat, readlink } from 'node:fs/promises';
import { SandboxError } from './driver.ts';

/** Source: Linux path_resolution(7), links followed in one resolution. */
const linksMax = 40;

export interface InsidePath {
  /** Absolute path inside, free of links. */
  inside: string;
  /** The same file on the host, free of links. */
  host: string;
  /** null when it does not exist; its parents may be missing too. */
  stats: Stats | null;
}

/** Follows `path` (absolute, inside) under `root`. @throws SandboxError `denied` for a loop of links */
export async function resolveInside(root: string, path: string): Promise<InsidePath> {
  let done: string[] = [];
  let rest = path.split('/');
  let links = 0;
  let stats: Stats | null = await lstat(root);
  while (rest.length > 0) {
    const [name = '', ...others] = rest;
    rest = others;
    if (name === '' || name === '.') continue;
    if (name === '..') {
      done = done.slice(0, -1);
      stats = await lstatOrNull(hostPath(root, done));
      continue;
    }
    done = [...done, name];
    // under a file or a missing folder nothing exists: the rest is kept as a name
    stats = stats?.isDirectory() ? await lstatOrNull(hostPath(root, done)) : null;
    if (!stats?.isSymbolicLink()) continue;
    links += 1;
    if (links > linksMax)
      throw new SandboxError('denied', `${path} has more than ${linksMax} symbolic links`);
    const target = await readlink(hostPath(root, done));
    done = target.startsWith('/') ? [] : done.slice(0, -1);
    stats = await lstatOrNull(hostPath(root, done));
    rest = [...target.split('/'), ...rest];
  }
  return { inside: `/${done.join('/')}`, host: hostPath(root, done), stats };
}

/** As `resolveInside`, and refuses what is not under /workspace. */
export async function resolveInWorkspace(root: string, path: string): Promise<InsidePath> {
  const found = await resolveInside(root, path);
  if (found.inside !== '/workspace' && !found.inside.startsWith('/workspace/'))
    throw new SandboxError(
      'denied',
      `${path} leads to ${found.inside}, outside /workspace; only files there may be written`,
    );
  return found;
}

const hostPath = (root: string, parts: readonly string[]) => [root, ...parts].join('/');

async function lstatOrNull(path: string): Promise<Stats | null> {
  return lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR' || error.code === 'ENAMETOOLONG') return null;
    throw error;
  });
}
