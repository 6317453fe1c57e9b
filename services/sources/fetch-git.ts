/** Fetches the newest commit of a git repository over http(s). */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { EffectError } from '../effects/handler.ts';
import { branchOf } from './bundle.ts';
import type { FetchedSource, FetchOptions } from './fetched.ts';
import { gitAddresses } from './git-addresses.ts';
import { fetchError, fetchFault } from './git-faults.ts';
import { type GitHost, gitHost } from './git-host.ts';
import type { HostResult } from './host-command.ts';
import { addSubmodules } from './submodules.ts';

/** All tries of a clone together, ms. With 300 s for submodules it stays inside the effect's 1,800 s. */
const cloneTimeoutMs = 1_200_000;
/** A look at a remote's HEAD, ms: the recipe cache must not hold a start up. */
const lookTimeoutMs = 20_000;

/**
 * Clones HEAD of `url` without its history, trying the known other addresses when nothing is found there;
 * submodules become part of the tree. Doing it twice is harmless: it writes into the caller's stage only.
 * @throws {EffectError} `sourceNotFound`, `sourceUnreachable` (retryable), `diskFull`, `cancelled`
 */
export async function fetchGit(url: string, options: FetchOptions): Promise<FetchedSource> {
  const git = await gitHost(options.stage, options.signal);
  const folder = join(options.stage, 'tree');
  const deadline = performance.now() + cloneTimeoutMs;
  const attempted: string[] = [];
  let first: EffectError | null = null;
  for (const address of gitAddresses(url)) {
    attempted.push(address);
    options.onProgress?.(`fetching ${address}`);
    const result = await clone(git, address, folder, deadline, options.onProgress);
    if (result.exitCode === 0) {
      const recovery = address === url ? null : { originalUrl: url, successUrl: address, attempted };
      return await describe(git, folder, recovery, options);
    }
    const fault = fetchFault(result);
    const error = fetchError(fault, address, result);
    first ??= error; // the given address is what the person must hear of
    if (fault === 'diskFull') throw error;
    if ((fault === 'unreachable' || fault === 'timedOut') && address === url) throw error;
  }
  throw first ?? new EffectError('sourceNotFound', `there is no git repository at ${url}`);
}

/** One clone; once more without the token when it was refused, and with history from a server without shallow clones. */
async function clone(
  git: GitHost,
  url: string,
  folder: string,
  deadline: number,
  onProgress?: (text: string) => void,
): Promise<HostResult> {
  const attempt = async (depth: string[], env: Record<string, string>) => {
    await rm(folder, { recursive: true, force: true });
    return git.try(['clone', '-q', ...depth, '--', url, folder], {
      env,
      timeoutMs: Math.max(1_000, deadline - performance.now()),
      onStderr: (text) => onProgress?.(text.trim()),
    });
  };
  let env = tokenFor(url);
  let result = await attempt(['--depth', '1'], env);
  if (result.exitCode !== 0 && env.GIT_CONFIG_COUNT !== undefined && fetchFault(result) === 'needsLogin') {
    env = {};
    result = await attempt(['--depth', '1'], env);
  }
  if (result.exitCode !== 0 && fetchFault(result) === 'dumbServer') {
    result = await attempt(['--single-branch'], env);
  }
  return result;
}

/** The token goes to GitHub alone, by the environment: an argument would be seen by every user of the host. */
function tokenFor(url: string): Record<string, string> {
  const token = process.env.GIT_TOKEN || process.env.GH_TOKEN;
  if (!token || !url.startsWith('https://github.com/')) return {};
  return {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'http.https://github.com/.extraHeader',
    GIT_CONFIG_VALUE_0: `Authorization: Bearer ${token}`,
  };
}

async function describe(
  git: GitHost,
  folder: string,
  recovery: FetchedSource['recovery'],
  options: FetchOptions,
): Promise<FetchedSource> {
  const head = await git.try(['-C', folder, 'rev-parse', '--verify', '-q', 'HEAD']);
  if (head.exitCode !== 0) {
    throw new EffectError(
      'sourceNotFound',
      `the repository at ${recovery?.successUrl ?? 'this address'} is empty`,
    );
  }
  const branch = await branchOf(git, folder);
  const tags = (await git.run(['-C', folder, 'tag', '--points-at', 'HEAD'])).split('\n').filter(Boolean);
  const notes = await addSubmodules(git, folder, options.onProgress);
  const attributes = await readFile(join(folder, '.gitattributes'), 'utf8').catch(() => '');
  if (/\bfilter=lfs\b/.test(attributes)) {
    notes.push('files kept by git-lfs are left as pointers: only their names and sizes are in the tree');
  }
  if (recovery)
    notes.unshift(`the source was found at ${recovery.successUrl}, not at ${recovery.originalUrl}`);
  return { folder, commit: head.stdout.trim(), branch, version: tags[0] ?? '', recovery, notes };
}

/** The commit of HEAD at a remote, or null when it cannot be had within 20 s. */
export async function remoteHead(url: string, stage: string, signal?: AbortSignal): Promise<string | null> {
  const git = await gitHost(stage, signal);
  const result = await git.try(['ls-remote', '--', url, 'HEAD'], {
    env: tokenFor(url),
    timeoutMs: lookTimeoutMs,
  });
  if (result.exitCode !== 0) return null;
  return /^([0-9a-f]{40,64})\tHEAD$/m.exec(result.stdout)?.[1] ?? null;
}
