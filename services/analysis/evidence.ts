/** Texts for a model or a person: the tree in short, documentation, and the build files with one document. */
import { depthOf, folderOf, nameOf } from './folders.ts';
import type { TreeReader } from './tree-reader.ts';

/** Source: upstream facts §3.6. */
const listingMax = 60;
const buildFileChars = 2_500;
const documentChars = 2_000;
const evidenceChars = 14_000;
const documentsMax = 5;
const documentLinesMax = 500;

/** Source: events/records.ts. */
const treeBytesMax = 8 * 1024;
const documentBytesMax = 16 * 1024;
/** All documents: with tree and evidence the scan stays under the 64 KiB that an event may carry (design §11). */
const documentsBytesMax = 28 * 1024;

const buildFiles =
  'go.mod Cargo.toml CMakeLists.txt configure.ac configure.in meson.build Makefile.am Makefile makefile GNUmakefile pyproject.toml setup.py package.json'.split(
    ' ',
  );
const documents =
  'README.md README.rst README README.txt INSTALL INSTALL.md BUILDING.md BUILD.md docs/BUILD.md'.split(' ');

export async function buildEvidence(tree: TreeReader): Promise<string> {
  const top = tree.entries.filter(({ path }) => folderOf(path) === '');
  const names = top.slice(0, listingMax).map(({ path, kind }) => (kind === 'folder' ? `${path}/` : path));
  const more = top.length > listingMax ? ` … ${top.length - listingMax} more` : '';
  const parts = [`Top of the source: ${names.join(' ')}${more}`];
  for (const name of buildFiles) {
    const text = await tree.read(name, buildFileChars * 4);
    if (text !== null) parts.push(`--- ${name}\n${text.slice(0, buildFileChars)}`);
  }
  for (const name of documents) {
    const text = await tree.read(name, documentChars * 4);
    if (text === null) continue;
    parts.push(`--- ${name}\n${text.slice(0, documentChars)}`);
    break;
  }
  return parts.join('\n').slice(0, evidenceChars);
}

/** The first 500 lines of at most 5 documents, those at the top first. */
export async function readDocumentation(tree: TreeReader): Promise<Record<string, string>> {
  const wanted = /^(README|INSTALL|BUILDING|BUILD|CONTRIBUTING)([._-][^/]*)?$/i;
  const paths = tree.entries
    .filter(({ path, kind }) => kind !== 'folder' && depthOf(folderOf(path)) <= 1)
    .filter(({ path }) => wanted.test(nameOf(path)) || /^docs\/[^/]+\.md$/.test(path))
    .map(({ path }) => path)
    .filter((path) => !/\.(c|h|cc|go|rs|py|sh|bazel|gn|in|png|svg)$/.test(path))
    .sort((a, b) => depthOf(folderOf(a)) - depthOf(folderOf(b)) || rank(a) - rank(b) || (a < b ? -1 : 1));
  const texts: Record<string, string> = {};
  let left = documentsBytesMax;
  for (const path of paths) {
    if (Object.keys(texts).length >= documentsMax || left <= 0) break;
    const text = await tree.read(path, Math.min(documentBytesMax, left));
    if (text === null || text.includes('\u0000')) continue;
    const lines = text.split('\n').slice(0, documentLinesMax).join('\n');
    texts[path] = cutBytes(lines, Math.min(documentBytesMax, left));
    left -= jsonBytes(texts[path]);
  }
  return texts;
}

function rank(path: string): number {
  const order = ['README', 'INSTALL', 'BUILD', 'CONTRIBUTING'];
  const at = order.findIndex((word) => nameOf(path).toUpperCase().startsWith(word));
  return at < 0 ? order.length : at;
}

/** Folders two levels deep with counts, and the files at the top. */
export function treeText(tree: TreeReader): string {
  const counts = new Map<string, number>();
  for (const { path, kind } of tree.entries) {
    if (kind === 'folder') continue;
    const parts = folderOf(path).split('/').filter(Boolean).slice(0, 2);
    for (let depth = 1; depth <= parts.length; depth++) {
      const folder = parts.slice(0, depth).join('/');
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
  }
  const lines = tree.entries
    .filter(({ path }) => folderOf(path) === '')
    .map(({ path, kind, size, executable, target }) => {
      if (kind === 'folder') return `${path}/ (${counts.get(path) ?? 0} files)`;
      if (kind === 'link') return `${path} -> ${target ?? ''}`;
      return `${path}${executable ? '*' : ''} ${size}`;
    });
  const second = [...counts]
    .filter(([folder]) => folder.includes('/'))
    .map(([folder, count]) => `${folder}/ (${count} files)`);
  return cutBytes([...lines, ...second].join('\n'), treeBytesMax);
}

/** The text cut at whole characters. */
export function cutBytes(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= bytesMax) return text;
  return bytes
    .subarray(0, bytesMax)
    .toString()
    .replace(/\uFFFD$/, '');
}

const jsonBytes = (text: string | undefined): number => Buffer.byteLength(JSON.stringify(text ?? ''));
