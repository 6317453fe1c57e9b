/** Reading a run's events live from the event stream: for those that have no log. */
import type { ConsumerMessages, JsMsg, NatsConnection } from 'nats';
import type { EventBody } from './envelope.ts';
import { eventHeaders, eventStream, eventSubject } from './stream.ts';
import { StreamError } from './stream-error.ts';
import { parseBody } from './upcast.ts';

/** How long a reader waits for the first event, ms. A consumer that the server refused is silent for ever. */
const firstEventMs = 10_000;

export interface FollowOptions {
  /** The first seq that is wanted; 1 by default. */
  fromSeq?: number;
  /** Ends the reading when aborted. */
  signal?: AbortSignal;
  firstEventMs?: number;
}

/**
 * The events of a run from the stream, in order and each once, the recorded ones first; ends after `run.finished`.
 * Goes on by itself when the server comes back after a loss.
 * @throws StreamError `noEvents`: none came in time; `streamGap`: the stream no longer has an event in between
 */
export async function* followRun(
  nc: NatsConnection,
  runId: string,
  options: FollowOptions = {},
): AsyncGenerator<EventBody> {
  let due = options.fromSeq ?? 1;
  const messages = await openMessages(nc, runId);
  const stop = () => messages.stop();
  options.signal?.addEventListener('abort', stop, { once: true });
  if (options.signal?.aborted) stop();
  let isLate = false;
  const first = setTimeout(() => {
    isLate = true;
    stop();
  }, options.firstEventMs ?? firstEventMs);
  try {
    for await (const message of messages) {
      clearTimeout(first);
      const seq = Number(message.headers?.get(eventHeaders.seq));
      // A stream that was filled again brings events a second time.
      if (seq < due) continue;
      if (seq > due) throw gap(runId, due, seq);
      const event = parseBody(message.string());
      yield event;
      due += 1;
      if (event.type === 'run.finished') return;
    }
    if (isLate) throw noEvents(runId, options.firstEventMs ?? firstEventMs);
  } finally {
    clearTimeout(first);
    options.signal?.removeEventListener('abort', stop);
    stop();
  }
}

async function openMessages(
  nc: NatsConnection,
  runId: string,
): Promise<ConsumerMessages & AsyncIterable<JsMsg>> {
  // `opt_start_seq`, because the client's own "deliver all" is refused by the server and then silent (stack notes).
  const consumer = await nc
    .jetstream()
    .consumers.get(eventStream, { filterSubjects: eventSubject(runId), opt_start_seq: 1 });
  return consumer.consume();
}

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
