/**
 * The relay: publishes the outbox to the event stream, and sees to it that the stream has what the log has.
 *
 * R1 events of a run are published in their order, each once: by message id and by the subject's last sequence.
 * R2 an event leaves the outbox only after the stream has acknowledged it.
 * R3 whatever the stream lost it gets again from the log; the log is never changed by what the stream says.
 * R4 a stream that is ahead of the log, or differs from it, is a named fault; it stops no other run.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { NatsConnection } from 'nats';
import { newBell } from './bell.ts';
import type { EventLog } from './log-types.ts';
import { newMemory, publishPartsOf, reconcile, relayBatch } from './relay-pass.ts';
import { ensureStreams } from './stream.ts';

/** Between two tries while the server is away, ms: doubled from the first to the last. */
const waitsMs = { first: 50, last: 2_000 };

export interface Relay {
  /** True as soon as the outbox is empty, false when it is not by then or the relay has ended. */
  drained(timeoutMs: number): Promise<boolean>;
  /** Ends after the publishes in hand; what is left stays in the outbox. Call it before the log is closed. */
  stop(): Promise<void>;
}

export interface RelayOptions {
  /** Hears of a fault once, until it changes; none stops the relay. A `StreamError` names what to do. */
  onFault?: (error: Error) => void;
  /** The appender's clock, epoch ms: decides which runs are too old for the stream. */
  now?: () => number;
}

/**
 * Starts publishing. Goes on by itself with each append and after each loss of the server, until `stop` or until
 * the connection is closed.
 */
export function startRelay(log: EventLog, nc: NatsConnection, options: RelayOptions = {}): Relay {
  const { onFault = () => {}, now = Date.now } = options;
  const stopped = new AbortController();
  const memory = newMemory();
  const work = newBell();
  const settled = newBell();
  let reconcileDue = true;
  /** False while the stream may lack what the outbox does not say. */
  let isReconciled = false;
  let told = '';
  const tell = (error: Error) => {
    if (error.message !== told) onFault(error);
    told = error.message;
  };

  const pass = async (): Promise<void> => {
    const wasDue = reconcileDue;
    reconcileDue = false;
    if (wasDue) {
      isReconciled = false;
      memory.heads.clear();
      await ensureStreams(nc);
    }
    const parts = await publishPartsOf(nc);
    if (wasDue) for (const fault of await reconcile(log, parts, memory, now())) tell(fault);
    isReconciled = true;
    for (let more = true; more && !stopped.signal.aborted; )
      more = await relayBatch(log, parts, memory, tell);
  };
  const loop = async (): Promise<void> => {
    let waitMs = waitsMs.first;
    while (!stopped.signal.aborted && !nc.isClosed()) {
      const rung = work.next();
      try {
        await pass();
        waitMs = waitsMs.first;
        settled.ring();
        await rung;
      } catch (error) {
        if (stopped.signal.aborted || nc.isClosed()) break;
        tell(error as Error);
        reconcileDue = true;
        isReconciled = false;
        await sleep(waitMs, undefined, { signal: stopped.signal }).catch(() => {});
        waitMs = Math.min(waitMs * 2, waitsMs.last);
      }
    }
    stopped.abort();
    settled.ring();
  };

  const forgetAppends = log.onAppend(work.ring);
  void watchConnection(nc, () => {
    // The server may have come back with less than it had, and this wakes a relay whose connection was closed.
    reconcileDue = true;
    isReconciled = false;
    work.ring();
  });
  const ended = loop();
  return {
    drained: (timeoutMs) =>
      emptyBy(() => isReconciled && log.outboxSize() === 0, settled.next, stopped.signal, timeoutMs),
    stop: async () => {
      stopped.abort();
      forgetAppends();
      work.ring();
      await ended;
    },
  };
}

async function watchConnection(nc: NatsConnection, changed: () => void): Promise<void> {
  for await (const status of nc.status()) if (status.type === 'reconnect') changed();
  changed();
}

async function emptyBy(
  isEmpty: () => boolean,
  settled: () => Promise<void>,
  stopped: AbortSignal,
  timeoutMs: number,
): Promise<boolean> {
  const deadline = new AbortController();
  const late = sleep(timeoutMs, true, { signal: deadline.signal }).catch(() => true);
  try {
    for (let isLate = false; !isLate && !stopped.aborted; ) {
      const next = settled();
      if (isEmpty()) return true;
      isLate = await Promise.race([next.then(() => false), late]);
    }
    return false;
  } finally {
    deadline.abort();
  }
}
