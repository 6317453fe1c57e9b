/** A tree for the analysis made of texts: `-> target` makes a link, `#!` at the start an executable file. */
import { type TreeEntry, type TreeReader, treeOver } from '../../services/analysis/tree-reader.ts';

export function memoryTree(files: Record<string, string>): TreeReader {
  const entries = new Map<string, TreeEntry>();
  for (const [path, text] of Object.entries(files)) {
    const parts = path.split('/');
    for (let depth = 1; depth < parts.length; depth++) {
      const folder = parts.slice(0, depth).join('/');
      entries.set(folder, { path: folder, kind: 'folder', size: 0, executable: true });
    }
    const size = Buffer.byteLength(text);
    if (text.startsWith('-> ')) {
      entries.set(path, { path, kind: 'link', size, executable: false, target: text.slice(3) });
    } else entries.set(path, { path, kind: 'file', size, executable: text.startsWith('#!') });
  }
  const sorted = [...entries.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  return treeOver(sorted, false, async (path, maxBytes) => (files[path] ?? '').slice(0, maxBytes));
}
