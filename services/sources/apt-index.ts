/** The index of Debian source packages, kept by apt in a configuration of our own. */
import { mkdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { debianSuite, findDebianMirror } from '../../sandbox/mirror.ts';
import { EffectError } from '../effects/handler.ts';
import { hostEnv } from './git-host.ts';
import { type HostResult, isDiskFull, runOnHost } from './host-command.ts';
import { readStanzas, type SourceStanza } from './source-stanza.ts';

export interface AptIndex {
  folder: string;
  mirror: string;
  /** For `APT_CONFIG`. */
  config: string;
  /** Said to a person when the index is older than it should be. */
  notes: string[];
}

export interface IndexOptions {
  home: string;
  signal?: AbortSignal | undefined;
  onProgress?: ((text: string) => void) | undefined;
  /** An index older than this is fetched again, ms. */
  maxAgeMs?: number;
  mirror?: string | undefined;
  timeoutMs?: number;
}

/** Point releases come every two months, security updates any day: one day is what apt's own timer takes. */
const indexAgeMs = 24 * 3_600_000;
/** 10.5 MB for trixie's main; 2 s measured on a fast line. */
const updateTimeoutMs = 300_000;
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';

/**
 * The index, fetched again when it is older than a day; apt checks the archive's signature. Without a network
 * an old one is used and a note says so.
 * @throws {EffectError} `sourceUnreachable` when there is none at all, `sandboxUnavailable` without apt or mirror
 */
export async function openIndex(options: IndexOptions): Promise<AptIndex> {
  const folder = join(options.home, 'cache', 'apt-src');
  const stamp = join(folder, 'updated');
  const age = await ageOf(stamp);
  const recorded = await recordedMirror(folder);
  if (
    age < (options.maxAgeMs ?? indexAgeMs) &&
    recorded !== null &&
    (options.mirror ?? recorded) === recorded
  ) {
    return { folder, mirror: recorded, config: join(folder, 'apt.conf'), notes: [] };
  }
  try {
    options.onProgress?.(`fetching the index of Debian ${debianSuite} sources`);
    const mirror = await findDebianMirror({ mirror: options.mirror ?? process.env.ATESOR_MIRROR });
    await update(folder, mirror, options);
    return { folder, mirror, config: join(folder, 'apt.conf'), notes: [] };
  } catch (fault) {
    if (fault instanceof EffectError && (fault.code === 'cancelled' || fault.code === 'diskFull'))
      throw fault;
    if (recorded === null || age === Number.POSITIVE_INFINITY) throw asEffectError(fault);
    const days = Math.floor(age / 86_400_000);
    const notes = [`the index of Debian sources is ${days} days old: it could not be fetched again`];
    return { folder, mirror: recorded, config: join(folder, 'apt.conf'), notes };
  }
}

function asEffectError(fault: unknown): EffectError {
  if (fault instanceof EffectError) return fault;
  const message = fault instanceof Error ? fault.message : String(fault);
  return new EffectError('sourceUnreachable', message, { retryable: true, cause: fault });
}

async function ageOf(stamp: string): Promise<number> {
  const found = await stat(stamp).catch(() => null);
  return found === null ? Number.POSITIVE_INFINITY : Math.max(0, Date.now() - found.mtimeMs);
}

async function recordedMirror(folder: string): Promise<string | null> {
  const list = await readFile(join(folder, 'sources.list'), 'utf8').catch(() => '');
  return / (https?:\/\/\S+) /.exec(list)?.[1] ?? null;
}

async function update(folder: string, mirror: string, options: IndexOptions): Promise<void> {
  for (const part of ['state/lists/partial', 'cache/archives/partial', 'files']) {
    await mkdir(join(folder, part), { recursive: true });
  }
  const signed = (await stat(keyring).catch(() => null)) !== null;
  if (!signed) {
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
  const argv = [
    'flock',
    join(folder, 'lock'),
    'apt-get',
    'update',
    '-q',
    '-o',
    'APT::Update::Error-Mode=any',
  ];
  const result = await runApt(
    argv as [string, ...string[]],
    folder,
    options,
    options.timeoutMs ?? updateTimeoutMs,
  );
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
  const now = new Date();
  await utimes(join(folder, 'updated'), now, now);
}

/** Our own apt state; of the host's configuration only how to reach the network. */
async function configuration(folder: string): Promise<string> {
  const host = await runOnHost({ argv: ['apt-config', 'dump'], env: hostEnv(), timeoutMs: 20_000 });
  const network = host.stdout
    .split('\n')
    .filter((line) => /^Acquire::(https?|Retries|Check-|ForceIPv)[A-Za-z0-9:_.-]* "[^"]+";$/.test(line));
  return [
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
  folder: string,
  options: { signal?: AbortSignal | undefined },
  timeoutMs: number,
): Promise<HostResult> {
  const env = hostEnv({ APT_CONFIG: join(folder, 'apt.conf') });
  return runOnHost({ argv, env, timeoutMs, signal: options.signal });
}

/** What apt complained of, without its progress. */
export function errorLines(text: string): string {
  const lines = text.split('\n').filter((line) => /^[EW]: /.test(line));
  return lines.slice(0, 3).join(' ').slice(0, 500) || 'apt said nothing';
}

/** All versions of a source package in the index, in its order. */
export async function lookUp(index: AptIndex, name: string, signal?: AbortSignal): Promise<SourceStanza[]> {
  const argv = ['apt-cache', 'showsrc', '--only-source', name] as [string, ...string[]];
  const result = await runApt(argv, index.folder, { signal }, 60_000);
  return readStanzas(result.stdout).filter((stanza) => stanza.name === name);
}

/** The source package that a binary package is built from, or null. */
export async function sourceOfBinary(
  index: AptIndex,
  name: string,
  signal?: AbortSignal,
): Promise<string | null> {
  const result = await runApt(['apt-cache', 'showsrc', name], index.folder, { signal }, 60_000);
  return readStanzas(result.stdout)[0]?.name ?? null;
}
