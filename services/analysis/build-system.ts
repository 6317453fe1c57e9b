/**
 * Which build system a tree has. The table is that of upstream facts §3.2 with its faults mended: there a
 * plain makefile and a meson project had 0.3 and so never got a plan without a model.
 */
import type { BuildSystemInfo, BuildSystemType } from '../../events/records.ts';
import { namedSources } from './cmake-targets.ts';
import { depthOf, folderOf, inFolder, isSkipped, nameOf } from './folders.ts';
import { bestGoModule } from './go-modules.ts';
import type { TreeReader } from './tree-reader.ts';

/** In this order where the confidence is equal: cmake before autotools, as in the table. */
const systems: readonly BuildSystemType[] = [
  'cmake',
  'cargo',
  'go',
  'autotools',
  'meson',
  'make',
  'perl',
  'npm',
  'pip',
  'gradle',
  'maven',
  'bazel',
];

/** Nested roots are looked for this deep. Source: upstream facts §3.2. */
const nestedDepthMax = 2;
const nestedConfidence = 0.75;
const nestedModuleConfidence = 0.9;
const gopathConfidence = 0.65;

const makefiles = ['GNUmakefile', 'makefile', 'Makefile']; // in the order in which GNU make looks

/** Systems found, best first; `unknown` with confidence 0 when there is none. */
export async function detectBuildSystems(tree: TreeReader, repoName: string): Promise<BuildSystemInfo[]> {
  const atRoot = await systemsIn(tree, '');
  if (atRoot.length > 0) return atRoot;
  const nested = await nestedSystems(tree, repoName);
  if (nested.length > 0) return nested;
  return [
    {
      type: 'unknown',
      confidence: 0,
      primaryFile: '',
      additionalFiles: [],
      requiresConfiguration: false,
      moduleDir: '',
    },
  ];
}

/** Systems whose files are in one folder, best first, with the confidence that they have at the top of a source. */
async function systemsIn(tree: TreeReader, folder: string): Promise<BuildSystemInfo[]> {
  const has = (name: string) => tree.find(inFolder(folder, name))?.kind === 'file';
  const found = new Map<BuildSystemType, { confidence: number; primary: string }>();
  const add = (type: BuildSystemType, confidence: number, primary: string) =>
    found.set(type, { confidence, primary: inFolder(folder, primary) });

  if (has('CMakeLists.txt')) add('cmake', await cmakeConfidence(tree, folder), 'CMakeLists.txt');
  if (has('Cargo.toml')) add('cargo', 0.95, 'Cargo.toml');
  if (has('go.mod')) add('go', 0.95, 'go.mod');
  if (has('configure.ac')) add('autotools', 0.95, 'configure.ac');
  // Also a script of the project's own: `./configure` and `make` is how it is built, which is what counts.
  else if (has('configure')) add('autotools', 0.85, 'configure');
  else if (has('configure.in'))
    add('autotools', has('Makefile.am') || has('Makefile.in') ? 0.8 : 0.3, 'configure.in');
  if (has('meson.build')) add('meson', 0.9, 'meson.build');
  if (has('Makefile.PL')) add('perl', 0.6, 'Makefile.PL');
  else if (has('Build.PL')) add('perl', 0.6, 'Build.PL');
  const python = ['pyproject.toml', 'setup.py'].filter(has);
  if (python[0]) add('pip', 0.3 * python.length, python[0]);
  if (await isNodeBuild(tree, folder)) add('npm', 0.3, 'package.json');
  for (const [type, names] of lateSystems) {
    const present = names.filter(has);
    if (present[0]) add(type, Math.min(0.9, 0.3 * present.length), present[0]);
  }
  const makefile = makefiles.find(has);
  if (makefile) add('make', await makeConfidence(tree, folder, makefile, found.size > 0), makefile);

  const go = found.get('go');
  const npm = found.get('npm');
  if (go && npm) npm.confidence = Math.min(npm.confidence, go.confidence - 0.1);
  return [...found]
    .map(([type, { confidence, primary }]) => infoOf(tree, folder, type, confidence, primary))
    .sort((a, b) => b.confidence - a.confidence || systems.indexOf(a.type) - systems.indexOf(b.type));
}

/**
 * 0.6, below every other system that compiles, when the release lacks a source that cmake will ask for: Debian
 * takes files out whose licence or origin is not clear, and zlib's cmake does not work without one of them.
 */
async function cmakeConfidence(tree: TreeReader, folder: string): Promise<number> {
  const text = (await tree.read(inFolder(folder, 'CMakeLists.txt'), 256 * 1024)) ?? '';
  return namedSources(text).every((name) => tree.find(inFolder(folder, name)) !== null) ? 0.95 : 0.6;
}

const lateSystems: Array<[BuildSystemType, string[]]> = [
  ['gradle', ['build.gradle', 'build.gradle.kts']],
  ['maven', ['pom.xml']],
  ['bazel', ['WORKSPACE', 'BUILD.bazel', 'BUILD']],
];

/** Source: upstream facts §3.2: a package file alone is no build. */
async function isNodeBuild(tree: TreeReader, folder: string): Promise<boolean> {
  const text = await tree.read(inFolder(folder, 'package.json'), 256 * 1024);
  if (text === null) return false;
  return tree.find(inFolder(folder, 'package-lock.json')) !== null || /"build"\s*:/.test(text);
}

/**
 * 0.8 for a makefile that compiles: below every system that writes one (cmake, autotools, meson, a configure
 * script), well above the 0.5 that a plan needs. 0.5 for one that shows no compiler but is all there is; 0.25
 * beside another system, where it is a developer's shortcut.
 */
async function makeConfidence(
  tree: TreeReader,
  folder: string,
  makefile: string,
  besideOthers: boolean,
): Promise<number> {
  const text = (await tree.read(inFolder(folder, makefile), 256 * 1024)) ?? '';
  const compiles = /\$[({]?(CC|CXX|AR|LD|COMPILE|LINK)\b|\b(gcc|g\+\+|cc|clang)\b|^\.c\.o:|%\.o\s*:/m.test(
    text,
  );
  const goesDown =
    /\$[({]MAKE[)}]/.test(text) && tree.entries.some((entry) => /\.(c|cc|cpp|cxx)$/.test(entry.path));
  const sources = tree.entries.some(
    (entry) => folderOf(entry.path) === folder && /\.(c|cc|cpp|cxx)$/.test(entry.path),
  );
  if (compiles && isWholeBuild(text)) return wholeMakefileConfidence;
  if (compiles || goesDown || (sources && !besideOthers)) return 0.8;
  return besideOthers ? 0.25 : 0.5;
}

/** Above the 0.95 of cmake: see `isWholeBuild`. */
const wholeMakefileConfidence = 0.96;

/**
 * A makefile that itself makes a shared library and installs it is the build that its authors use (hiredis,
 * lz4); what stands beside it is the second way. One that only makes a static library or a test program, or that
 * calls another build system, is not.
 */
function isWholeBuild(text: string): boolean {
  const installs = /^install(-\w+)?\s*:/m.test(text);
  const makesShared = /(^|[\s=])-shared\b|\bdylib\b|\.so\b/im.test(text);
  return installs && makesShared && !/\b(cmake|meson|\.\/configure|autoreconf)\b/.test(text);
}

/** Files beside the main one that decide how the system is driven. */
const companions = [
  'configure',
  'autogen.sh',
  'bootstrap',
  'bootstrap.sh',
  'buildconf',
  'Makefile.am',
  'Makefile.in',
  'Makefile',
  'go.sum',
  'go.work',
  'vendor/modules.txt',
  'Cargo.lock',
  '.cargo/config.toml',
  'meson.options',
  'meson_options.txt',
  'package-lock.json',
  'setup.cfg',
];

function infoOf(
  tree: TreeReader,
  folder: string,
  type: BuildSystemType,
  confidence: number,
  primaryFile: string,
): BuildSystemInfo {
  const additionalFiles = companions
    .map((name) => inFolder(folder, name))
    .filter((path) => path !== primaryFile && tree.find(path)?.kind === 'file');
  const requiresConfiguration = type === 'cmake' || type === 'autotools' || type === 'meson';
  return { type, confidence, primaryFile, additionalFiles, requiresConfiguration, moduleDir: folder };
}

/** Folders that are more likely the one to build than others at the same depth; zip has one for each system. */
const likelyFolders = ['src', 'source', 'unix', 'linux', 'posix', 'code'];

async function nestedSystems(tree: TreeReader, repoName: string): Promise<BuildSystemInfo[]> {
  const goModule = await bestGoModule(tree);
  if (goModule !== null) {
    return [infoOf(tree, goModule, 'go', nestedModuleConfidence, inFolder(goModule, 'go.mod'))];
  }
  const files = tree.entries.filter((entry) => entry.kind === 'file' && !isSkipped(entry.path));
  const cargo = files
    .filter((entry) => nameOf(entry.path) === 'Cargo.toml')
    .sort((a, b) => depthOf(a.path) - depthOf(b.path))[0];
  if (cargo) return [infoOf(tree, folderOf(cargo.path), 'cargo', nestedModuleConfidence, cargo.path)];

  const wanted = new Set<BuildSystemType>(['cmake', 'meson', 'autotools', 'make']);
  const rank = (folder: string) => {
    const at = [repoName, ...likelyFolders].indexOf(nameOf(folder));
    return at < 0 ? likelyFolders.length + 1 : at;
  };
  const markers =
    /(^|\/)(CMakeLists\.txt|meson\.build|configure|configure\.ac|configure\.in|GNUmakefile|[Mm]akefile)$/;
  const folders = [
    ...new Set(files.filter((entry) => markers.test(entry.path)).map((entry) => folderOf(entry.path))),
  ]
    .filter((folder) => depthOf(folder) <= nestedDepthMax)
    .sort((a, b) => depthOf(a) - depthOf(b) || rank(a) - rank(b) || (a < b ? -1 : 1));
  for (const folder of folders) {
    const systemsHere = (await systemsIn(tree, folder)).filter((info) => wanted.has(info.type));
    // A script of the project's own below the top is called by the makefile beside it (zip's unix/configure).
    const own = (info: BuildSystemInfo) => Number(nameOf(info.primaryFile) === 'configure');
    const byUse = systemsHere.toSorted((a, b) => own(a) - own(b));
    if (byUse.length > 0) return byUse.map((info) => ({ ...info, confidence: nestedConfidence }));
  }
  const goFile = files.find((entry) => entry.path.endsWith('.go'));
  return goFile ? [infoOf(tree, '', 'go', gopathConfidence, goFile.path)] : [];
}
