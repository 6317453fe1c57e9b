/**
 * The host's own apt as resolver and downloader for a foreign root, in a folder of its own: what it would
 * install is decided by real apt from a real index and a dpkg status, and nothing of the host is touched.
 */
import { access, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SandboxError } from './driver.ts';
import { hostCommand, hostCommandOk } from './host-command.ts';

export interface AptFolder {
  /** Holds lists/, cache/ and sources.list. */
  path: string;
  /** Debian's name, e.g. `riscv64`. */
  architecture: string;
}

export interface AptPackage {
  name: string;
  version: string;
  architecture: string;
  /** Name of its .deb file in `archivesOf(apt)`. */
  file: string;
  /** Bytes to download. */
  size: number;
}

export type AptPlan =
  | { ok: true; packages: AptPackage[]; text: string }
  | { ok: false; missing: string[]; exitCode: number; text: string };

export const archivesOf = (apt: AptFolder) => join(apt.path, 'cache', 'archives');

/** Comes with the Debian package of the same name, on Ubuntu too. */
const debianKeyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
/** The index is 10 MB, a base 180 MB: 10 minutes are 0.3 MB/s. */
const updateTimeoutMs = 300_000;
const planTimeoutMs = 120_000;
const downloadTimeoutMs = 1_500_000;

/** Makes the folder and fetches the index of `main`, checked by Debian's keyring. */
export async function aptUpdate(
  apt: AptFolder,
  options: { mirror: string; suite: string; signal?: AbortSignal | undefined },
): Promise<void> {
  await access(debianKeyring).catch(() => {
    throw new SandboxError(
      'sandboxUnavailable',
      `${debianKeyring} is missing; get it with: apt-get install debian-archive-keyring`,
    );
  });
  await mkdir(join(apt.path, 'lists', 'partial'), { recursive: true });
  await mkdir(join(archivesOf(apt), 'partial'), { recursive: true });
  await writeFile(
    join(apt.path, 'sources.list'),
    `deb [signed-by=${debianKeyring}] ${options.mirror} ${options.suite} main\n`,
  );
  await writeFile(join(apt.path, 'empty-status'), '');
  await hostCommandOk(['apt-get', ...aptOptions(apt), '-q', 'update'], {
    doing: 'fetching the package index',
    timeoutMs: updateTimeoutMs,
    signal: options.signal,
  });
}

/** The mirror that the folder's index came from. */
export async function mirrorOf(apt: AptFolder): Promise<string> {
  return (await readFile(join(apt.path, 'sources.list'), 'utf8')).split(' ')[2] ?? '';
}

/** When the index was fetched last, ms since 1970; 0 when never. */
export async function indexFetchedAt(apt: AptFolder): Promise<number> {
  const lists = await readdir(join(apt.path, 'lists')).catch(() => []);
  const times = await Promise.all(
    lists
      .filter((name) => /_(In)?Release$/.test(name))
      // the mtime of a list is the server's; the change time says when it was put here
      .map(async (name) => (await stat(join(apt.path, 'lists', name))).ctimeMs),
  );
  return Math.max(0, ...times);
}

/**
 * What `apt-get install NAMES` would add to a system with this dpkg status; nothing is changed.
 * `text` is what apt says. Names must be checked by `isPackageName` before.
 * @param options.statusFile the dpkg status file of the system; without it nothing is installed yet
 */
export async function aptPlan(
  apt: AptFolder,
  names: readonly string[],
  options: { statusFile?: string | undefined; signal?: AbortSignal | undefined },
): Promise<AptPlan> {
  const command = [
    'apt-get',
    ...aptOptions(apt, options.statusFile),
    '-q',
    '-y',
    '--print-uris',
    'install',
    '--',
  ];
  const { exitCode, stdout, stderr } = await hostCommand([...command, ...names], {
    timeoutMs: planTimeoutMs,
    signal: options.signal,
  });
  const lines = stdout.split('\n');
  const text = [...lines.filter((line) => !line.startsWith("'")), ...stderr.split('\n')]
    .filter((line) => line !== '')
    .join('\n');
  if (exitCode !== 0) return { ok: false, missing: missingNames(stderr), exitCode, text };
  return { ok: true, packages: lines.flatMap(packageOfUri), text };
}

/**
 * Downloads the files of a plan into `archivesOf(apt)`, hashes checked by apt. Files there already are kept.
 * @returns apt's text @throws SandboxError `sandboxUnavailable` when a file cannot be had
 */
export async function aptDownload(
  apt: AptFolder,
  packages: readonly AptPackage[],
  options: { signal?: AbortSignal | undefined; timeoutMs?: number },
): Promise<string> {
  // `download` takes exactly these, where `install` would add dependencies of its own choosing
  const exact = packages.map((one) => `${one.name}=${one.version}`);
  return hostCommandOk(['apt-get', ...aptOptions(apt), '-q', 'download', '--', ...exact], {
    doing: `downloading ${packages.length} packages`,
    cwd: archivesOf(apt),
    timeoutMs: options.timeoutMs ?? downloadTimeoutMs,
    signal: options.signal,
  });
}

export async function dropArchives(apt: AptFolder): Promise<void> {
  await rm(archivesOf(apt), { recursive: true, force: true });
  await mkdir(join(archivesOf(apt), 'partial'), { recursive: true });
}

/** A name that apt can take as an argument: with an architecture, a version or a suite, never an option. */
export const isPackageName = (name: string) =>
  /^[a-z0-9][a-z0-9+.-]+(:[a-z0-9-]+)?(=[A-Za-z0-9.+:~-]+|\/[a-z-]+)?$/.test(name);

/** Given on the command line they win over everything in /etc/apt, which is still read for proxies. */
function aptOptions(apt: AptFolder, statusFile?: string): string[] {
  const settings = {
    'APT::Architecture': apt.architecture,
    'APT::Architectures': apt.architecture,
    'APT::Install-Recommends': 'false',
    'APT::Install-Suggests': 'false',
    'APT::Keep-Downloaded-Packages': 'true',
    'APT::Sandbox::User': 'root',
    'Acquire::Languages': 'none',
    'Acquire::Retries': '3',
    'Acquire::http::Timeout': '60',
    'Dir::State': apt.path,
    'Dir::State::lists': join(apt.path, 'lists'),
    'Dir::State::status': statusFile ?? join(apt.path, 'empty-status'),
    'Dir::State::extended_states': join(apt.path, 'extended_states'),
    'Dir::Cache': join(apt.path, 'cache'),
    'Dir::Cache::archives': 'archives',
    'Dir::Cache::pkgcache': 'pkgcache.bin',
    'Dir::Cache::srcpkgcache': 'srcpkgcache.bin',
    'Dir::Etc::sourcelist': join(apt.path, 'sources.list'),
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::Etc::preferences': '/dev/null',
    'Dir::Etc::preferencesparts': '/dev/null',
    'Dir::Log': apt.path,
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
}

/** `'URI' NAME_VERSION_ARCH.deb SIZE HASH`; a colon in a version is written `%3a`. */
function packageOfUri(line: string): AptPackage[] {
  const match = /^'[^']*' (([^_ ]+)_([^_ ]+)_([^_ ]+)\.deb) (\d+)/.exec(line);
  const [, file, name, version, architecture, size] = match ?? [];
  if (!file || !name || !version || !architecture) return [];
  return [{ name, version: version.replaceAll('%3a', ':'), architecture, file, size: Number(size) }];
}

function missingNames(stderr: string): string[] {
  const patterns = [
    /^E: Unable to locate package (\S+)/gm,
    /^E: Package '([^']+)' has no installation candidate/gm,
    /^E: Version '[^']+' for '([^']+)' was not found/gm,
    /^E: Release '[^']+' for '([^']+)' was not found/gm,
  ];
  return [...new Set(patterns.flatMap((pattern) => [...stderr.matchAll(pattern)].map((m) => m[1] ?? '')))];
}
