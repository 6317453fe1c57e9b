/** Finds the Debian mirror that this host already trusts, so that no host name is written down here. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SandboxError } from './driver.ts';

/** The suite that roots and sources are taken from. Source: design §11, not the host's own suite. */
export const debianSuite = 'trixie';

export interface MirrorOptions {
  /** Taken as it is, without a look at the host's sources. */
  mirror?: string | undefined;
  suite?: string;
  /** The host's apt configuration; another one in tests. */
  aptFolder?: string;
}

/** One asked mirror, ms. */
const askTimeoutMs = 20_000;

/**
 * The address of a Debian archive that serves the suite, without a slash at its end. The host's apt sources
 * are read in both formats and the first that answers for the suite is taken.
 * @throws {SandboxError} `sandboxUnavailable` saying how to name a mirror
 */
export async function findDebianMirror(options: MirrorOptions = {}): Promise<string> {
  const suite = options.suite ?? debianSuite;
  if (options.mirror) return options.mirror.replace(/\/+$/, '');
  const sources = await readAptSources(options.aptFolder ?? '/etc/apt');
  for (const address of candidates(sources, suite)) {
    if (await serves(address, suite)) return address;
  }
  throw new SandboxError(
    'sandboxUnavailable',
    `none of this host's apt sources serves Debian ${suite}: name a mirror that does by ATESOR_MIRROR=http://…/debian`,
  );
}

export interface AptSource {
  address: string;
  suites: string[];
  components: string[];
}

/** Addresses worth asking: those that name the suite first, then those that look like a Debian archive. */
function candidates(sources: AptSource[], suite: string): string[] {
  const main = sources.filter((source) => source.components.includes('main'));
  const exact = main.filter((source) => source.suites.includes(suite));
  const archives = main.filter((source) => /\/debian$/.test(source.address));
  return [...new Set([...exact, ...archives, ...main].map((source) => source.address))].slice(0, 6);
}

/** All entries of the host's apt sources. */
export async function readAptSources(folder: string): Promise<AptSource[]> {
  const text = async (path: string) => readFile(path, 'utf8').catch(() => '');
  const parts = join(folder, 'sources.list.d');
  const names = (await readdir(parts).catch(() => [])).sort();
  const found = parseOneLine(await text(join(folder, 'sources.list')));
  for (const name of names) {
    if (name.endsWith('.list')) found.push(...parseOneLine(await text(join(parts, name))));
    if (name.endsWith('.sources')) found.push(...parseDeb822(await text(join(parts, name))));
  }
  return found;
}

export function parseOneLine(text: string): AptSource[] {
  return text.split('\n').flatMap((line) => {
    const match = /^\s*deb(?:-src)?\s+(?:\[[^\]]*\]\s*)?(\S+)\s+(\S+)\s*(.*)$/.exec(line.replace(/#.*$/, ''));
    if (!match || !isHttp(match[1])) return [];
    return [{ address: trimmed(match[1]), suites: [match[2] ?? ''], components: words(match[3]) }];
  });
}

export function parseDeb822(text: string): AptSource[] {
  const withoutComments = text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n');
  return withoutComments.split(/\n\s*\n/).flatMap((stanza) => {
    const field = (name: string) =>
      new RegExp(`^${name}:[ \\t]*(.*(?:\\n[ \\t]+.*)*)`, 'im').exec(stanza)?.[1] ?? '';
    if (/^no$/i.test(field('Enabled').trim())) return [];
    return words(field('URIs'))
      .filter(isHttp)
      .map((uri) => ({
        address: trimmed(uri),
        suites: words(field('Suites')),
        components: words(field('Components')),
      }));
  });
}

const words = (text: string | undefined): string[] => (text ?? '').split(/\s+/).filter(Boolean);
const isHttp = (uri: string | undefined): boolean => /^https?:\/\//.test(uri ?? '');
const trimmed = (uri: string | undefined): string => (uri ?? '').replace(/\/+$/, '');

/** Asks through apt, which knows the host's proxies and certificates. */
async function serves(address: string, suite: string): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'atesor-mirror-'));
  try {
    const target = join(folder, 'InRelease');
    const url = `${address}/dists/${suite}/InRelease`;
    await promisify(execFile)('/usr/lib/apt/apt-helper', ['download-file', url, target], {
      timeout: askTimeoutMs,
    });
    return /^(Suite|Codename): /m.test(await readFile(target, 'utf8'));
  } catch {
    return false;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
