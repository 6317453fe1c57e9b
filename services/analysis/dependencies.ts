/** Libraries and tools that the build files name. Source: upstream facts §3.3, beyond it autotools and meson. */
import type { BuildSystemInfo, BuildSystemType, DependencyInfo } from '../../events/records.ts';
import { cargoDependencies } from './cargo-manifest.ts';
import { folderOf, isSkipped, nameOf } from './folders.ts';
import type { TreeReader } from './tree-reader.ts';

/** Build files of one kind that are read; a large cmake project has hundreds. */
const filesMax = 40;
const fileBytesMax = 256 * 1024;
/** Source: the planner takes the first 15 names of its map; more is noise. */
const librariesMax = 40;

const buildTools: Partial<Record<BuildSystemType, string[]>> = {
  cmake: ['cmake', 'make', 'gcc', 'g++'],
  make: ['make', 'gcc'],
  autotools: ['autoconf', 'automake', 'libtool', 'make', 'gcc'],
  meson: ['meson', 'ninja', 'gcc'],
  go: ['go'],
  cargo: ['cargo'],
  npm: ['npm'],
  pip: ['python3'],
  perl: ['perl', 'make', 'gcc'],
};

/** Collects names in their order; a name may carry a version that it must have. */
interface Found {
  libraries: Set<string>;
  versions: Record<string, string>;
}

export async function readDependencies(
  tree: TreeReader,
  system: BuildSystemInfo,
  repoName: string,
): Promise<DependencyInfo> {
  const found: Found = { libraries: new Set(), versions: {} };
  for (const { file, collect } of collectorsOf(system.type)) {
    for (const path of buildFiles(tree, system.moduleDir, file)) {
      collect((await tree.read(path, fileBytesMax)) ?? '', found);
    }
  }
  found.libraries.delete(repoName); // its own library, which its programs link with
  return {
    systemPackages: [],
    libraries: [...found.libraries].slice(0, librariesMax),
    buildTools: buildTools[system.type] ?? [],
    riscVAvailable: {},
    installMethod: 'apt',
    versionConstraints: found.versions,
  };
}

function buildFiles(tree: TreeReader, moduleDir: string, pattern: RegExp): string[] {
  return tree.entries
    .filter(({ path, kind }) => kind === 'file' && pattern.test(nameOf(path)) && !isSkipped(path))
    .filter(({ path }) => moduleDir === '' || path.startsWith(`${moduleDir}/`))
    .sort((a, b) => folderOf(a.path).length - folderOf(b.path).length)
    .slice(0, filesMax)
    .map(({ path }) => path);
}

type Collect = (text: string, found: Found) => void;

function collectorsOf(type: BuildSystemType): Array<{ file: RegExp; collect: Collect }> {
  switch (type) {
    case 'cmake':
      return [{ file: /^CMakeLists\.txt$|\.cmake$/, collect: fromCmake }];
    case 'autotools':
      return [{ file: /^configure\.(ac|in)$/, collect: fromAutoconf }];
    case 'meson':
      return [{ file: /^meson\.build$/, collect: fromMeson }];
    case 'make':
      return [{ file: /^(GNUm|[Mm])akefile$|\.mk$/, collect: fromMake }];
    case 'go':
      return [{ file: /^go\.mod$/, collect: fromGoMod }];
    case 'cargo':
      return [{ file: /^Cargo\.toml$/, collect: (text, found) => addAll(found, cargoDependencies(text)) }];
    case 'pip':
      return [{ file: /^requirements\.txt$/, collect: fromRequirements }];
    case 'npm':
      return [{ file: /^package\.json$/, collect: fromPackageJson }];
    default:
      return [];
  }
}

const addAll = (found: Found, names: Iterable<string>) => {
  for (const name of names) if (/^[\w@./+-]+$/.test(name)) found.libraries.add(name);
};

/** Modules of a pkg-config list: `glib-2.0 >= 2.5 zlib`. */
function addModules(list: string, found: Found): void {
  const words = list
    .replace(/[[\]"',]/g, ' ')
    .split(/\s+/)
    .filter(Boolean);
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? '';
    const operator = words[i + 1];
    const glued = /^([\w.+-]+?)([<>=]{1,2})([\w.]+)$/.exec(word);
    if (glued?.[1]) {
      found.libraries.add(glued[1]);
      found.versions[glued[1]] = `${glued[2]} ${glued[3]}`;
    } else if (/^[a-zA-Z][\w.+-]*$/.test(word)) {
      found.libraries.add(word);
      if (operator && /^[<>=]{1,2}$/.test(operator)) {
        found.versions[word] = `${operator} ${words[i + 2] ?? ''}`.trim();
        i += 2;
      }
    }
  }
}

/** Finders whose name is not the library's in lower case. Source: upstream facts §3.3, mended for glibc. */
const cmakeNames: Readonly<Record<string, string>> = {
  PNG: 'libpng',
  JPEG: 'libjpeg',
  Qt5: 'qt5',
  LibLZMA: 'xz',
  BZip2: 'bzip2',
  CURL: 'curl',
};
const cmakeOwn = new Set(['Threads', 'PkgConfig', 'Git', 'Doxygen', 'Python', 'Python3', 'PythonInterp']);

function fromCmake(text: string, found: Found): void {
  const plain = text.replace(/#[^\n]*/g, '');
  for (const [, name = ''] of plain.matchAll(/\bfind_package\s*\(\s*([\w-]+)/gi)) {
    if (!cmakeOwn.has(name)) addAll(found, [cmakeNames[name] ?? name.toLowerCase()]);
  }
  for (const [, list = ''] of plain.matchAll(/\bpkg_(?:check|search)_modules?\s*\(\s*\w+\s+([^)]*)\)/gi)) {
    const words = list.replace(
      /\b(REQUIRED|QUIET|IMPORTED_TARGET|GLOBAL|NO_CMAKE_PATH|NO_CMAKE_ENVIRONMENT_PATH)\b/g,
      ' ',
    );
    addModules(words.replace(/\$\{[^}]*\}/g, ' '), found);
  }
}

function fromAutoconf(text: string, found: Found): void {
  const plain = text.replace(/(^|\s)(dnl\b|#)[^\n]*/g, '');
  for (const [, list = ''] of plain.matchAll(
    /\bPKG_CHECK_MODULES(?:_STATIC)?\s*\(\s*\[?\w+\]?\s*,\s*\[?([^\],)]+)/g,
  )) {
    addModules(list, found);
  }
  for (const [, name = ''] of plain.matchAll(/\bAC_CHECK_LIB\s*\(\s*\[?([\w+-]+)/g)) addAll(found, [name]);
  if (/\bAM_GNU_GETTEXT\b/.test(plain)) addAll(found, ['gettext']);
}

function fromMeson(text: string, found: Found): void {
  const plain = text.replace(/#[^\n]*/g, '');
  for (const [, name = '', rest = ''] of plain.matchAll(/\bdependency\s*\(\s*'([^']+)'([^)]*)/g)) {
    if (name === 'threads' || name === '') continue;
    addAll(found, [name]);
    const version = /version\s*:\s*'([^']+)'/.exec(rest)?.[1];
    if (version) found.versions[name] = version;
  }
  for (const [, name = ''] of plain.matchAll(/\bfind_library\s*\(\s*'([^']+)'/g)) addAll(found, [name]);
}

/** Part of glibc itself, or of the compiler. */
const inLibc = new Set(['pthread', 'dl', 'm', 'rt', 'c', 'util', 'gcc', 'gcc_s', 'stdc++', 'atomic']);
const makeNames: Readonly<Record<string, string>> = { ssl: 'openssl', crypto: 'openssl', z: 'zlib' };

function fromMake(text: string, found: Found): void {
  const plain = text.replace(/(^|\s)#[^\n]*/g, '');
  for (const [, name = ''] of plain.matchAll(/(?:^|[\s=])-l([A-Za-z][\w+.-]*)/g)) {
    if (!inLibc.has(name)) addAll(found, [makeNames[name] ?? name]);
  }
  for (const [, list = ''] of plain.matchAll(/\bpkg-config\s+((?:--[\w-]+(?:=\S+)?\s+)+[^)`\n]*)/g)) {
    addModules(list.replace(/--[\w-]+(=\S+)?/g, ' ').replace(/\$[({][^)}]*[)}]/g, ' '), found);
  }
}

function fromGoMod(text: string, found: Found): void {
  const add = (line: string) => {
    const match = /^\s*([\w.~/-]+\.[\w.~/-]+)\s+(v\S+)/.exec(line);
    if (!match?.[1]) return;
    found.libraries.add(match[1]);
    found.versions[match[1]] = match[2] ?? '';
  };
  for (const [, block = ''] of text.matchAll(/^require\s*\(([^)]*)\)/gm)) block.split('\n').forEach(add);
  for (const [, line = ''] of text.matchAll(/^require\s+([^(\n]+)$/gm)) add(line);
}

function fromRequirements(text: string, found: Found): void {
  addAll(
    found,
    text.split('\n').flatMap((line) => /^\s*([A-Za-z][\w.-]*)/.exec(line)?.[1] ?? []),
  );
}

function fromPackageJson(text: string, found: Found): void {
  try {
    const json = JSON.parse(text) as Record<string, Record<string, string> | undefined>;
    addAll(found, Object.keys({ ...json.dependencies, ...json.devDependencies }));
  } catch {
    // No JSON: its author's build will say so.
  }
}
