/** What the build is expected to leave, read from the build files: names a person would look for. */
import type { BuildSystemInfo, GoMainInfo } from '../../events/records.ts';
import { cargoPackage } from './cargo-manifest.ts';
import { cmakeTargets } from './cmake-targets.ts';
import { folderOf, inFolder, isSkipped, nameOf } from './folders.ts';
import { goProgramNames, modulePath } from './go-modules.ts';
import {
  automakeTargets,
  makefileTargets,
  mesonProjectName,
  mesonTargets,
  subFolders,
} from './make-targets.ts';
import type { TreeReader } from './tree-reader.ts';

/** Source: upstream facts §10.1. */
const artifactsMax = 10;
const filesMax = 60;
const fileBytesMax = 256 * 1024;
/** Built on the way, and not what the package is for. */
const beside = /test|example|bench|fuzz|sample|demo/i;

/**
 * Base names without endings: `libz` stands for `libz.a` and `libz.so.1`, `hello` for the program. Empty when
 * the files do not tell: nothing is guessed.
 */
export async function expectedArtifacts(
  tree: TreeReader,
  system: BuildSystemInfo,
  goMain: GoMainInfo | null,
  repoName: string,
): Promise<string[]> {
  const names = await namesOf(tree, system, goMain, repoName);
  const own = names.filter((name) => /^[\w.+-]+$/.test(name) && !beside.test(name));
  return [...new Set(own)].slice(0, artifactsMax);
}

async function namesOf(
  tree: TreeReader,
  system: BuildSystemInfo,
  goMain: GoMainInfo | null,
  repoName: string,
): Promise<string[]> {
  const dir = system.moduleDir;
  const read = async (path: string) => (await tree.read(path, fileBytesMax)) ?? '';
  switch (system.type) {
    case 'cmake': {
      const { installed, always, sometimes } = cmakeTargets(await readAll(tree, dir, 'CMakeLists.txt'));
      return [installed, always, sometimes].find((names) => names.length > 0) ?? [];
    }
    case 'autotools': {
      const found = (await readAll(tree, dir, 'Makefile.am')).flatMap(automakeTargets);
      return found.length > 0 ? found : makefileTargets(await read(inFolder(dir, 'Makefile.in')));
    }
    case 'meson': {
      const texts = await readAll(tree, dir, 'meson.build');
      const project = mesonProjectName(texts[0] ?? '');
      return texts.flatMap((text) => mesonTargets(text, project));
    }
    case 'make':
      return await makeNames(tree, dir, await read(system.primaryFile), read);
    case 'go': {
      if (!goMain?.hasMain) return [];
      return goProgramNames(goMain, modulePath(await read(inFolder(goMain.moduleDir, 'go.mod'))), repoName);
    }
    case 'cargo':
      return await cargoNames(tree, dir, read);
    default:
      return [];
  }
}

/** Texts of all files of that name below a folder, the top one first, without tests and examples. */
async function readAll(tree: TreeReader, dir: string, name: string): Promise<string[]> {
  const paths = tree.entries
    .filter(({ path, kind }) => kind === 'file' && nameOf(path) === name && !isSkipped(path))
    .map(({ path }) => path)
    .filter((path) => dir === '' || path.startsWith(`${dir}/`))
    .sort((a, b) => folderOf(a).length - folderOf(b).length || (a < b ? -1 : 1));
  const texts: string[] = [];
  for (const path of paths.slice(0, filesMax)) texts.push((await tree.read(path, fileBytesMax)) ?? '');
  return texts;
}

/** Folders of makefiles below the top one that are looked into. */
const subFoldersMax = 6;

/** A makefile that only calls others, as lz4's, is answered for by those. */
async function makeNames(
  tree: TreeReader,
  dir: string,
  text: string,
  read: (path: string) => Promise<string>,
): Promise<string[]> {
  const own = makefileTargets(text);
  if (own.length > 0) return own;
  const names: string[] = [];
  for (const folder of subFolders(text)
    .filter((name) => !isSkipped(name))
    .slice(0, subFoldersMax)) {
    const makefile = ['GNUmakefile', 'makefile', 'Makefile']
      .map((name) => inFolder(inFolder(dir, folder), name))
      .find((path) => tree.find(path) !== null);
    if (makefile) names.push(...makefileTargets(await read(makefile)));
  }
  return names;
}

async function cargoNames(
  tree: TreeReader,
  dir: string,
  read: (path: string) => Promise<string>,
): Promise<string[]> {
  const top = cargoPackage(await read(inFolder(dir, 'Cargo.toml')));
  const manifests = tree.entries
    .filter(({ path, kind }) => kind === 'file' && nameOf(path) === 'Cargo.toml' && !isSkipped(path))
    .map(({ path }) => folderOf(path))
    .filter(
      (folder) => folder !== dir && top.members.some((member) => isMember(folder, inFolder(dir, member))),
    );
  const names: string[] = [];
  for (const folder of [dir, ...manifests].slice(0, filesMax)) {
    const { name, binaries, cLibrary } = cargoPackage(await read(inFolder(folder, 'Cargo.toml')));
    const hasMain = tree.find(inFolder(folder, 'src/main.rs')) !== null;
    // A [[bin]] may give the main program another name.
    const extra = tree.entries.flatMap(({ path }) =>
      folderOf(path) === inFolder(folder, 'src/bin') && path.endsWith('.rs') ? nameOf(path).slice(0, -3) : [],
    );
    names.push(...binaries, ...extra);
    if (hasMain && binaries.length === 0) names.push(name);
    if (cLibrary) names.push(cLibrary);
  }
  return names;
}

/** `crates/*` is the only pattern that workspaces use in practice. */
function isMember(folder: string, member: string): boolean {
  const plain = member.replace(/^\.\//, '').replace(/\/$/, '');
  return plain.endsWith('/*') ? folderOf(folder) === plain.slice(0, -2) : folder === plain;
}
