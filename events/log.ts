/**
 * The log: every recorded fact, in SQLite, and the only truth.
 *
 * L1 an input and all that follows from it are appended in one durable transaction, or not at all.
 * L2 seq is 1, 2, 3 … per run without a gap, and each event's hash covers the one before it.
 * L3 only the latest epoch appends, only at the version it folded, only once per inbox id.
 * L4 an effect gets one answer, under its current token.
 * L5 an event is never edited or deleted.
 * L6 a log opened read-only changes no byte in its folder.
 */
import type { Database } from 'better-sqlite3';
import type { EventBody } from './envelope.ts';
import { prepareAppend } from './log-append.ts';
import { auditRun } from './log-audit.ts';
import { asLogError } from './log-error.ts';
import { openForWriting } from './log-open.ts';
import { type BatchOutcome, groupCommit } from './log-queue.ts';
import { readBodies, readEnvelopes } from './log-read.ts';
import { openWithoutTrace } from './log-readonly.ts';
import * as runs from './log-runs.ts';
import type { LogSource } from './log-source.ts';
import type { AppendBatch, AppendListener, EventLog, LogReader } from './log-types.ts';
import * as writes from './log-writes.ts';

/** Opens the log at `path` for writing; makes it when there is none. @throws LogError */
export function openLog(path: string, options?: { readonly?: false }): EventLog;
/** Opens the log at `path` without changing a byte of its folder, also while another process writes. @throws LogError */
export function openLog(path: string, options: { readonly: true }): LogReader;
export function openLog(path: string, options: { readonly?: boolean } = {}): LogReader {
  return options.readonly === true ? reader(openWithoutTrace(path)) : writer(path);
}

function reader(source: LogSource): LogReader {
  return {
    path: source.path,
    readonly: source.readonly,
    version: (runId) => runs.runVersion(source, runId),
    readBodies: (runId, fromSeq, toSeq) => readBodies(source, runId, fromSeq, toSeq),
    readEnvelopes: (runId, fromSeq, toSeq) => readEnvelopes(source, runId, fromSeq, toSeq),
    listRuns: () => runs.listRuns(source),
    findRun: (ref) => runs.findRun(source, ref),
    openEffects: (runId) => runs.openEffects(source, runId),
    findEffect: (runId, effectId) => runs.findEffect(source, runId, effectId),
    openTimers: (runId) => runs.openTimers(source, runId),
    lateResults: (runId) => runs.lateResults(source, runId),
    currentEpoch: () => runs.currentEpoch(source),
    audit: (runId, blobs) => auditRun(source, runId, blobs),
    close: () => source.close(),
  };
}

function writer(path: string): EventLog {
  const db = openForWriting(path);
  const guard = <T>(write: () => T): T => {
    try {
      return write();
    } catch (error) {
      throw asLogError(error, path);
    }
  };
  const source: LogSource = {
    path,
    readonly: false,
    read: (query) => guard(() => query(db)),
    close: () => db.close(),
  };
  const listeners = new Set<AppendListener>();
  const commitAll = committer(db, path, listeners);
  const queue = groupCommit(commitAll);
  return {
    ...reader(source),
    acquireEpoch: (owner) => guard(() => writes.acquireEpoch(db, owner)),
    append: (batch) => {
      const outcome = commitAll([batch])[0] as BatchOutcome;
      if ('error' in outcome) throw outcome.error;
      return outcome.result;
    },
    appendQueued: queue.append,
    quarantine: (runId, reason) => guard(() => writes.quarantine(db, runId, reason)),
    grantEffect: (runId, effectId, worker) => guard(() => writes.grantEffect(db, runId, effectId, worker)),
    storeLateResult: (late) => guard(() => writes.storeLateResult(db, late)),
    outboxBatch: (limit) => guard(() => writes.outboxBatch(db, limit)),
    outboxSize: () => guard(() => writes.outboxSize(db)),
    markPublished: (gseqs) => guard(() => writes.markPublished(db, gseqs)),
    requeue: (runId, fromSeq) => guard(() => writes.requeue(db, runId, fromSeq)),
    onAppend: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => {
      queue.flush();
      db.close();
    },
  };
}

/** What is committed stays committed: a listener's fault is thrown outside, not at the appender. */
function tell(listeners: ReadonlySet<AppendListener>, events: readonly EventBody[]): void {
  for (const listener of listeners) {
    try {
      listener(events);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}

/** Commits batches in one transaction, each in its own savepoint: a bad one leaves no trace and stops no other. */
function committer(
  db: Database,
  path: string,
  listeners: ReadonlySet<AppendListener>,
): (batches: AppendBatch[]) => BatchOutcome[] {
  const append = prepareAppend(db);
  const appendOne = db.transaction(append);
  const attempt = (batch: AppendBatch): BatchOutcome => {
    try {
      return { result: appendOne(batch) };
    } catch (error) {
      const failure = asLogError(error, path);
      // A full or damaged disk ends the transaction itself; nothing of it may count.
      if (!db.inTransaction) throw failure;
      return { error: failure };
    }
  };
  const all = db.transaction((batches: AppendBatch[]): BatchOutcome[] => {
    const only = batches.length === 1 ? batches[0] : undefined;
    // Alone it needs no savepoint: it fails with its transaction.
    return only === undefined ? batches.map(attempt) : [{ result: append(only) }];
  });
  return (batches) => {
    let outcomes: BatchOutcome[];
    try {
      outcomes = all.immediate(batches);
    } catch (error) {
      throw asLogError(error, path);
    }
    for (const outcome of outcomes)
      if ('result' in outcome && !outcome.result.duplicate) tell(listeners, outcome.result.events);
    return outcomes;
  };
}
