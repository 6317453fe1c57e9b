/**
 * Follows a run by its log: every event once and in order, whoever hosts. What is heard over NATS, or from the
 * log's own writer, only says that it is time to look.
 */
import type { AnyEvent, EventBody } from '../events/envelope.ts';
import { openLog } from '../events/log.ts';
import { LogError } from '../events/log-error.ts';
import type { LogReader, RunRow } from '../events/log-types.ts';
import type { Role } from './coordinator/membership.ts';
import type { FollowHandlers, Following, OutputLine } from './engine.ts';
import type { NatsLink } from './nats/link.ts';
import { decode, subjects } from './protocol.ts';

/** A look without any hint, ms: for hints that were lost with a server. */
const lookMs = 1_000;

export interface FollowParts {
  runId: string;
  logPath: string;
  /** The part that the process has at the moment. */
  role: () => Role | null;
  link: NatsLink;
  /** After each look, with the run's row; null while there is no such run. */
  onLook?: (row: RunRow | null) => void;
  onFault: (error: Error) => void;
}

/** A following that can be told to look at once. */
export interface LookingFollowing extends Following {
  look(): void;
}

/** Begins at once; the first call-backs come in a later turn of the event loop. */
export function followRun(parts: FollowParts, handlers: FollowHandlers): LookingFollowing {
  const { runId, link } = parts;
  let nextSeq = handlers.fromSeq ?? 1;
  let isStopped = false;
  let isDue = false;

  const look = (): void => {
    isDue = false;
    if (isStopped) return;
    try {
      const { bodies, row } = readFrom(parts, nextSeq);
      for (const body of bodies) {
        if (isStopped) return;
        nextSeq = body.seq + 1;
        handlers.onEvent?.(body as AnyEvent);
      }
      if (!isStopped) parts.onLook?.(row);
    } catch (error) {
      parts.onFault(error as Error);
    }
  };
  const hint = (): void => {
    if (isDue) return;
    isDue = true;
    setImmediate(look);
  };
  const timer = setInterval(hint, lookMs);
  const endings: Array<() => void> = [() => clearInterval(timer)];
  endings.push(
    link.each((connection) => {
      const events = connection.subscribe(subjects.events(runId), { callback: hint });
      endings.push(() => events.unsubscribe());
      if (!handlers.onOutput) return;
      const output = connection.subscribe(subjects.outputOf(runId), {
        callback: (error, message) => {
          if (error || isStopped) return;
          const effectId = message.subject.split('.').at(-1) ?? '';
          const line = decode<Pick<OutputLine, 'stream' | 'text'>>(message.data);
          handlers.onOutput?.({ runId, effectId, ...line });
        },
      });
      endings.push(() => output.unsubscribe());
    }),
    onOwnAppend(parts, hint),
  );
  hint();
  return {
    look,
    stop() {
      isStopped = true;
      for (const end of endings.splice(0)) end();
    },
  };
}

/** As the host, the process hears of its own appends at once and needs no server for it. */
function onOwnAppend({ role, runId }: FollowParts, hint: () => void): () => void {
  const current = role();
  if (current?.kind !== 'host') return () => {};
  return current.log.onAppend((events) => {
    if (events[0]?.runId === runId) hint();
  });
}

/** The host reads through its own connection; a client opens the log anew, since a new host may have made new files. */
function readFrom(parts: FollowParts, fromSeq: number): { bodies: EventBody[]; row: RunRow | null } {
  const role = parts.role();
  if (role?.kind === 'host') return readRun(role.log, parts.runId, fromSeq);
  let log: LogReader;
  try {
    log = openLog(parts.logPath, { readonly: true });
  } catch (error) {
    if (error instanceof LogError && (error.code === 'missing' || error.code === 'locked'))
      return { bodies: [], row: null };
    throw error;
  }
  try {
    return readRun(log, parts.runId, fromSeq);
  } finally {
    log.close();
  }
}

function readRun(
  log: LogReader,
  runId: string,
  fromSeq: number,
): { bodies: EventBody[]; row: RunRow | null } {
  if (log.version(runId) === 0) return { bodies: [], row: null };
  return { bodies: [...log.readBodies(runId, fromSeq)], row: log.findRun(runId) };
}
