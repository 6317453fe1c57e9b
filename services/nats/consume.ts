/**
 * Reads a work queue for as long as the process lives: whatever happens to server, consumer or connection, reading
 * goes on as soon as it can.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConsumerMessages, JsMsg, NatsConnection } from 'nats';
import type { NatsLink } from './link.ts';
import { whenBack } from './when-back.ts';

export interface Queue {
  stream: string;
  /** Only messages of this subject; queues of one stream must not overlap. */
  filter: string;
  /** Name of the durable consumer. */
  durable: string;
  /** Unacknowledged messages come again after this, ms. */
  ackWaitMs: number;
  /** The server forgets a consumer that nobody has read for this long, ms; left out: never. */
  inactiveMs?: number;
}

export interface Consumption {
  /** Reading has ended when it settles; unacknowledged messages stay in the queue. */
  stop(): Promise<void>;
}

/** Between two tries to read, ms: doubled from the first to the last. */
const waitsMs = { first: 50, last: 2_000 };
const nanosPerMs = 1_000_000;
/** Messages that the client holds ahead. */
const aheadMax = 64;

/**
 * Calls `handle` with each message, one after the other. A message whose handling throws is not acknowledged and
 * comes again. `onFault` hears of each new failure to read; none is a reason to stop.
 */
export function consumeQueue(
  link: NatsLink,
  queue: Queue,
  handle: (message: JsMsg) => void | Promise<void>,
  onFault: (error: Error) => void = () => {},
): Consumption {
  const stopped = new AbortController();
  let open: ConsumerMessages | null = null;
  let readingFrom: NatsConnection | null = null;
  const leave = link.each((connection) => {
    // Another server now: what is being read belongs to the one before.
    if (connection !== readingFrom) void open?.close();
    // The same server may have come back with less than it had: its consumer is looked at again.
    whenBack(connection, () => {
      if (connection === readingFrom) void open?.close();
    });
  });

  let lastFault = '';
  const tell = (error: Error): void => {
    if (error.message === lastFault || stopped.signal.aborted) return;
    lastFault = error.message;
    onFault(error);
  };

  const readOnce = async (connection: NatsConnection): Promise<void> => {
    readingFrom = connection;
    open = await openMessages(connection, queue);
    if (stopped.signal.aborted) void open.close();
    closeWhenDeaf(open);
    for await (const message of open) {
      if (stopped.signal.aborted) return;
      try {
        await handle(message);
        lastFault = '';
      } catch (error) {
        tell(error as Error);
      }
    }
  };

  const done = (async () => {
    let waitMs = waitsMs.first;
    while (!stopped.signal.aborted) {
      const connection = link.current;
      if (connection) {
        const began = Date.now();
        await readOnce(connection).catch(tell);
        waitMs = Date.now() - began > waitsMs.last ? waitsMs.first : Math.min(waitMs * 2, waitsMs.last);
      }
      await sleep(waitMs, undefined, { signal: stopped.signal }).catch(() => {});
    }
  })();

  return {
    async stop() {
      stopped.abort();
      leave();
      await open?.close();
      await done;
    },
  };
}

async function openMessages(connection: NatsConnection, queue: Queue): Promise<ConsumerMessages> {
  const manager = await connection.jetstreamManager();
  const config = {
    durable_name: queue.durable,
    filter_subject: queue.filter,
    ack_policy: 'explicit' as never,
    ack_wait: queue.ackWaitMs * nanosPerMs,
    max_ack_pending: aheadMax,
    ...(queue.inactiveMs ? { inactive_threshold: queue.inactiveMs * nanosPerMs } : {}),
  };
  const info = await manager.consumers.add(queue.stream, config);
  const { state } = await manager.streams.info(queue.stream);
  if (info.delivered.stream_seq > state.last_seq) {
    // The stream lost its tail (power, a full disk) and the consumer kept its place: it would wait for ever for
    // numbers that come again. Tried on nats-server 2.9.10.
    await manager.consumers.delete(queue.stream, queue.durable);
    await manager.consumers.add(queue.stream, config);
  }
  const consumer = await connection.jetstream().consumers.get(queue.stream, queue.durable);
  return consumer.consume({ max_messages: aheadMax, abort_on_missing_resource: true });
}

/** Two missed heart-beats in a row: the consumer may be gone without a word. Reading begins anew. */
function closeWhenDeaf(messages: ConsumerMessages): void {
  void (async () => {
    for await (const status of await messages.status()) {
      if (status.type === 'heartbeats_missed' && Number(status.data) >= 2) void messages.close();
    }
  })().catch(() => {});
}
