/**
 * Fetches the source on the host and puts it into the run's sandbox, by way of the bundle that is kept: what
 * is built is exactly what a fork or another worker can have again without a network.
 *
 * Twice is harmless: the checkout is replaced as a whole, and the blob store keeps equal bundles once.
 */
import { writeFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { Sandbox } from '../../sandbox/driver.ts';
import { createBundle, type Unpacked, unpackBundle } from '../sources/bundle.ts';
import { fetchSource } from '../sources/fetch-source.ts';
import { type GitHost, gitHost } from '../sources/git-host.ts';
import { isDiskFull } from '../sources/host-command.ts';
import { parseSource } from '../sources/parse-source.ts';
import { withStage } from '../sources/stage.ts';
import { type EffectContext, EffectError, type EffectHandler } from './handler.ts';

/** Removing an old checkout inside, ms. */
const removeTimeoutMs = 300_000;

/** @throws {EffectError} `badSource`, `sourceNotFound`, `sourceUnreachable`, `sandboxLost`, `diskFull`, `cancelled` */
export const cloneRepository: EffectHandler<'cloneRepository'> = async (input, context) => {
  const started = performance.now();
  const source = await parseSource(input.source);
  const { home, signal } = context;
  const onProgress = (text: string) => context.emit({ stream: 'progress', text });
  return await onDisk(() =>
    withStage(home, async (stage) => {
      const fetched = await fetchSource(source, { home, stage, signal, onProgress });
      const git = await gitHost(stage, signal);
      const file = join(stage, 'source.bundle');
      await createBundle(git, fetched.folder, file);
      const bundle = await context.blobs.putFile(file);
      onProgress('copying the source into the sandbox');
      const placed = await placeBundle(git, file, stage, await context.sandbox(), input.repoPath);
      const { commit, branch, version, recovery, notes } = fetched;
      return {
        path: input.repoPath,
        commit,
        branch,
        version,
        fileCount: placed.fileCount,
        bundle,
        recovery,
        notes,
        durationMs: Math.round(performance.now() - started),
      };
    }),
  );
};

/**
 * Puts the source of a recorded bundle into the run's sandbox again, without a network: for a fork, or for a
 * run that goes on at another worker. Twice is harmless for the same reason.
 */
export async function restoreRepository(
  context: Pick<EffectContext, 'home' | 'blobs' | 'signal' | 'sandbox'>,
  input: { bundle: string; repoPath: string },
): Promise<Unpacked> {
  return await onDisk(() =>
    withStage(context.home, async (stage) => {
      const file = join(stage, 'source.bundle');
      await writeFile(file, await context.blobs.get(input.bundle));
      const git = await gitHost(stage, context.signal);
      return await placeBundle(git, file, stage, await context.sandbox(), input.repoPath);
    }),
  );
}

async function placeBundle(
  git: GitHost,
  file: string,
  stage: string,
  sandbox: Sandbox,
  repoPath: string,
): Promise<Unpacked> {
  const checkout = join(stage, 'checkout');
  const unpacked = await unpackBundle(git, file, checkout);
  await sandbox.exec({
    // As root: an interrupted run may have left files of its install phase.
    command: `rm -rf -- '${repoPath}' && mkdir -p '${posix.dirname(repoPath)}'`,
    cwd: '/',
    env: {},
    timeoutMs: removeTimeoutMs,
    network: 'off',
    user: 'root',
  });
  await sandbox.copyIn(checkout, repoPath);
  return unpacked;
}

async function onDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (fault) {
    if (fault instanceof EffectError || !isDiskFull(fault)) throw fault;
    throw new EffectError('diskFull', 'no space left for the source: free some in the data folder', {
      cause: fault,
    });
  }
}
