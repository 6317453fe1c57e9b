/** Copies files as they are: symbolic links stay links, modes stay, nothing is followed. */
import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, opendir, readlink, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export interface Copied {
  count: number;
  /** Sockets, pipes and devices, which are not copied. */
  special: number;
}

/** Copies the named files (paths relative to `from`) into `to`. A name that is a folder is copied whole. */
export async function copyFiles(from: string, to: string, names: string[], except: string): Promise<Copied> {
  const copied = { count: 0, special: 0 };
  for (const name of names) await copyEntry(join(from, name), join(to, name), except, copied);
  return copied;
}

/** Copies all of a folder but `.git` and what is below `except`. */
export async function copyTree(from: string, to: string, except: string): Promise<Copied> {
  const copied = { count: 0, special: 0 };
  await copyEntry(from, to, except, copied);
  return copied;
}

async function copyEntry(from: string, to: string, except: string, copied: Copied): Promise<void> {
  if (from === except || from.startsWith(`${except}/`)) return; // our own data folder inside the source
  const found = await lstat(from).catch(() => null);
  if (found === null) return; // tracked, but deleted on disk
  if (found.isDirectory()) {
    await mkdir(to, { recursive: true });
    for await (const entry of await opendir(from)) {
      if (entry.name !== '.git')
        await copyEntry(join(from, entry.name), join(to, entry.name), except, copied);
    }
    return;
  }
  if (!found.isFile() && !found.isSymbolicLink()) {
    copied.special += 1;
    return;
  }
  await mkdir(dirname(to), { recursive: true });
  if (found.isSymbolicLink()) await symlink(await readlink(from), to);
  else await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  copied.count += 1;
}
