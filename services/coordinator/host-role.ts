/** This process as the host of the data folder: log writer, coordinator, relay, and the embedded server if wanted. */
import type { NatsConnection } from 'nats';
import { openLog } from '../../events/log.ts';
import { LogError } from '../../events/log-error.ts';
import type { EventLog } from '../../events/log-types.ts';
import { startRelay } from '../../events/relay.ts';
import { ensureStreams } from '../../events/stream.ts';
import { StreamError } from '../../events/stream-error.ts';
import { EngineError, type EngineOptions, type Notice } from '../engine.ts';
import { type Home, homeId, spaceProblem } from '../home.ts';
import { connectNats } from '../nats/connect.ts';
import { type EmbeddedNats, startEmbeddedNats } from '../nats/embedded.ts';
import type { NatsLink } from '../nats/link.ts';
import { whenBack } from '../nats/when-back.ts';
import { type CommandMessage, subjects } from '../protocol.ts';
import { runCommand } from './commands.ts';
import { Coordinator } from './coordinator.ts';
import { Dispatch } from './dispatch.ts';
import { removeHostFile, writeHostFile } from './host-file.ts';
import { readInbox } from './inbox.ts';
import type { HostLock } from './lock.ts';
import { aliveOver, startSweeper } from './sweeper.ts';

/** How long an ending host lets the relay publish what is left; the rest is published at the next start. */
const drainMs = 1_000;

export interface RoleParts {
  home: Home;
  options: EngineOptions;
  /** This process's worker. */
  worker: string;
  link: NatsLink;
  notice: (notice: Notice) => void;
  /** The log cannot be written any more: nothing can go on here. */
  onBroken: (error: Error) => void;
}

export interface HostRole {
  readonly kind: 'host';
  readonly log: EventLog;
  /** Answers with the worker that drives the run now, null when nobody does. */
  command(command: CommandMessage): Promise<string | null>;
  close(): Promise<void>;
}

/** Takes the host's part; `lock` is released when it fails or is closed. @throws EngineError, LogError */
export async function becomeHost(parts: RoleParts, lock: HostLock): Promise<HostRole> {
  const { home, worker, link, notice } = parts;
  /** Undone from the last to the first. */
  const undo: Array<() => Promise<unknown> | unknown> = [() => lock.release()];
  const close = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    removeHostFile(home.root);
    const folder = homeId(home.root);
    const log = openLog(home.log);
    undo.push(() => log.close());
    const epoch = log.acquireEpoch(worker);

    const { connection, embedded } = await reachServer(parts);
    undo.push(() => embedded?.stop());
    undo.push(async () => {
      await link.use(null);
      await connection.close();
    });
    await ensureStreams(connection);
    undo.push(watchSpace(parts));
    const relay = startRelay(log, connection, {
      onFault: (error) => {
        // A server that is away is told once, by the dispatch; what a person must mend is told here.
        if (error instanceof StreamError && error.code !== 'streamDown')
          notice({ code: 'fault', message: error.message });
      },
    });
    undo.push(async () => {
      await relay.drained(drainMs);
      await relay.stop();
    });

    const dispatch = new Dispatch({
      link,
      epoch,
      replyTo: subjects.results(folder),
      ensureStreams: () => ensureStreams(connection),
      onDown: (why) => notice({ code: 'natsDown', message: `NATS does not answer (${why}): waiting for it` }),
      onUp: () => notice({ code: 'natsBack', message: 'NATS is back' }),
    });
    undo.push(() => dispatch.close());
    const coordinator = new Coordinator({ log, dispatch, epoch, worker, notice, onBroken: parts.onBroken });
    undo.push(() => coordinator.close());
    whenBack(connection, () => dispatch.sayAgain());

    await link.use(connection);
    const isAlive = aliveOver(link);
    const inbox = readInbox({ coordinator, link, folder, isAlive, notice });
    undo.push(() => inbox.stop());
    undo.push(startSweeper(coordinator, isAlive, worker));
    writeHostFile(home.root, {
      pid: process.pid,
      startedAt: Date.now(),
      natsUrl: embedded?.url ?? '',
      token: embedded?.token ?? null,
      epoch,
      worker,
      folder,
    });
    undo.push(() => removeHostFile(home.root));
    return {
      kind: 'host',
      log,
      command: (command) => runCommand(coordinator, isAlive, command),
      close,
    };
  } catch (error) {
    await close();
    if (error instanceof StreamError) throw new EngineError('natsUnusable', error.message, { cause: error });
    if (error instanceof LogError && error.code === 'diskFull') {
      throw new EngineError('diskFull', error.message, { cause: error });
    }
    throw error;
  }
}

async function reachServer({ home, options, notice }: RoleParts): Promise<{
  connection: NatsConnection;
  embedded: EmbeddedNats | null;
}> {
  const name = `atesor host ${process.pid}`;
  if (options.natsUrl) {
    return {
      connection: await connectNats({ url: options.natsUrl, creds: options.natsCreds }, name),
      embedded: null,
    };
  }
  const embedded = await startEmbeddedNats({
    store: home.nats,
    onRestart: (isBack, why) =>
      notice({
        code: isBack ? 'natsRestarted' : 'natsDown',
        message: isBack
          ? `nats-server ended (${why}) and was started again`
          : `nats-server ended for good: ${why}`,
      }),
  });
  try {
    return { connection: await connectNats({ url: embedded.url, token: embedded.token }, name), embedded };
  } catch (error) {
    await embedded.stop();
    throw error;
  }
}

/** How often the disk is looked at, ms. */
const spaceEveryMs = 1_000;

/**
 * A full disk shows first where it cannot be read: the server's streams stop, and no answer ever comes. So the disk
 * itself is watched. Answers how to stop.
 */
function watchSpace({ home, onBroken }: RoleParts): () => void {
  const timer = setInterval(() => {
    const problem = spaceProblem(home.root);
    if (problem) onBroken(problem);
  }, spaceEveryMs);
  return () => clearInterval(timer);
}
