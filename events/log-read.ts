/** Reading events back: a run's own and, by reference, those of the runs it was forked from. */
import type { EventBody, EventEnvelope } from './envelope.ts';
import { corruptLog, LogError } from './log-error.ts';
import { type LogSource, statement } from './log-source.ts';
import { parseBody } from './upcast.ts';

/** Rows read at once. Small enough to hold even if all were of the longest, large enough to cost nothing (bench). */
const pageRows = 128;

export interface StoredEvent {
  seq: number;
  body: string;
  prevHash: string;
  hash: string;
}

/** Bodies from `fromSeq` to `toSeq`, both included; the end is fixed when reading starts. */
export function* readBodies(
  source: LogSource,
  runId: string,
  fromSeq = 1,
  toSeq = Number.MAX_SAFE_INTEGER,
): Generator<EventBody> {
  for (const row of readStored(source, runId, fromSeq, toSeq)) yield parse(source, runId, row);
}

export function* readEnvelopes(
  source: LogSource,
  runId: string,
  fromSeq = 1,
  toSeq = Number.MAX_SAFE_INTEGER,
): Generator<EventEnvelope> {
  for (const row of readStored(source, runId, fromSeq, toSeq))
    yield { ...parse(source, runId, row), prevHash: row.prevHash, hash: row.hash };
}

/** The rows as they are stored. Pages by seq: the log only grows, so pages of one run always fit together. */
export function* readStored(
  source: LogSource,
  runId: string,
  fromSeq: number,
  toSeq: number,
): Generator<StoredEvent> {
  const segments = source.read((db) => segmentsOf(statement(db, segmentSql), runId));
  let next = Math.max(1, fromSeq);
  for (const segment of segments) {
    const last = Math.min(segment.to, toSeq);
    while (next <= last) {
      const to = Math.min(last, next + pageRows - 1);
      const page = source.read((db) => statement(db, pageSql).all(segment.runId, next, to) as StoredEvent[]);
      if (page.length !== to - next + 1)
        throw corruptLog(source.path, `run ${runId} has ${page.length} of the events ${next} to ${to}`);
      yield* page;
      next = to + 1;
    }
  }
}

const pageSql =
  'SELECT seq, body, prev_hash AS prevHash, hash FROM events WHERE run_id = ? AND seq BETWEEN ? AND ? ORDER BY seq';

interface Segment {
  runId: string;
  /** Last seq that is read from this run. */
  to: number;
}

const segmentSql = 'SELECT version, parent, parent_seq AS parentSeq FROM runs WHERE run_id = ?';

/** The runs that hold the events of `runId`, the oldest first. */
function segmentsOf(row: { get(runId: string): unknown }, runId: string): Segment[] {
  const segments: Segment[] = [];
  let to = Number.MAX_SAFE_INTEGER;
  let run: string | null = runId;
  while (run !== null) {
    const found = row.get(run) as
      | { version: number; parent: string | null; parentSeq: number | null }
      | undefined;
    if (found === undefined)
      throw new LogError('runNotFound', `there is no run ${run}: \`atesor runs\` lists those there are`);
    // Appending bounds the depth; a longer chain here is damage.
    if (segments.length > forkDepthMax)
      throw new LogError('corrupt', `run ${runId} is a fork of over ${forkDepthMax} forks`);
    segments.unshift({ runId: run, to: Math.min(to, found.version) });
    to = Math.min(to, found.parentSeq ?? 0);
    run = found.parent;
  }
  return segments;
}

/** How many forks of forks may stand between a run and its first event. Source: engine anchors §5.11. */
export const forkDepthMax = 32;

function parse(source: LogSource, runId: string, row: StoredEvent): EventBody {
  try {
    return parseBody(row.body);
  } catch (error) {
    if (error instanceof LogError) throw error;
    throw corruptLog(source.path, `event ${row.seq} of run ${runId}: ${(error as Error).message}`, error);
  }
}
