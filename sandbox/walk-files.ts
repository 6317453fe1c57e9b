/** Walks a tree that may be hostile, folder by folder in byte order, and follows no link. */
import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { concurrently } from './concurrently.ts';
import { listFolder, openFolderAt, statAt } from './open-inside.ts';

/** A regular file where it was found. The folder is open only while it is visited. */
export interface FoundFile {
  folder: FileHandle;
  name: string;
  /** Byte string, relative to where the walk began. */
  path: string;
  stats: Stats;
}

export interface WalkOptions {
  /** Levels of folders below the first that are entered; a folder stays open for each. */
  depthMax: number;
  /** Names of folders that are not entered. */
  skip: ReadonlySet<string>;
  /** Called with the regular files of a folder. False ends the walk. */
  visit: (files: FoundFile[]) => Promise<boolean>;
  /** Called with a folder or file that cannot be looked at; the walk goes on. */
  onFault: (path: string, error: Error) => void;
}

/** Looking at several files at once hides the latency of each; Node works on 4 of them at a time. */
export const filesAtOnce = 16;

/** Visits all files. `cut`: `depthMax` kept it from a folder. `ended`: `visit` ended it. */
export async function walkFiles(
  folder: FileHandle,
  options: WalkOptions,
  prefix = '',
): Promise<'whole' | 'cut' | 'ended'> {
  const attempt = async <T>(path: string, work: Promise<T | null>): Promise<T | null> =>
    work.catch((error: Error) => {
      options.onFault(path, error);
      return null;
    });
  const entries = (await attempt(prefix, listFolder(folder))) ?? [];
  const named = entries.filter((entry) => entry.kind === 'file');
  const files = await concurrently(named, filesAtOnce, async ({ name }) => {
    const path = prefix + name;
    const stats = await attempt(path, statAt(folder, name));
    return stats?.isFile() ? [{ folder, name, path, stats }] : [];
  });
  if (!(await options.visit(files.flat()))) return 'ended';

  let result: 'whole' | 'cut' = 'whole';
  for (const { name, kind } of entries) {
    if (kind !== 'folder' || options.skip.has(name)) continue;
    if (options.depthMax === 0) return 'cut';
    const path = `${prefix}${name}/`;
    const below = await attempt(path, openFolderAt(folder, name));
    if (below === null) continue;
    const next = { ...options, depthMax: options.depthMax - 1 };
    const ended = await walkFiles(below, next, path).finally(() => below.close());
    if (ended === 'ended') return 'ended';
    if (ended === 'cut') result = 'cut';
  }
  return result;
}
