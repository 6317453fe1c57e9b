/** The index of Debian source packages, kept by apt in a configuration of our own. */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findMirror } from '../../sandbox/mirror.ts';
import { EffectError } from '../effects/handler.ts';
import { hostEnv } from './git-host.ts';
import { type HostResult, isDiskFull, runOnHost } from './host-command.ts';
import { readStanzas, type SourceStanza } from './source-stanza.ts';

/** The suite of the target, not of the host. Source: design §11. */
export const debianSuite = 'trixie';

export interface AptIndex {
  /** apt's state for this mirror. */
  folder: string;
  /** Downloaded files by sha256, of all mirrors. */
  files: string;
  mirror: string;
  /** Said to a person when the index is older than it should be. */
  notes: string[];
}

export interface IndexOptions {
  home: string;
  signal?: AbortSignal | undefined;
  onProgress?: ((text: string) => void) | undefined;
  /** An index older than this is fetched again, ms. */
  maxAgeMs?: number;
  /** Taken as it is; otherwise the host's apt sources are asked. */
  mirror?: string | undefined;
  timeoutMs?: number;
}

/** Point releases come every two months, security updates any day: one day is what apt's own timer takes. */
const indexAgeMs = 24 * 3_600_000;
/** 10.5 MB for trixie's main; 2 s measured on a fast line. */
const updateTimeoutMs = 300_000;
/** Reading the index, ms: 57 MB of text; 0.05 s once apt has its cache, 1 s before. */
const lookUpTimeoutMs = 60_000;
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';

/**
 * The index, fetched again when it is older than a day; apt checks the archive's signature. Without a network
 * an old one is used and a note says so. Each mirror has a folder of its own, because apt drops the lists of a
 * mirror that it is no longer told of, also when the new one cannot be reached.
 * @throws {EffectError} `sourceUnreachable` when there is none at all, `sandboxUnavailable` without apt or mirror
 */
export async function openIndex(options: IndexOptions): Promise<AptIndex> {
  const base = join(options.home, 'cache', 'apt-src');
  const lastMirror = (await readFile(join(base, 'mirror'), 'utf8').catch(() => '')).trim();
  const last = indexOf(base, lastMirror);
  const age = await ageOf(last);
  const fits = lastMirror !== '' && (options.mirror ?? lastMirror) === lastMirror;
  if (fits && age < (options.maxAgeMs ?? indexAgeMs)) return last;
  try {
    options.onProgress?.(`fetching the index of Debian ${debianSuite} sources`);
    const index = indexOf(base, options.mirror ?? (await mirrorOfHost(options.signal)));
    await update(index, options);
    await writeFile(join(base, 'mirror'), index.mirror);
    return index;
  } catch (fault) {
    if (fault instanceof EffectError && (fault.code === 'cancelled' || fault.code === 'diskFull'))
      throw fault;
    if (age === Number.POSITIVE_INFINITY) throw asEffectError(fault);
    const days = Math.floor(age / 86_400_000);
    return {
      ...last,
      notes: [`the index of Debian sources is ${days} days old: it could not be fetched again`],
    };
  }
}

function indexOf(base: string, mirror: string): AptIndex {
  const folder = join(base, createHash('sha256').update(mirror).digest('hex').slice(0, 12));
  return { folder, files: join(base, 'files'), mirror, notes: [] };
}

function mirrorOfHost(signal?: AbortSignal): Promise<string> {
  return findMirror({
    suite: debianSuite,
    architecture: 'riscv64',
    configured: process.env.ATESOR_MIRROR,
    signal,
  });
}

function asEffectError(fault: unknown): EffectError {
  if (fault instanceof EffectError) return fault;
  const message = fault instanceof Error ? fault.message : String(fault);
  return new EffectError('sourceUnreachable', message, { retryable: true, cause: fault });
}

/** Time since apt has fetched it, ms; infinite when it never has. */
async function ageOf(index: AptIndex): Promise<number> {
  const found = await stat(join(index.folder, 'updated')).catch(() => null);
  return found === null ? Number.POSITIVE_INFINITY : Math.max(0, Date.now() - found.mtimeMs);
}

async function update(index: AptIndex, options: IndexOptions): Promise<void> {
  const { folder, mirror } = index;
  for (const part of ['state/lists/partial', 'cache/archives/partial']) {
    await mkdir(join(folder, part), { recursive: true });
  }
  await mkdir(index.files, { recursive: true });
  if ((await stat(keyring).catch(() => null)) === null) {
    throw new EffectError(
      'sandboxUnavailable',
      `${keyring} is missing, so Debian sources cannot be checked: apt-get install debian-archive-keyring`,
    );
  }
  await writeFile(
    join(folder, 'sources.list'),
    `deb-src [signed-by=${keyring}] ${mirror} ${debianSuite} main\n`,
  );
  await writeFile(join(folder, 'apt.conf'), await configuration(folder));
  // One update at a time in one data folder; the kernel gives the lock back when its holder dies.
  const aptUpdate = [
    'flock',
    join(folder, 'lock'),
    'apt-get',
    'update',
    '-q',
    '-o',
    'APT::Update::Error-Mode=any',
  ];
  const timeoutMs = options.timeoutMs ?? updateTimeoutMs;
  const result = await runApt(aptUpdate as [string, ...string[]], index, options.signal, timeoutMs);
  if (result.exitCode !== 0) {
    const said = errorLines(result.stderr);
    if (isDiskFull(result.stderr)) throw new EffectError('diskFull', `no space left for the index: ${said}`);
    throw new EffectError(
      'sourceUnreachable',
      `the index of Debian ${debianSuite} sources cannot be fetched from ${mirror}: ${said}`,
      { retryable: true },
    );
  }
  await rm(join(folder, 'missing.json'), { force: true }); // files that were missing may be there now
  await writeFile(join(folder, 'updated'), '');
}

/** Our own apt state; of the host's configuration only how to reach the network. */
async function configuration(folder: string): Promise<string> {
  const host = await runOnHost({ argv: ['apt-config', 'dump'], env: hostEnv(), timeoutMs: 20_000 });
  const network = host.stdout
    .split('\n')
    .filter((line) => /^Acquire::(https?|Retries|Check-|ForceIPv)[A-Za-z0-9:_.-]* "[^"]+";$/.test(line));
  return [
    'Acquire::Retries "1";', // before the host's own setting, which comes next and wins
    ...network,
    `Dir::State "${folder}/state";`,
    `Dir::Cache "${folder}/cache";`,
    `Dir::Etc::sourcelist "${folder}/sources.list";`,
    'Dir::Etc::sourceparts "/dev/null";',
    'Dir::Etc::preferencesparts "/dev/null";',
    'Dir::Etc::parts "/dev/null";',
    'Dir::Etc::main "/dev/null";',
    'Acquire::Languages "none";',
    `APT::Sandbox::User "${process.getuid?.() === 0 ? 'root' : ''}";`,
    '',
  ].join('\n');
}

/** Runs a program of apt with our configuration. */
export function runApt(
  argv: [string, ...string[]],
  index: AptIndex,
  signal: AbortSignal | undefined,
  timeoutMs: number,
): Promise<HostResult> {
  const env = hostEnv({ APT_CONFIG: join(index.folder, 'apt.conf') });
  return runOnHost({ argv, env, timeoutMs, signal });
}

/** What apt complained of, without its progress. */
export function errorLines(text: string): string {
  const lines = text.split('\n').filter((line) => /^[EW]: /.test(line));
  return lines.slice(0, 3).join(' ').slice(0, 500) || 'apt said nothing';
}

/** All versions of a source package in the index, in its order. */
export async function lookUp(index: AptIndex, name: string, signal?: AbortSignal): Promise<SourceStanza[]> {
  const argv = ['apt-cache', 'showsrc', '--only-source', name] as [string, ...string[]];
  const result = await runApt(argv, index, signal, lookUpTimeoutMs);
  return readStanzas(result.stdout).filter((stanza) => stanza.name === name);
}

/** The source package that a binary package is built from, or null. */
export async function sourceOfBinary(
  index: AptIndex,
  name: string,
  signal?: AbortSignal,
): Promise<string | null> {
  const result = await runApt(['apt-cache', 'showsrc', name], index, signal, lookUpTimeoutMs);
  return readStanzas(result.stdout)[0]?.name ?? null;
}
