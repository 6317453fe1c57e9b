/** The packages that a plan's setup phase installs. */
import type { PackageAnalysis } from '../../events/records.ts';
import { debianRiscv64 } from '../../seeds/platforms/debian-riscv64.ts';
import type { PlanFacts } from './facts.ts';

/** Source: seed, heuristic planner: the first 15 names of the map. */
const canonicalsMax = 15;
/** Build dependencies of a Debian source taken over as they are. The largest of 40 sources looked at had 34. */
const debianBuildDependsMax = 60;

/** Names of the scan's detectors → names of the package map, where they differ. */
const aliases: Readonly<Record<string, string>> = {
  pthread: 'gcc',
  threads: 'gcc',
  dl: 'gcc',
  m: 'gcc',
  rt: 'gcc',
  ssl: 'openssl',
  crypto: 'openssl',
  z: 'zlib',
  bz2: 'bzip2',
  lzma: 'xz',
  png: 'libpng',
  jpeg: 'libjpeg',
  tiff: 'libtiff',
  webp: 'libwebp',
  xml2: 'libxml2',
  sqlite3: 'sqlite',
  'pkg-config': 'pkgconfig',
  ninja_build: 'ninja',
  cargo: 'rust',
  rustc: 'rust',
  golang: 'go',
  uuid: 'uuid',
  ncursesw: 'ncurses',
  tinfo: 'ncurses',
  pcap: 'libpcap',
  event: 'libevent',
  uv: 'libuv',
  ev: 'libev',
  sodium: 'libsodium',
  'pcre2-8': 'pcre2',
  'glib-2.0': 'glib',
  'libusb-1.0': 'usb',
  freetype2: 'freetype',
};

/** What a package build of Debian needs and a plain build does not: its own helpers and documentation tools. */
const packagingOnly =
  /^(debhelper|debhelper-compat|dh-.*|dpkg-dev|devscripts|quilt|lintian|po-debconf|config-package-dev|texlive.*|doxygen.*|graphviz|pandoc|ghostscript|gtk-doc-tools|docbook.*|xmlto|sphinx-.*|python3-sphinx.*|publicsuffix|libjs-.*)$/;

/** The canonical name in the package map that a found name means, or null: a name is never guessed. */
export function canonicalName(name: string): string | null {
  const plain = name.trim();
  for (const candidate of [plain, plain.toLowerCase()]) {
    const known = Object.hasOwn(aliases, candidate) ? (aliases[candidate] as string) : candidate;
    if (Object.hasOwn(debianRiscv64.packages, known)) return known;
  }
  return null;
}

/**
 * Packages for the canonical `base` names, the analyst's dependencies and what the scan found, without doubles,
 * in that order; then the build dependencies that a Debian source names itself.
 */
export function setupPackages(
  base: readonly string[],
  facts: PlanFacts,
  analysis: Pick<PackageAnalysis, 'dependencies'> | null,
): string[] {
  const { buildTools, libraries, systemPackages } = facts.dependencies;
  const found = [
    ...base,
    ...(analysis?.dependencies ?? []).map((dependency) => dependency.name),
    ...buildTools,
    ...libraries,
    ...systemPackages,
  ].flatMap((name) => canonicalName(name) ?? []);
  const canonicals = [...new Set(found)].slice(0, canonicalsMax);
  const fromDebian = facts.debianBuildDepends
    .filter((name) => !packagingOnly.test(name))
    .slice(0, debianBuildDependsMax);
  return [...new Set([...canonicals.flatMap((name) => debianRiscv64.packages[name] ?? []), ...fromDebian])];
}

/** The command that a person would type for it. */
export const installCommand = (packages: readonly string[]): string =>
  `${debianRiscv64.update} && ${debianRiscv64.install} ${packages.join(' ')}`;
