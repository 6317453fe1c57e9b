/**
 * Folds the frozen folders of a long run into one. The kernel stacks at most 500 layers, and each makes every
 * look-up of a missing file slower. Only what is seen through the mount is compared, so whiteouts, opaque
 * folders and redirects of the layers need not be understood: what differs from the layers below the run's
 * own is copied, what is missing gets a whiteout.
 */
import type { Stats } from 'node:fs';
import { lstat, mkdir, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { SandboxError } from './driver.ts';
import { type Holder, mountPoint } from './holder.ts';
import { hostCommandOk } from './host-command.ts';

/** A gigabyte takes about 10 s; a run does it once in 200 commands. */
const flattenTimeoutMs = 600_000;
/** Files of a base are 20,000; a tree this large has gone wrong. */
const pathsMax = 5_000_000;

export interface Difference {
  /** Paths that are new or changed, folders before what is in them. */
  copied: string[];
  /** Paths that the lower view has and the upper has not. */
  removed: string[];
}

/** Writes into the new folder `into` what `holder`'s mounted files add to the layers `lower` (relative to `runDir`). */
export async function flattenInto(
  into: string,
  runDir: string,
  lower: readonly string[],
  holder: Holder,
): Promise<void> {
  await mkdir(join(runDir, into), { recursive: true });
  const lowerMount = await holder.mountReadOnly(runDir, lower);
  try {
    const { copied, removed } = await differenceOf(holder.root, holder.hostView(lowerMount));
    const names = (paths: string[]) => paths.map((path) => `${path}\0`).join('');
    const copy = `set -o pipefail; tar -C ${mountPoint} --format=posix --null --no-recursion --verbatim-files-from -T - -cf - | tar -C "$1" -xpf -`;
    const run = (script: string, paths: string[], doing: string) =>
      hostCommandOk([...holder.enter(), 'bash', '-c', script, 'flatten', join(runDir, into)], {
        doing,
        timeoutMs: flattenTimeoutMs,
        input: names(paths),
      });
    await run(copy, copied, 'folding the layers of the run');
    const whiteout = 'cd "$1" && xargs -0 -r -I{} mknod {} c 0 0';
    await run(whiteout, removed, 'folding the removed files of the run');
  } finally {
    await holder.unmount(lowerMount);
  }
}

/** Compares two trees by what lstat says, sizes and times included. Paths are relative, `./` first. */
export async function differenceOf(upper: string, lower: string): Promise<Difference> {
  const found: Difference = { copied: [], removed: [] };
  await compareFolders('.');
  return found;

  async function compareFolders(folder: string): Promise<boolean> {
    const at = found.copied.length;
    const [above, below] = await Promise.all([namesOf(upper, folder), namesOf(lower, folder)]);
    let touched = false;
    for (const name of new Set([...above, ...below])) {
      const path = `${folder}/${name}`;
      const [a, b] = await Promise.all([lstatOrNull(join(upper, path)), lstatOrNull(join(lower, path))]);
      if (a === null) {
        found.removed.push(path);
        touched = true;
      } else if (a.isDirectory()) touched = (await compareFolder(path, a, b)) || touched;
      else if (b === null || !(await sameFile(path, a, b))) {
        found.copied.push(path);
        touched = true;
      }
      if (found.copied.length + found.removed.length > pathsMax)
        throw new SandboxError('diskFull', `the run has changed more than ${pathsMax} files`);
    }
    // folders on the way down come before what is in them, and keep their own modes and times
    if (touched) found.copied.splice(at, 0, folder);
    return touched;
  }

  /** A folder whose own mode or time differs counts, even when nothing in it does. */
  async function compareFolder(path: string, a: Stats, b: Stats | null): Promise<boolean> {
    if (await compareFolders(path)) return true;
    if (b?.isDirectory() && sameAttributes(a, b)) return false;
    found.copied.push(path);
    return true;
  }

  async function sameFile(path: string, a: Stats, b: Stats): Promise<boolean> {
    if (!sameAttributes(a, b) || a.size !== b.size) return false;
    if (!a.isSymbolicLink()) return true;
    return (await readlink(join(upper, path))) === (await readlink(join(lower, path)));
  }
}

const sameAttributes = (a: Stats, b: Stats): boolean =>
  a.mode === b.mode && a.uid === b.uid && a.gid === b.gid && a.mtimeMs === b.mtimeMs;

async function namesOf(root: string, folder: string): Promise<string[]> {
  const stats = await lstatOrNull(join(root, folder));
  return stats?.isDirectory() ? readdir(join(root, folder)) : [];
}

async function lstatOrNull(path: string): Promise<Stats | null> {
  return lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
}
