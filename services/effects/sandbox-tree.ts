/** A folder of a sandbox as the analysis reads it: from the host's side where the driver shows one. */
import { lstat } from 'node:fs/promises';
import { posix } from 'node:path';
import type { Sandbox } from '../../sandbox/driver.ts';
import { folderReader, type TreeEntry, type TreeReader, treeOver } from '../analysis/tree-reader.ts';

const emptyTree = treeOver([], false, async () => null);
/** Listing by a command inside, ms: 90,000 files emulated. */
const listTimeoutMs = 120_000;

/** The tree below an absolute path of the sandbox; empty when there is no such folder. */
export async function sandboxTree(sandbox: Sandbox, path: string): Promise<TreeReader> {
  const folder = posix.normalize(path);
  if (sandbox.hostPath === undefined) return await treeByCommand(sandbox, folder);
  return (await isPlainFolder(sandbox, folder)) ? await folderReader(sandbox.hostPath(folder)) : emptyTree;
}

/** True when no part of the path is a link: a build could have put one there that leads out on the host. */
async function isPlainFolder(sandbox: Sandbox, folder: string): Promise<boolean> {
  const parts = folder.split('/').filter(Boolean);
  for (let count = 1; count <= parts.length; count++) {
    const part = sandbox.hostPath?.(`/${parts.slice(0, count).join('/')}`) ?? '';
    const found = await lstat(part).catch(() => null);
    if (!found?.isDirectory()) return false;
  }
  return true;
}

/** For drivers whose files are on another machine or behind another kernel: one listing, then single files. */
async function treeByCommand(sandbox: Sandbox, folder: string): Promise<TreeReader> {
  const chunks: Uint8Array[] = [];
  const result = await sandbox.exec({
    command: `find . -mindepth 1 -name .git -prune -o -printf '%y\\t%s\\t%m\\t%P\\t%l\\0'`,
    cwd: folder,
    env: {},
    timeoutMs: listTimeoutMs,
    network: 'off',
    user: 'builder',
    onOutput: (stream, chunk) => {
      if (stream === 'stdout') chunks.push(chunk);
    },
  });
  const entries = Buffer.concat(chunks)
    .toString()
    .split('\0')
    .flatMap(readEntry)
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  if (result.exitCode !== 0 && entries.length === 0) return emptyTree;
  return treeOver(entries, false, async (path, maxBytes) => {
    const bytes = await sandbox.readFile(posix.join(folder, path), maxBytes);
    return bytes === null ? null : Buffer.from(bytes).toString();
  });
}

function readEntry(line: string): TreeEntry[] {
  const [type, size, mode, path, target] = line.split('\t');
  const kind = type === 'f' ? 'file' : type === 'd' ? 'folder' : type === 'l' ? 'link' : null;
  if (kind === null || !path) return [];
  const executable = (Number.parseInt(mode ?? '', 8) & 0o111) !== 0;
  return [
    { path, kind, size: Number(size), executable, ...(kind === 'link' ? { target: target ?? '' } : {}) },
  ];
}
