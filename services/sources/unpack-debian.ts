/** Unpacks what a Debian source package is made of. */
import { lstat, mkdir, opendir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { EffectError } from '../effects/handler.ts';
import { hostEnv } from './git-host.ts';
import { isDiskFull, runOnHost } from './host-command.ts';

/** A large source (1 GB packed) takes about 3 minutes to unpack on 2 cores. */
const unpackTimeoutMs = 600_000;

/** `dpkg-source -x`: upstream's tarballs with Debian's patches applied and `debian/` beside them. */
export async function unpackSource(
  downloads: string,
  names: string[],
  folder: string,
  signal?: AbortSignal,
): Promise<void> {
  const description = names.find((name) => name.endsWith('.dsc'));
  if (description === undefined) throw new EffectError('internal', 'the source package has no .dsc file');
  await run(['dpkg-source', '--no-check', '-x', join(downloads, description), folder], signal);
  // Where patches were applied is written into .pc; it is no source.
  await rm(join(folder, '.pc'), { recursive: true, force: true });
}

/**
 * Unpacks the main tarball without its top folder; `NAME.orig-PART.tar.*` goes into `PART/`, as dpkg does it.
 */
export async function unpackTarballs(
  downloads: string,
  names: string[],
  folder: string,
  signal?: AbortSignal,
): Promise<void> {
  for (const name of [...names].sort((a, b) => Number(isPart(a)) - Number(isPart(b)))) {
    const target = isPart(name) ? join(folder, partOf(name)) : folder;
    const unpacked = `${folder}.unpacking`;
    await mkdir(unpacked, { recursive: true });
    // GNU tar finds the compression by itself; what it writes belongs to us and has no special bits.
    const tar = [
      'tar',
      '-x',
      '--no-same-owner',
      '--no-same-permissions',
      '-f',
      join(downloads, name),
      '-C',
      unpacked,
    ];
    await run(tar as [string, ...string[]], signal);
    await rm(target, { recursive: true, force: true });
    await rename(await withoutTop(unpacked), target);
    await rm(unpacked, { recursive: true, force: true });
  }
}

const partOf = (name: string): string => /\.orig-([A-Za-z0-9-]+)\.tar\./.exec(name)?.[1] ?? '';
const isPart = (name: string): boolean => partOf(name) !== '';

/** The folder inside when it is all there is, else the folder itself. */
async function withoutTop(folder: string): Promise<string> {
  const entries = await readdir(folder, { withFileTypes: true });
  const [only] = entries;
  return entries.length === 1 && only?.isDirectory() ? join(folder, only.name) : folder;
}

/** Date of the newest entry of `debian/changelog`, epoch seconds. */
export async function changelogDate(folder: string, signal?: AbortSignal): Promise<number | null> {
  const changelog = join(folder, 'debian', 'changelog');
  if ((await stat(changelog).catch(() => null)) === null) return null;
  const text = await run(['dpkg-parsechangelog', '-l', changelog, '-S', 'Timestamp'], signal);
  return /^\d+$/.test(text.trim()) ? Number(text) : null;
}

/** Newest time of a file below a folder, epoch seconds: in an unpacked tarball it is that of the release. */
export async function newestDate(folder: string): Promise<number | null> {
  let newest: number | null = null;
  for await (const entry of await opendir(folder, { recursive: true })) {
    if (!entry.isFile()) continue;
    const { mtimeMs } = await lstat(join(entry.parentPath, entry.name));
    newest = Math.max(newest ?? 0, Math.floor(mtimeMs / 1000));
  }
  return newest;
}

async function run(argv: [string, ...string[]], signal?: AbortSignal): Promise<string> {
  const result = await runOnHost({ argv, env: hostEnv(), timeoutMs: unpackTimeoutMs, signal });
  if (result.exitCode === 0) return result.stdout;
  if (isDiskFull(result.stderr))
    throw new EffectError('diskFull', `no space left while unpacking the source`);
  if (result.timedOut)
    throw new EffectError('timedOut', `${argv[0]} did not end in time`, { retryable: true });
  throw new EffectError(
    'internal',
    `${argv[0]} ended with ${result.exitCode}: ${result.stderr.trim().slice(-500)}`,
  );
}
