/** What a user may name as the source of a port, read from its text alone: no file and no network is asked. */

export type SourceName =
  | { kind: 'git'; url: string }
  | { kind: 'deb' | 'orig'; name: string; version: string | null }
  | { kind: 'folder'; path: string };

/** Why a text names no source: a message for a person that says what is accepted instead. */
export interface SourceRefusal {
  refused: string;
}

/** Source: upstream facts §1.2. */
const urlCharacters = /^https?:\/\/[A-Za-z0-9._~:/?#@!+,=%-]+$/;
/** Source: Debian policy §5.6.1 (names) and §5.6.12 (versions). */
const packageName = /^[a-z0-9][a-z0-9+.-]+$/;
const packageVersion = /^[A-Za-z0-9.+:~-]+$/;
/** Longest source text that is taken; a URL beyond it is no address of a repository. */
const sourceCharsMax = 2048;

export const acceptedSources =
  'accepted are an http(s) git URL, deb:NAME[=VERSION], orig:NAME[=VERSION], or a folder as ./folder or /path';

/** Reads a source as the user gave it. Says in `refused` what is wrong and what to write instead. */
export function readSourceName(text: string): SourceName | SourceRefusal {
  const source = text.trim();
  if (source === '') return refuse('no source was given');
  if (source.length > sourceCharsMax) return refuse(`the source is longer than ${sourceCharsMax} characters`);
  const debian = /^(deb|orig):(.*)$/s.exec(source);
  if (debian) return readPackage(debian[1] as 'deb' | 'orig', debian[2] ?? '');
  if (/^https?:\/\//i.test(source)) return readUrl(source);
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(source);
  if (scheme) return refuse(`${scheme[1]}:// is not taken as a source`);
  if (/^[^/\s]+@[^/\s]+:/.test(source))
    return refuse('ssh addresses (git@host:path) are not taken as a source');
  if (/^(\/|\.\.?\/|\.\.?$)/.test(source)) return readFolder(source);
  if (packageName.test(source)) {
    return refuse(`'${source}' names no source: did you mean deb:${source} or ./${source}?`);
  }
  return refuse(`'${source}' names no source`);
}

function refuse(why: string): SourceRefusal {
  return { refused: why.endsWith('?') ? why : `${why}; ${acceptedSources}` };
}

function readPackage(kind: 'deb' | 'orig', text: string): SourceName | SourceRefusal {
  const cut = text.indexOf('=');
  const name = cut < 0 ? text : text.slice(0, cut);
  const version = cut < 0 ? null : text.slice(cut + 1);
  if (!packageName.test(name)) {
    return refuse(`'${name}' is not a Debian source package name (lower-case letters, digits, + - .)`);
  }
  if (version !== null && !packageVersion.test(version)) {
    return refuse(`'${version}' is not a Debian version, as in ${kind}:${name}=1.2.3-1`);
  }
  return { kind, name, version };
}

function readUrl(url: string): SourceName | SourceRefusal {
  if (!urlCharacters.test(url)) {
    return refuse(
      'the URL has characters that are not taken (allowed are A-Z a-z 0-9 . _ ~ : / ? # @ ! + , = % -)',
    );
  }
  const [authority = '', ...path] = url.replace(/^https?:\/\//, '').split('/');
  // A password in a source would be recorded for ever: every event log and report names its source.
  if (authority.includes('@')) {
    return refuse(
      'a URL with a user or password is not taken, because it would be recorded: give it by GIT_TOKEN',
    );
  }
  if (!/^[A-Za-z0-9]/.test(authority)) return refuse('the URL names no host');
  if (path.join('') === '') return refuse(`the URL names no repository on ${authority}`);
  return { kind: 'git', url };
}

function readFolder(path: string): SourceName | SourceRefusal {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
  return /[\u0000-\u001f]/.test(path) ? refuse('the path has control characters') : { kind: 'folder', path };
}

/** Names that say nothing alone get their owner before them. Source: upstream facts §1.2. */
const genericNames = new Set(['cli', 'core', 'src', 'app', 'main', 'client', 'server', 'lib']);

/**
 * The name of a port: folder in the sandbox, file names of its outputs. Always matches `[A-Za-z0-9_.-]+`
 * without a leading dot. A folder's path must be absolute for a name to be told from `.` or `..`.
 */
export function repoNameOf(source: SourceName): string {
  if ('name' in source) return safeName(source.name);
  const address = source.kind === 'git' ? source.url.replace(/^https?:\/\/|[?#].*$/g, '') : source.path;
  const parts = address.split('/').filter((part) => part !== '' && part !== '.' && part !== '..');
  const base = (parts.at(-1) ?? '').replace(/\.git$/, '');
  const owner = parts.at(-2);
  return safeName(genericNames.has(base) && owner !== undefined ? `${owner}-${base}` : base);
}

function safeName(name: string): string {
  return name.replace(/[^A-Za-z0-9._-]/g, '-').replace(/^\.+/, '') || 'repo';
}

/** The source as it is written, with a folder's path as it is in `source`. */
export function sourceText(source: SourceName): string {
  if (source.kind === 'git') return source.url;
  if (source.kind === 'folder') return source.path;
  return `${source.kind}:${source.name}${source.version === null ? '' : `=${source.version}`}`;
}
