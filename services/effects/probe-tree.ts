/** Facts about files that a rule asks for by name. Twice is harmless: it only reads. */
import { depthOf, folderOf, isSkipped, nameOf } from '../analysis/folders.ts';
import type { TreeReader } from '../analysis/tree-reader.ts';
import type { EffectHandler } from './handler.ts';
import { sandboxTree } from './sandbox-tree.ts';

/** Source: machines/effects.ts, the contract of probeTree. */
const readBytesMax = 64 * 1024;
const pathsMax = 50;
const makefileDepthMax = 2;

type Answer = boolean | string | string[] | null;

/** A query that is not known is answered by null. */
export const probeTree: EffectHandler<'probeTree'> = async (input, context) => {
  const tree = await sandboxTree(await context.sandbox(), input.cwd);
  const answers: Record<string, Answer> = {};
  for (const query of input.queries) answers[query] = await answerOf(tree, query);
  return { answers };
};

export async function answerOf(tree: TreeReader, query: string): Promise<Answer> {
  const colon = query.indexOf(':');
  const path = query.slice(colon + 1);
  switch (query.slice(0, Math.max(0, colon))) {
    case 'exists':
      return tree.find(path) !== null;
    case 'executable': {
      const entry = tree.find(path);
      return entry === null || entry.kind !== 'file' ? null : entry.executable;
    }
    case 'read':
      return await tree.read(path, readBytesMax);
    case 'find':
      return shallowestFirst(
        tree.entries
          .filter((entry) => entry.kind !== 'folder' && nameOf(entry.path) === path)
          .map((entry) => entry.path),
      );
    case 'makefileDirs':
      return makefileFolders(tree);
    default:
      return null;
  }
}

/** Folders with a makefile, the top as `.`. */
function makefileFolders(tree: TreeReader): string[] {
  const folders = tree.entries
    .filter(({ path, kind }) => kind !== 'folder' && /^(GNUmakefile|[Mm]akefile)$/.test(nameOf(path)))
    .map(({ path }) => folderOf(path))
    .filter((folder) => depthOf(folder) <= makefileDepthMax && !isSkipped(folder));
  return shallowestFirst([...new Set(folders)]).map((folder) => folder || '.');
}

function shallowestFirst(paths: string[]): string[] {
  const depth = (path: string) => (path === '' ? 0 : path.split('/').length);
  return paths.sort((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1)).slice(0, pathsMax);
}
