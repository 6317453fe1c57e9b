/** Publishing one run's waiting events, in order, each exactly once in the stream. */
import type { JetStreamClient, JetStreamManager, MsgHdrs } from 'nats';
import type { OutboxRow } from './log-types.ts';
import { eventHeaders, eventSubject, type StreamHead, streamHead } from './stream.ts';
import { jsErrorCode, jsErrors, StreamError } from './stream-error.ts';

/** How long a publish may wait for its acknowledgement, ms. A healthy one takes 0.2 ms (stack notes, NATS). */
const ackTimeoutMs = 2_000;
/** Times that the expected place of one event may prove wrong before the stream counts as beyond repair. */
const correctionsMax = 3;

export interface PublishParts {
  js: JetStreamClient;
  manager: JetStreamManager;
  newHeaders: () => MsgHdrs;
}

/** The stream no longer has events that were published before: they must be published again from `fromSeq`. */
export class TailLost extends Error {
  readonly runId: string;
  readonly fromSeq: number;
  constructor(runId: string, fromSeq: number) {
    super(`the stream lost run ${runId} from event ${fromSeq} on`);
    this.runId = runId;
    this.fromSeq = fromSeq;
  }
}

/**
 * Publishes rows of one run, which are in order; calls `published` for each that the stream has. Answers with the
 * run's new head in the stream.
 * @param known the head as this relay left it, or undefined when it must be asked for
 * @param rebuiltTo events up to this seq are published again after a loss
 * @throws TailLost, StreamError `streamConflict`, and the client's errors
 */
export async function publishRun(
  parts: PublishParts,
  rows: readonly OutboxRow[],
  known: StreamHead | undefined,
  rebuiltTo: number,
  published: (row: OutboxRow) => void,
): Promise<StreamHead | undefined> {
  let head = known;
  for (const row of rows) {
    head ??= await streamHead(parts.manager, row.runId);
    head = await place(parts, row, head, row.seq <= rebuiltTo);
    published(row);
  }
  return head;
}

/** Brings one event into the stream behind `head`, unless it is there already. */
async function place(
  parts: PublishParts,
  row: OutboxRow,
  head: StreamHead,
  isRebuilt: boolean,
): Promise<StreamHead> {
  let at = head;
  for (let corrections = 0; corrections <= correctionsMax; corrections++) {
    if (isThere(at, row)) return at;
    if (at.seq > 0 && at.seq < row.seq - 1) throw new TailLost(row.runId, at.seq + 1);
    try {
      return await publish(parts, row, at, isRebuilt);
    } catch (error) {
      if (jsErrorCode(error) !== jsErrors.wrongLastSequence) throw error;
      const now = await streamHead(parts.manager, row.runId);
      if (now.seq < at.seq) throw new TailLost(row.runId, now.seq + 1);
      at = now;
    }
  }
  throw new StreamError(
    'streamConflict',
    `somebody else publishes events of run ${row.runId}: end the other program that uses this data folder`,
  );
}

/** True when the stream has this event, or a later one of the same run. */
function isThere(head: StreamHead, row: OutboxRow): boolean {
  if (head.seq < row.seq) return false;
  if (head.seq === row.seq && head.hash !== row.hash)
    throw new StreamError(
      'streamConflict',
      `stream and log differ at event ${row.seq} of run ${row.runId}: delete the stream ATESOR_EVENTS, it is filled again from the log`,
    );
  return true;
}

async function publish(
  parts: PublishParts,
  row: OutboxRow,
  head: StreamHead,
  isRebuilt: boolean,
): Promise<StreamHead> {
  const headers = parts.newHeaders();
  headers.set(eventHeaders.id, row.id);
  headers.set(eventHeaders.type, row.type);
  headers.set(eventHeaders.seq, String(row.seq));
  headers.set(eventHeaders.hash, row.hash);
  const ack = await parts.js.publish(eventSubject(row.runId), row.body, {
    headers,
    timeout: ackTimeoutMs,
    expect: { lastSubjectSequence: head.streamSeq },
    // An event that the stream lost may still be remembered by its id, and would be swallowed as a duplicate.
    ...(isRebuilt ? {} : { msgID: row.id }),
  });
  return { streamSeq: ack.seq, seq: row.seq, hash: row.hash };
}
