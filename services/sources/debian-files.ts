/** Files of Debian source packages: fetched once, checked by their sha256, kept in the data folder. */
import { copyFile, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EffectError } from '../effects/handler.ts';
import { type AptIndex, errorLines, runApt } from './apt-index.ts';
import { isDiskFull } from './host-command.ts';
import type { SourceFile, SourceStanza } from './source-stanza.ts';

/** One file, ms; the largest of trixie has 1.9 GB. */
const downloadTimeoutMs = 900_000;

/**
 * Brings the named files of a source package into `folder`.
 * @returns the name of the first file that the mirror does not have, or null when all are there
 * @throws {EffectError} `sourceUnreachable` (retryable), `diskFull`, `cancelled`
 */
export async function fetchFiles(
  index: AptIndex,
  stanza: SourceStanza,
  files: SourceFile[],
  folder: string,
  options: { signal?: AbortSignal | undefined; onProgress?: ((text: string) => void) | undefined },
): Promise<string | null> {
  const known = await knownMissing(index);
  const missing = files.find((file) => known.has(keyOf(stanza, file)));
  if (missing) return missing.name;
  await mkdir(folder, { recursive: true });
  // Small files first: a version that lacks its description is given up before its tarball is fetched.
  for (const file of [...files].sort((a, b) => a.size - b.size)) {
    const kept = join(index.files, file.sha256);
    const found = await stat(kept).catch(() => null);
    if (found?.size !== file.size) {
      options.onProgress?.(`fetching ${file.name} (${Math.ceil(file.size / 1024)} kB)`);
      if (!(await download(index, stanza, file, kept, folder, options))) {
        await writeFile(join(index.folder, 'missing.json'), JSON.stringify([...known, keyOf(stanza, file)]));
        return file.name;
      }
    }
    await copyFile(kept, join(folder, file.name));
  }
  return null;
}

const keyOf = (stanza: SourceStanza, file: SourceFile): string => `${stanza.directory}/${file.name}`;

/** Files that were missing since the index was fetched: asking again each time would cost a second a run. */
export async function knownMissing(index: AptIndex): Promise<Set<string>> {
  const text = await readFile(join(index.folder, 'missing.json'), 'utf8').catch(() => '[]');
  try {
    return new Set(JSON.parse(text) as string[]);
  } catch {
    return new Set(); // cut short by a full disk or a kill: they are asked for again
  }
}

/** True when no file of the version is known to be missing. */
export function seemsComplete(stanza: SourceStanza, files: SourceFile[], missing: Set<string>): boolean {
  return files.every((file) => !missing.has(keyOf(stanza, file)));
}

/** apt's own downloader: it checks the sum, and knows proxies and certificates. False on "404 Not Found". */
async function download(
  index: AptIndex,
  stanza: SourceStanza,
  file: SourceFile,
  kept: string,
  folder: string,
  options: { signal?: AbortSignal | undefined },
): Promise<boolean> {
  const url = `${index.mirror}/${stanza.directory}/${file.name}`;
  const target = join(folder, `${file.name}.part`);
  const argv = ['/usr/lib/apt/apt-helper', 'download-file', url, target, `SHA256:${file.sha256}`];
  const result = await runApt(argv as [string, ...string[]], index, options.signal, downloadTimeoutMs);
  if (result.exitCode === 0) {
    await rename(target, kept);
    return true;
  }
  const said = `${result.stdout}\n${result.stderr}`;
  if (/\b40[34] /.test(said)) return false;
  if (isDiskFull(said)) throw new EffectError('diskFull', `no space left while fetching ${file.name}`);
  throw new EffectError('sourceUnreachable', `${url} cannot be fetched: ${errorLines(result.stderr)}`, {
    retryable: true,
  });
}
