/**
 * Opens files of a tree that may be hostile. Each folder is opened by itself without following a link, and the
 * next name is looked up in the open folder (`/proc/self/fd/N/name`, what openat(2) is): no link, not even one
 * that is put there meanwhile, leads out of the tree.
 *
 * Names are byte strings, one character a byte, because file names need not be UTF-8.
 */
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readdir } from 'node:fs/promises';
import { posix } from 'node:path';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;

export const toByteName = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
export const fromByteName = (name: string): string => Buffer.from(name, 'latin1').toString('utf8');

const at = (folder: FileHandle, name: string): Buffer =>
  Buffer.from(`/proc/self/fd/${folder.fd}/${name}`, 'latin1');

/** The folder `name` in `folder`; null when there is none, or when it is a link. */
export const openFolderAt = (folder: FileHandle, name: string): Promise<FileHandle | null> =>
  open(at(folder, name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW).catch(nullIfMissing);

/** The regular file `name` in `folder` for reading; null when there is none, or when it is anything else. */
export async function openFileAt(
  folder: FileHandle,
  name: string,
): Promise<{ file: FileHandle; stats: Stats } | null> {
  // a pipe or a device that was put there would block the opening
  const flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  const file = await open(at(folder, name), flags).catch(nullIfMissing);
  if (file === null) return null;
  const stats = await file.stat();
  if (stats.isFile()) return { file, stats };
  await file.close();
  return null;
}

/** What `name` in `folder` is, links not followed; null when it is gone. */
export const statAt = (folder: FileHandle, name: string): Promise<Stats | null> =>
  lstat(at(folder, name)).catch(nullIfMissing);

/** Names in `folder` in byte order. */
export async function listFolder(
  folder: FileHandle,
): Promise<Array<{ name: string; kind: 'file' | 'folder' | 'other' }>> {
  const entries = await readdir(at(folder, '.'), { withFileTypes: true, encoding: 'latin1' });
  return entries
    .map((entry) => ({
      name: entry.name,
      kind: entry.isFile()
        ? ('file' as const)
        : entry.isDirectory()
          ? ('folder' as const)
          : ('other' as const),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Opens the folder `path` (absolute inside the tree, or relative to its top) of the tree at the host path
 * `root`. null when it does not exist or a link is on the way. `..` stops at the top.
 */
export async function openFolderInside(root: string, path: string): Promise<FileHandle | null> {
  let folder: FileHandle | null = await open(root, O_RDONLY | O_DIRECTORY);
  for (const name of posix.resolve('/', path).split('/').filter(Boolean)) {
    const parent: FileHandle = folder;
    folder = await openFolderAt(parent, name).finally(() => parent.close());
    if (folder === null) return null;
  }
  return folder;
}

/** As `openFolderInside`, for a regular file. */
export async function openFileInside(
  root: string,
  path: string,
): Promise<{ file: FileHandle; stats: Stats } | null> {
  const folder = await openFolderInside(root, posix.dirname(posix.resolve('/', path)));
  if (folder === null) return null;
  return openFileAt(folder, posix.basename(path)).finally(() => folder.close());
}

/** Not there, not a folder, a link, a name that no file system has, a device without driver. */
const missing = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'ENXIO', 'ENODEV', 'EINVAL']);

function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (missing.has(error.code ?? '')) return null;
  throw error;
}
