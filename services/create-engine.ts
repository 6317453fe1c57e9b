/**
 * The engine of a process: its part in the data folder, its worker, and what a caller may ask of both.
 * `wire.ts` gives it the effects and sandbox drivers.
 */

import { randomBytes } from 'node:crypto';
import { homedir } from 'node:os';
import { openBlobs } from '../events/blobs.ts';
import type { EventDataByType } from '../events/catalogue.ts';
import type { SandboxDriver } from '../sandbox/driver.ts';
import { Membership, type Role } from './coordinator/membership.ts';
import type { EffectHandlers } from './effects/handler.ts';
import {
  type Engine,
  EngineError,
  type EngineOptions,
  type EngineRole,
  type FollowHandlers,
  type Following,
  type RunEnd,
} from './engine.ts';
import { followRun, type LookingFollowing } from './follow.ts';
import { type Home, openHome } from './home.ts';
import { NatsLink } from './nats/link.ts';
import type { CommandKind } from './protocol.ts';
import { makeRedactor } from './redact.ts';
import { untilEnd } from './run-end.ts';
import { Sandboxes } from './worker/sandboxes.ts';
import { Worker } from './worker/worker.ts';

/** Runs that one process works on at the same time when nothing else is asked for. */
const slotsDefault = 2;

export interface EngineParts {
  handlers: Partial<EffectHandlers>;
  /** In the order of preference. */
  drivers: (home: Home) => SandboxDriver[];
}

/** Opens the engine of a data folder. @throws EngineError, LogError */
export async function createEngine(options: EngineOptions, parts: EngineParts): Promise<Engine> {
  const home = openHome(options.home);
  const id = `w${randomBytes(8).toString('hex')}`;
  const link = new NatsLink();
  const notice = options.onNotice ?? (() => {});
  const closing = new AbortController();
  /** Runs that this process drives. */
  const own = new Set<string>();

  const worker = new Worker({
    id,
    link,
    notice,
    slots: options.slots ?? slotsDefault,
    handlers: parts.handlers,
    sandboxes: new Sandboxes(parts.drivers(home)),
    blobs: openBlobs(home.blobs),
    home: home.root,
    failures: { redact: makeRedactor(process.env).text, hidden: hiddenFolders(home.root) },
  });

  const command = (kind: CommandKind, runId: string, by: string, data?: EventDataByType['run.started']) =>
    membership.command({
      id: `${kind}.${runId}.${randomBytes(6).toString('hex')}`,
      kind,
      runId,
      by,
      worker: id,
      ...(data ? { data } : {}),
    });

  /** A new host knows nothing of who drives what: it is told. */
  const announce = (role: Role): void => {
    for (const runId of own) {
      void role
        .command({ id: `attach.${runId}`, kind: 'attach', runId, by: 'cli', worker: id })
        .catch((error: Error) => {
          if (!(error instanceof EngineError)) return; // the host went away: the next one is told
          own.delete(runId);
          if (error.code !== 'runEnded') notice({ code: 'ownerLost', message: error.message });
        });
    }
  };

  const membership = new Membership({
    home,
    options,
    worker: id,
    link,
    notice,
    onRole: announce,
    onBroken: (error) => closing.abort(error),
  });
  await membership.join();
  worker.start();

  const followParts = (runId: string) => ({
    runId,
    logPath: home.log,
    link,
    role: () => membership.role,
    onFault: (error: Error) => notice({ code: 'fault', message: `following ${runId}: ${error.message}` }),
  });
  const isOrphan = async (runId: string): Promise<boolean> => {
    if (own.has(runId)) return false;
    // Whoever cannot be asked now is asked again later.
    return command('look', runId, 'cli').then(
      (owner) => owner === null,
      () => false,
    );
  };
  const followings = new Set<LookingFollowing>();
  const follow = (runId: string, handlers: FollowHandlers): Following => {
    const following = followRun(followParts(runId), handlers);
    followings.add(following);
    return {
      stop() {
        followings.delete(following);
        following.stop();
      },
    };
  };
  let closed: Promise<void> | null = null;

  return {
    workerId: id,
    get role(): EngineRole {
      return membership.role?.kind ?? 'client';
    },
    async start(runId, data) {
      own.add(runId);
      await command('start', runId, 'cli', data).catch((error) => {
        own.delete(runId);
        throw error;
      });
      return runId;
    },
    async resume(runId) {
      if ((await command('resume', runId, 'cli')) === id) own.add(runId);
    },
    async pause(runId, by) {
      await command('pause', runId, by);
      own.delete(runId);
    },
    async cancel(runId, by) {
      if ((await command('cancel', runId, by)) === id) own.add(runId);
    },
    follow,
    async finished(runId): Promise<RunEnd> {
      try {
        const end = await untilEnd(followParts(runId), () => isOrphan(runId), closing.signal);
        // Whoever is told that a run has ended has been told all that led to it.
        for (const following of followings) following.look();
        return end;
      } finally {
        own.delete(runId);
      }
    },
    close() {
      closed ??= (async () => {
        closing.abort(new EngineError('engineClosed', 'this process is ending'));
        for (const following of followings) following.stop();
        await worker.stop();
        await membership.close();
      })();
      return closed;
    },
  };
}

/** Longest first, so that a folder inside another is named by itself. */
function hiddenFolders(root: string): Array<{ path: string; name: string }> {
  const folders = [
    { path: root, name: 'data folder' },
    { path: homedir(), name: 'home' },
  ];
  return folders.filter(({ path }) => path.length > 1).sort((a, b) => b.path.length - a.path.length);
}
