/** Go modules and programs of a tree. Source: upstream facts §3.2 and §3.4. */
import type { GoMainInfo } from '../../events/records.ts';
import { folderOf, inFolder, isSkipped, nameOf } from './folders.ts';
import { isBuiltOn } from './go-constraint.ts';
import type { TreeEntry, TreeReader } from './tree-reader.ts';

/** Head of a Go file that holds its package clause, bytes; licence comments come before it. */
const headBytes = 16 * 1024;
/** Go files looked at; the largest Go programs have about 20,000. */
const filesMax = 20_000;
/** Programs told of at most; more are an example collection. */
const mainsMax = 20;

const helperFolders = new Set([
  'gen',
  'contrib',
  'example',
  'examples',
  'test',
  'tests',
  'internal',
  'tools',
  'scripts',
  'hack',
  'vendor',
]);

const goFiles = (tree: TreeReader): TreeEntry[] =>
  tree.entries
    .filter(
      (entry) => entry.kind === 'file' && entry.path.endsWith('.go') && !entry.path.endsWith('_test.go'),
    )
    .slice(0, filesMax);

/** Folders with a `main` package that is built on linux/riscv64, relative to the root ('' for the root). */
async function mainFolders(tree: TreeReader, below: string): Promise<string[]> {
  const nested = tree.entries
    .filter((entry) => nameOf(entry.path) === 'go.mod' && folderOf(entry.path) !== below)
    .map((entry) => folderOf(entry.path))
    .filter((folder) => folder !== '' && (below === '' || `${folder}/`.startsWith(`${below}/`)));
  const found = new Set<string>();
  for (const { path } of goFiles(tree)) {
    const folder = folderOf(path);
    if (found.has(folder) || (below !== '' && !`${folder}/`.startsWith(`${below}/`))) continue;
    if (/(^|\/)(vendor|testdata|node_modules|_[^/]*)\//.test(path)) continue; // the go command skips these
    if (nested.some((other) => folder === other || folder.startsWith(`${other}/`))) continue;
    const text = (await tree.read(path, headBytes)) ?? '';
    if (/^package\s+main\b/m.test(text) && isBuiltOn(path, text, 'riscv64')) found.add(folder);
  }
  return [...found];
}

/** The nested module most worth building: `main.go` +10, under `cmd/` +8, a main package +5. Null without one. */
export async function bestGoModule(tree: TreeReader): Promise<string | null> {
  const modules = tree.entries
    .filter(
      (entry) => nameOf(entry.path) === 'go.mod' && folderOf(entry.path) !== '' && !isSkipped(entry.path),
    )
    .map((entry) => folderOf(entry.path));
  let best: { folder: string; score: number } | null = null;
  for (const folder of modules) {
    const score =
      (tree.find(inFolder(folder, 'main.go')) ? 10 : 0) +
      (/(^|\/)cmd(\/|$)/.test(folder) ? 8 : 0) +
      ((await mainFolders(tree, folder)).length > 0 ? 5 : 0);
    if (best === null || score > best.score) best = { folder, score };
  }
  return best?.folder ?? null;
}

/** `cmd/<repo>` 10, `cmd/*` 7, the root 6, others 3, helper folders 0. */
function scoreOf(folder: string, repoName: string): number {
  const parts = folder.split('/');
  if (parts.some((part) => helperFolders.has(part))) return 0;
  const at = parts.lastIndexOf('cmd');
  if (at >= 0 && at < parts.length - 1) return parts.at(-1) === repoName ? 10 : 7;
  return folder === '' ? 6 : 3;
}

/** Facts about the Go programs of the module in `moduleDir`; null when the tree has no Go file. */
export async function findGoMain(
  tree: TreeReader,
  moduleDir: string,
  repoName: string,
): Promise<GoMainInfo | null> {
  if (goFiles(tree).length === 0) return null;
  const relative = (folder: string) =>
    folder === moduleDir ? '' : folder.slice(moduleDir === '' ? 0 : moduleDir.length + 1);
  const scored = (await mainFolders(tree, moduleDir))
    .map((folder) => ({ folder: relative(folder), score: scoreOf(relative(folder), repoName) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.folder < b.folder ? -1 : 1));
  // The programs of a project are in cmd/ or at its root; elsewhere they count only when there are no such.
  const chosen = scored.filter(({ score }) => score >= 6 || (scored[0]?.score ?? 0) < 6).slice(0, mainsMax);
  const paths = chosen.map(({ folder }) => inFolder(moduleDir, folder).replace(/\/$/, '') || '.');
  const packages = chosen.map(({ folder }) => (folder === '' ? '.' : `./${folder}`));
  const hasGoMod = tree.find(inFolder(moduleDir, 'go.mod')) !== null;
  return {
    hasMain: chosen.length > 0,
    mainPath: paths[0] ?? '',
    moduleDir,
    // `go build ./...` leaves no binary when there are several programs, `-o bin/` leaves them all.
    buildCommand: packages.length > 0 ? `go build -o bin/ ${packages.join(' ')}` : 'go build ./...',
    needsGoInit: !hasGoMod,
    hasGoMod,
    hasGoFiles: true,
    allMainPaths: paths,
  };
}

/** The path that a go.mod gives its module, or ''. */
export const modulePath = (goMod: string): string => /^module\s+"?([^\s"]+)/m.exec(goMod)?.[1] ?? '';

/** Names of the programs, as the go command names them: the folder, or the module's last part without `/v2`. */
export function goProgramNames(info: GoMainInfo, module: string, repoName: string): string[] {
  const moduleName =
    module
      .replace(/\/v\d+$/, '')
      .split('/')
      .at(-1) || repoName;
  return info.allMainPaths.map((path) =>
    path === '.' || path === info.moduleDir ? moduleName : nameOf(path),
  );
}
