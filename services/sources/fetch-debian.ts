/** Fetches a Debian source package (`deb:`, patches applied) or its upstream tarballs alone (`orig:`). */
import { join } from 'node:path';
import { EffectError } from '../effects/handler.ts';
import {
  type AptIndex,
  debianSuite,
  type IndexOptions,
  lookUp,
  openIndex,
  sourceOfBinary,
} from './apt-index.ts';
import { commitTree, keepEmptyFolders, undatedSeconds } from './commit-tree.ts';
import { fetchFiles, knownMissing, seemsComplete } from './debian-files.ts';
import { compareVersions, upstreamVersion } from './debian-version.ts';
import type { FetchedSource, FetchOptions } from './fetched.ts';
import { gitHost } from './git-host.ts';
import { type SourceFile, type SourceStanza, upstreamTarballs } from './source-stanza.ts';
import { changelogDate, newestDate, unpackSource, unpackTarballs } from './unpack-debian.ts';

export interface DebianSource {
  kind: 'deb' | 'orig';
  name: string;
  version: string | null;
}

const filesOf = (source: DebianSource, stanza: SourceStanza): SourceFile[] =>
  source.kind === 'deb' ? stanza.files : upstreamTarballs(stanza);

/** `orig:` is upstream's release: its version is upstream's, whatever Debian's revision of it is. */
const versionOf = (source: DebianSource, stanza: SourceStanza): string =>
  source.kind === 'deb' ? stanza.version : upstreamVersion(stanza.version);

/**
 * Fetches the newest version all of whose needed files are on the mirror and makes a git work tree of it; a
 * newer one that lacks files is named in the notes. `=VERSION` takes that version or fails. The same version
 * always gives the same commit, so doing it twice is harmless.
 * @throws {EffectError} `sourceNotFound`, `sourceUnreachable` (retryable), `sandboxUnavailable`, `diskFull`
 */
export async function fetchDebian(
  source: DebianSource,
  options: FetchOptions & IndexOptions,
): Promise<FetchedSource> {
  const index = await openIndex(options);
  const versions = await candidates(index, source, options.signal);
  const skipped: string[] = [];
  const downloads = join(options.stage, 'files');
  for (const stanza of versions) {
    const files = filesOf(source, stanza);
    const missing = await fetchFiles(index, stanza, files, downloads, options);
    if (missing !== null) {
      skipped.push(`${stanza.version} (the mirror lacks ${missing})`);
      continue;
    }
    options.onProgress?.(`unpacking ${source.name} ${stanza.version}`);
    return await makeTree(source, stanza, downloads, options, [
      ...index.notes,
      ...skippedNote(skipped, stanza),
    ]);
  }
  throw new EffectError(
    'sourceNotFound',
    `no complete version of ${source.name} is on the mirror of ${debianSuite}: ${skipped.join('; ')}`,
  );
}

function skippedNote(skipped: string[], taken: SourceStanza): string[] {
  return skipped.length === 0
    ? []
    : [`version ${taken.version} was taken, skipped was ${skipped.join('; ')}`];
}

/** Versions worth trying, newest first; one when the user named it. */
async function candidates(
  index: AptIndex,
  source: DebianSource,
  signal?: AbortSignal,
): Promise<SourceStanza[]> {
  const all = await lookUp(index, source.name, signal);
  if (all.length === 0) {
    const built = await sourceOfBinary(index, source.name, signal);
    const hint =
      built === null ? '' : `; ${source.name} is a binary package, its source is ${source.kind}:${built}`;
    throw new EffectError(
      'sourceNotFound',
      `Debian ${debianSuite} has no source package ${source.name}${hint}`,
    );
  }
  all.sort((a, b) => compareVersions(b.version, a.version));
  if (source.version === null) return all;
  const exact = all.filter((stanza) =>
    [stanza.version, versionOf(source, stanza)].includes(source.version ?? ''),
  );
  if (exact.length > 0) return exact;
  const there = [...new Set(all.map((stanza) => versionOf(source, stanza)))].join(', ');
  throw new EffectError(
    'sourceNotFound',
    `${source.name} ${source.version} is not in Debian ${debianSuite}; there are ${there}`,
  );
}

async function makeTree(
  source: DebianSource,
  stanza: SourceStanza,
  downloads: string,
  options: FetchOptions,
  notes: string[],
): Promise<FetchedSource> {
  const folder = join(options.stage, 'tree');
  const names = filesOf(source, stanza).map((file) => file.name);
  if (source.kind === 'deb') await unpackSource(downloads, names, folder, options.signal);
  else await unpackTarballs(downloads, names, folder, options.signal);
  const date = source.kind === 'deb' ? await changelogDate(folder, options.signal) : await newestDate(folder);
  const empty = await keepEmptyFolders(folder);
  if (empty > 0) notes.push(`${empty} empty folders hold a .gitkeep, because git keeps no empty folder`);
  const git = await gitHost(options.stage, options.signal);
  const what = source.kind === 'deb' ? 'Debian source' : 'upstream source';
  const version = versionOf(source, stanza);
  const message = `${source.name} ${version} (${what})`;
  const commit = await commitTree(git, folder, { message, date: date ?? undatedSeconds });
  return { folder, commit, branch: 'main', version, recovery: null, notes };
}

/** The version that a fetch would take as far as is known without one, or null. Asks for the index only. */
export async function newestVersion(source: DebianSource, options: IndexOptions): Promise<string | null> {
  const index = await openIndex(options);
  const missing = await knownMissing(index);
  const all = await candidates(index, source, options.signal);
  const newest = all.find((stanza) => seemsComplete(stanza, filesOf(source, stanza), missing));
  return newest === undefined ? null : versionOf(source, newest);
}
