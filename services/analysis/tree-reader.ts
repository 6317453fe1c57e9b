/** A source tree as the analysis sees it: a listing and small reads, nothing outside of it. */
import { constants } from 'node:fs';
import { lstat, open, readdir, readlink } from 'node:fs/promises';
import { join, posix } from 'node:path';

export interface TreeEntry {
  /** Relative to the root, `/` between parts, no leading `./`. */
  path: string;
  kind: 'file' | 'folder' | 'link';
  /** Bytes. */
  size: number;
  executable: boolean;
  /** Of a link, as it is written. */
  target?: string;
}

export interface TreeReader {
  /** All entries without `.git`, sorted by path. */
  readonly entries: readonly TreeEntry[];
  /** True when there are more entries than are listed. */
  readonly truncated: boolean;
  /** The entry of a path; links inside the tree are followed, one that leads out is the link itself. */
  find(path: string): TreeEntry | null;
  /** Text of a file, its first `maxBytes`; null when there is no such file in the tree. */
  read(path: string, maxBytes: number): Promise<string | null>;
}

/** The Linux kernel has 90,000 files; a tree beyond it is judged by what was listed. */
const entriesMax = 100_000;
/** As the kernel's own limit on links in one path, cut down: honest trees have one or two. */
const linksMax = 8;

/**
 * Reads a folder of this machine. Nothing is followed out of it: folders are entered and files opened only
 * when they are no links, and links are resolved by their text against the listing. What is listed must not
 * change meanwhile, so no command may run in the tree.
 */
export async function folderReader(root: string): Promise<TreeReader> {
  const entries: TreeEntry[] = [];
  const truncated = await listInto(entries, root);
  entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  return treeOver(entries, truncated, (path, maxBytes) => readStart(join(root, path), maxBytes));
}

/** A reader over a listing; `read` gets paths of files only. */
export function treeOver(
  entries: readonly TreeEntry[],
  truncated: boolean,
  read: (path: string, maxBytes: number) => Promise<string | null>,
): TreeReader {
  const byPath = new Map(entries.map((entry) => [entry.path, entry]));
  const find = (path: string) => resolve(byPath, normal(path));
  return {
    entries,
    truncated,
    find,
    async read(path, maxBytes) {
      const entry = find(path);
      return entry?.kind === 'file' ? read(entry.path, maxBytes) : null;
    },
  };
}

/** Null for a path that leads out of the tree. */
function normal(path: string): string | null {
  const plain = posix.normalize(path).replace(/\/+$/, '');
  if (plain === '.') return '';
  return plain.startsWith('/') || plain === '..' || plain.startsWith('../') ? null : plain;
}

function resolve(byPath: Map<string, TreeEntry>, path: string | null): TreeEntry | null {
  let rest = path;
  for (let links = 0; links <= linksMax; links++) {
    if (rest === null) return null;
    if (rest === '') return { path: '', kind: 'folder', size: 0, executable: true };
    const exact = byPath.get(rest);
    if (exact && exact.kind !== 'link') return exact;
    const link = exact ?? firstLink(byPath, rest);
    if (link?.target === undefined) return null;
    if (link.target.startsWith('/')) return exact ?? null; // leads out: it is there, what it names is not ours
    const target = normal(posix.join(posix.dirname(link.path), link.target));
    rest = target === null ? null : normal(posix.join(target, rest.slice(link.path.length)));
    if (rest === null) return exact ?? null;
  }
  return null;
}

function firstLink(byPath: Map<string, TreeEntry>, path: string): TreeEntry | null {
  for (let cut = path.indexOf('/'); cut > 0; cut = path.indexOf('/', cut + 1)) {
    const entry = byPath.get(path.slice(0, cut));
    if (entry?.kind === 'link') return entry;
  }
  return null;
}

async function listInto(entries: TreeEntry[], root: string): Promise<boolean> {
  const folders = [''];
  for (let next = folders.shift(); next !== undefined; next = folders.shift()) {
    const names = await readdir(join(root, next)).catch(() => []); // a folder without permission has nothing to show
    const here = await Promise.all(
      names
        .filter((name) => name !== '.git')
        .map((name) => entryAt(root, next === '' ? name : `${next}/${name}`)),
    );
    for (const entry of here) {
      if (entry === null) continue;
      if (entries.length >= entriesMax) return true;
      entries.push(entry);
      if (entry.kind === 'folder') folders.push(entry.path);
    }
  }
  return false;
}

async function entryAt(root: string, path: string): Promise<TreeEntry | null> {
  const found = await lstat(join(root, path)).catch(() => null);
  if (found === null) return null;
  const executable = (found.mode & 0o111) !== 0;
  if (found.isSymbolicLink()) {
    const target = await readlink(join(root, path)).catch(() => '');
    return { path, kind: 'link', size: found.size, executable: false, target };
  }
  if (found.isDirectory()) return { path, kind: 'folder', size: 0, executable };
  return found.isFile() ? { path, kind: 'file', size: found.size, executable } : null;
}

async function readStart(path: string, maxBytes: number): Promise<string | null> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => null,
  );
  if (file === null) return null;
  try {
    const stat = await file.stat();
    if (!stat.isFile()) return null;
    const buffer = Buffer.alloc(Math.min(maxBytes, stat.size));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
