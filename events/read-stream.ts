/**
 * Reading a run's events live from the event stream: for those that have no log.
 *
 * An ordinary subscription tells at once that there is something new; what it is is always read from the stream.
 * The client's ordered consumer was tried and left: it hangs on a stream that was filled again, and never ends on
 * a connection that was closed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { NatsConnection, StoredMsg } from 'nats';
import { newBell } from './bell.ts';
import type { EventBody } from './envelope.ts';
import { eventHeaders, eventStream, eventSubject } from './stream.ts';
import { jsErrorCode, jsErrors, StreamError } from './stream-error.ts';
import { parseBody } from './upcast.ts';

/** How long a reader waits for the first event, ms. */
const firstEventMs = 10_000;
/** Between two tries, ms, doubled from the first to the last: an event is announced a moment before it is stored. */
const waitsMs = { first: 5, last: 500 };

export interface FollowOptions {
  /** The first seq that is wanted; 1 by default. A fork's own events begin behind its cut. */
  fromSeq?: number;
  /** Ends the reading when aborted. */
  signal?: AbortSignal;
  firstEventMs?: number;
}

/**
 * The events of a run from the stream, in order and each once, the recorded ones first; ends after `run.finished`.
 * Goes on by itself when the server comes back after a loss, also when its stream has to be filled again.
 * @throws StreamError `noEvents`: none came in time; `streamGap`: the stream no longer has an event in between;
 *   `streamDown`: the connection was closed
 */
export async function* followRun(
  nc: NatsConnection,
  runId: string,
  options: FollowOptions = {},
): AsyncGenerator<EventBody> {
  const waitMs = options.firstEventMs ?? firstEventMs;
  const reader = openReader(nc, runId, options.signal, waitMs);
  let due = options.fromSeq ?? 1;
  try {
    for (let message = await reader.next(due); message !== null; message = await reader.next(due)) {
      const seq = seqOf(message);
      // Read again from its beginning, the stream brings events a second time.
      if (seq < due) continue;
      if (seq > due) throw gap(runId, due, seq);
      const event = parseBody(Buffer.from(message.data).toString());
      yield event;
      due += 1;
      if (event.type === 'run.finished') return;
    }
    if (reader.isLate()) throw noEvents(runId, waitMs);
    if (!options.signal?.aborted) throw new StreamError('streamDown', 'the connection to NATS was closed');
  } finally {
    reader.end();
  }
}

interface Reader {
  /** The next message of the run, waited for as long as it takes; null when reading has ended. */
  next(due: number): Promise<StoredMsg | null>;
  /** True when it has ended because nothing came in time. */
  isLate(): boolean;
  end(): void;
}

function openReader(
  nc: NatsConnection,
  runId: string,
  outer: AbortSignal | undefined,
  firstWaitMs: number,
): Reader {
  const ended = new AbortController();
  const news = newBell();
  /** The highest seq that the subscription told of. */
  let announced = 0;
  /** Where to read on in the stream. */
  let from = 1;
  /** How often the server was lost. */
  let losses = 0;
  let late = false;
  const end = () => {
    clearTimeout(deadline);
    outer?.removeEventListener('abort', end);
    ended.abort();
    news.ring();
    if (!nc.isClosed()) subscription.unsubscribe();
  };
  const deadline = setTimeout(() => {
    late = true;
    end();
  }, firstWaitMs);
  const subscription = nc.subscribe(eventSubject(runId), {
    callback: (_error, message) => {
      announced = Math.max(announced, Number(message.headers?.get(eventHeaders.seq) ?? 0));
      news.ring();
    },
  });
  outer?.addEventListener('abort', end, { once: true });
  if (outer?.aborted) end();
  void (async () => {
    for await (const status of nc.status()) {
      if (ended.signal.aborted) return;
      if (status.type !== 'reconnect') continue;
      // The server may have come back with another stream, filled from the beginning.
      from = 1;
      losses += 1;
      news.ring();
    }
    news.ring();
  })();

  return {
    isLate: () => late,
    end,
    next: async (due) => {
      let waitMs = waitsMs.first;
      while (!ended.signal.aborted && !nc.isClosed()) {
        const rung = news.next();
        const lossesBefore = losses;
        const message = await readFrom(nc, runId, from);
        if (losses !== lossesBefore) continue;
        if (message !== 'none' && message !== 'no answer') {
          clearTimeout(deadline);
          from = message.seq + 1;
          return message;
        }
        if (message === 'none' && announced < due) await rung;
        else await Promise.race([rung, sleep(waitMs, undefined, { signal: ended.signal }).catch(() => {})]);
        waitMs = Math.min(waitMs * 2, waitsMs.last);
      }
      return null;
    },
  };
}

/** The first message of the run at or after a place in the stream. */
async function readFrom(
  nc: NatsConnection,
  runId: string,
  seq: number,
): Promise<StoredMsg | 'none' | 'no answer'> {
  try {
    const manager = await nc.jetstreamManager({ checkAPI: false });
    // The server knows `next_by_subj` since 2.9; the client's type names it only for the direct API.
    const query = { seq, next_by_subj: eventSubject(runId) };
    return await manager.streams.getMessage(eventStream, query);
  } catch (error) {
    return jsErrorCode(error) === jsErrors.messageNotFound ? 'none' : 'no answer';
  }
}

const seqOf = (message: StoredMsg): number => Number(message.header.get(eventHeaders.seq));

const gap = (runId: string, due: number, seq: number) =>
  new StreamError(
    'streamGap',
    `the stream has events of run ${runId} from ${seq} on, ${due} was due: read the earlier ones from the log`,
  );

const noEvents = (runId: string, ms: number) =>
  new StreamError(
    'noEvents',
    `no event of run ${runId} came within ${ms} ms: check the run's id and that its host is running`,
  );
