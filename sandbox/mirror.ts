/** Which Debian mirror serves the target suite: read from the host's own apt sources, so none is named here. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SandboxError } from './driver.ts';
import { hostCommand } from './host-command.ts';

export interface AptSource {
  uri: string;
  suites: string[];
  components: string[];
}

/** apt's own downloader: it knows the host's proxy, certificates and credentials. */
const aptHelper = '/usr/lib/apt/apt-helper';
/** A Release file is 140 KB; an unreachable mirror must not hold up a first start, ms. */
const checkTimeoutMs = 30_000;

/**
 * The first mirror that serves `main` of `suite` for `architecture`: those of the host's apt sources, then
 * `configured`. @throws SandboxError `sandboxUnavailable` that says what was tried and how to name one
 */
export async function findMirror(options: {
  suite: string;
  architecture: string;
  configured?: string | undefined;
  signal?: AbortSignal | undefined;
}): Promise<string> {
  const fromHost = (await hostAptSources()).filter((source) => source.components.includes('main'));
  const candidates = [...new Set([...fromHost.map((source) => source.uri), options.configured ?? ''])].filter(
    (uri) => /^https?:\/\//.test(uri),
  );
  const tried: string[] = [];
  for (const uri of candidates) {
    const problem = await whyNot(uri, options);
    if (problem === null) return uri;
    tried.push(`${uri}: ${problem}`);
  }
  throw new SandboxError(
    'sandboxUnavailable',
    `no Debian mirror serves ${options.suite} for ${options.architecture}` +
      (tried.length > 0 ? ` (${tried.join('; ')})` : ' (the apt sources of this host name none)') +
      '. Name one: set ATESOR_MIRROR to the address of a Debian mirror, the folder that holds dists/ and pool/.',
  );
}

/** Every `deb` source that is switched on in /etc/apt. */
export async function hostAptSources(etcApt = '/etc/apt'): Promise<AptSource[]> {
  const parts = await readdir(join(etcApt, 'sources.list.d')).catch(() => []);
  const files = ['sources.list', ...parts.sort().map((name) => join('sources.list.d', name))];
  const found: AptSource[] = [];
  for (const file of files) {
    const text = await readFile(join(etcApt, file), 'utf8').catch(() => '');
    if (file.endsWith('.list')) found.push(...parseOneLineSources(text));
    else if (file.endsWith('.sources')) found.push(...parseDeb822Sources(text));
  }
  return found;
}

/** `deb [options] URI SUITE COMPONENT…`, one a line. */
export function parseOneLineSources(text: string): AptSource[] {
  const found: AptSource[] = [];
  for (const line of text.split('\n')) {
    const match = /^\s*deb\s+(?:\[[^\]]*\]\s+)?(\S+)\s+(\S+)\s*([^#]*)/.exec(line);
    if (match?.[1] && match[2])
      found.push({ uri: withoutSlash(match[1]), suites: [match[2]], components: words(match[3]) });
  }
  return found;
}

/** Paragraphs of `Types:`, `URIs:`, `Suites:`, `Components:`; `Enabled: no` leaves one out. */
export function parseDeb822Sources(text: string): AptSource[] {
  const found: AptSource[] = [];
  const withoutComments = text.replace(/^#.*\n?/gm, '');
  for (const paragraph of withoutComments.split(/\n[ \t]*\n/)) {
    const fields = new Map<string, string>();
    let name = '';
    for (const line of paragraph.split('\n')) {
      const start = /^([A-Za-z-]+):(.*)$/.exec(line);
      if (start?.[1]) name = start[1].toLowerCase();
      if (name) fields.set(name, `${fields.get(name) ?? ''} ${start ? start[2] : line}`);
    }
    if (!words(fields.get('types')).includes('deb')) continue;
    if (/^\s*(no|false|0|off|without|disable)\s*$/i.test(fields.get('enabled') ?? '')) continue;
    const suites = words(fields.get('suites'));
    const components = words(fields.get('components'));
    for (const uri of words(fields.get('uris'))) found.push({ uri: withoutSlash(uri), suites, components });
  }
  return found;
}

async function whyNot(
  uri: string,
  options: { suite: string; architecture: string; signal?: AbortSignal | undefined },
): Promise<string | null> {
  const folder = await mkdtemp(join(tmpdir(), 'atesor-mirror-'));
  try {
    const target = join(folder, 'Release');
    const { exitCode, stderr } = await hostCommand(
      [aptHelper, 'download-file', `${uri}/dists/${options.suite}/Release`, target],
      { timeoutMs: checkTimeoutMs, signal: options.signal },
    );
    if (exitCode !== 0) return firstError(stderr);
    const release = await readFile(target, 'utf8');
    const field = (name: string) => words(new RegExp(`^${name}:(.*)$`, 'm').exec(release)?.[1]);
    if (!field('Codename').includes(options.suite)) return `its Release file is not of ${options.suite}`;
    if (!field('Components').includes('main')) return 'it has no component main';
    if (!field('Architectures').includes(options.architecture)) return `it has no ${options.architecture}`;
    return null;
  } catch (error) {
    if (error instanceof SandboxError && error.code === 'timedOut') return 'it did not answer in time';
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const firstError = (stderr: string) =>
  /^E: (.*)$/m.exec(stderr)?.[1] ?? stderr.trim().split('\n')[0] ?? 'no answer';
const words = (text: string | undefined) => (text ?? '').split(/\s+/).filter((word) => word !== '');
const withoutSlash = (uri: string) => uri.replace(/\/+$/, '');
