/** One pass of the relay over the outbox, and the comparison of stream and log that precedes the first. */
import type { NatsConnection } from 'nats';
import type { EventEnvelope } from './envelope.ts';
import type { EventLog, OutboxRow, RunRow } from './log-types.ts';
import { type PublishParts, publishRun, TailLost } from './relay-publish.ts';
import { eventMaxAgeMs, eventStream, type StreamHead, streamHead } from './stream.ts';
import { StreamError } from './stream-error.ts';

/** Events read from the outbox at once. Bounds memory and how much is published again after a crash. */
const batchMax = 256;

/** What the relay remembers of the stream, so that it asks once per run; forgotten when the server was lost. */
export interface RelayMemory {
  heads: Map<string, StreamHead>;
  /** Events up to this seq are published again after a loss. */
  rebuiltTo: Map<string, number>;
}

export const newMemory = (): RelayMemory => ({ heads: new Map(), rebuiltTo: new Map() });

export async function publishPartsOf(nc: NatsConnection): Promise<PublishParts> {
  const nats = await import('nats');
  return { js: nc.jetstream(), manager: await nc.jetstreamManager(), newHeaders: nats.headers };
}

/**
 * Publishes the oldest events of the outbox; runs side by side, each run's events one after the other. Answers
 * false when the outbox was empty.
 * @param onFault hears of a run that cannot be published; its events leave the outbox, the log keeps them
 * @throws the client's error when the server is away; what was acknowledged has left the outbox
 */
export async function relayBatch(
  log: EventLog,
  parts: PublishParts,
  memory: RelayMemory,
  onFault: (error: StreamError) => void,
): Promise<boolean> {
  const rows = log.outboxBatch(batchMax);
  const done: number[] = [];
  const failures: unknown[] = [];
  const publishOne = async (runId: string, rowsOfRun: OutboxRow[]): Promise<void> => {
    try {
      const rebuiltTo = memory.rebuiltTo.get(runId) ?? 0;
      const head = await publishRun(parts, rowsOfRun, memory.heads.get(runId), rebuiltTo, (row) =>
        done.push(row.gseq),
      );
      if (head !== undefined) memory.heads.set(runId, head);
    } catch (error) {
      memory.heads.delete(runId);
      if (error instanceof TailLost) {
        republish(log, memory, runId, error.fromSeq);
      } else if (error instanceof StreamError) {
        onFault(error);
        done.push(...rowsOfRun.map((row) => row.gseq));
      } else {
        failures.push(error);
      }
    }
  };
  // At most `batchMax` runs, each with one message in flight.
  await Promise.all([...byRun(rows)].map(([runId, ofRun]) => publishOne(runId, ofRun)));
  log.markPublished(done);
  if (failures.length > 0) throw failures[0];
  return rows.length > 0;
}

function byRun(rows: readonly OutboxRow[]): Map<string, OutboxRow[]> {
  const grouped = new Map<string, OutboxRow[]>();
  for (const row of rows) {
    const ofRun = grouped.get(row.runId);
    if (ofRun === undefined) grouped.set(row.runId, [row]);
    else ofRun.push(row);
  }
  return grouped;
}

function republish(log: EventLog, memory: RelayMemory, runId: string, fromSeq: number): void {
  if (log.requeue(runId, fromSeq) > 0) memory.rebuiltTo.set(runId, log.version(runId));
}

/**
 * Compares the stream's last event of each run with the log. What the stream lost goes back into the outbox.
 * Runs whose last event is older than the stream keeps events are left out.
 * @returns a fault for each run of which the stream says something that the log does not
 * @throws the client's error when the server is away
 */
export async function reconcile(
  log: EventLog,
  parts: PublishParts,
  memory: RelayMemory,
  now: number,
): Promise<StreamError[]> {
  const faults: StreamError[] = [];
  for (const run of log.listRuns()) {
    const last = eventAt(log, run, run.version);
    if (last === undefined || now - last.at > eventMaxAgeMs) continue;
    const head = await streamHead(parts.manager, run.runId);
    const fault = faultOf(log, run, head);
    if (fault !== null) faults.push(fault);
    else if (head.seq < run.version) republish(log, memory, run.runId, head.seq + 1);
  }
  return faults;
}

function faultOf(log: EventLog, run: RunRow, head: StreamHead): StreamError | null {
  const remedy = `delete the stream ${eventStream}: it is filled again from the log`;
  if (head.seq > run.version)
    return new StreamError(
      'streamAhead',
      `the stream has ${head.seq} events of run ${run.runId}, the log ${run.version}, as if the log came from a backup: ${remedy}`,
    );
  if (head.seq > 0 && eventAt(log, run, head.seq)?.hash !== head.hash)
    return new StreamError(
      'streamConflict',
      `stream and log differ at event ${head.seq} of run ${run.runId}: ${remedy}`,
    );
  return null;
}

function eventAt(log: EventLog, run: RunRow, seq: number): EventEnvelope | undefined {
  return log.readEnvelopes(run.runId, seq, seq).next().value as EventEnvelope | undefined;
}
