/** Writes a file of a sandbox from the host. */
import { chown, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SandboxError } from './driver.ts';
import { isRoot, sandboxHostId } from './host-user.ts';
import { resolveInside } from './inside-path.ts';

/**
 * Puts a new file in the place of `path`, so that a read-only or hard-linked one is replaced and not written
 * through. Missing folders are made. Everything belongs to the sandbox's user.
 * @throws SandboxError `denied` when a folder is there
 */
export async function replaceFile(
  root: string,
  path: string,
  content: Uint8Array,
  mode: number,
): Promise<void> {
  const { inside, host, stats } = await resolveInside(root, path);
  if (stats?.isDirectory()) throw new SandboxError('denied', `${path} is a folder; name a file in it`);
  await makeFolders(root, dirname(inside));
  await rm(host, { force: true });
  await writeFile(host, content, { mode, flag: 'wx' }).catch(async (error) => {
    await rm(host, { force: true }); // half a file is worse than none
    throw error;
  });
  if (isRoot()) await chown(host, sandboxHostId, sandboxHostId);
}

/** Makes a folder and its parents, owned by the sandbox's user. `inside` is free of links where it exists. */
export async function makeFolders(root: string, inside: string): Promise<void> {
  const { host } = await resolveInside(root, inside);
  const first = await mkdir(host, { recursive: true });
  if (first === undefined || !isRoot()) return;
  for (let folder = host; folder.length >= first.length; folder = dirname(folder))
    await chown(folder, sandboxHostId, sandboxHostId);
}
