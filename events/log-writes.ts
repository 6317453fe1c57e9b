/** Small writes beside appending: epoch, grants, late results, quarantine, outbox. */
import type { Database } from 'better-sqlite3';
import { LogError } from './log-error.ts';
import { statement } from './log-source.ts';
import type { LateResult, OutboxRow } from './log-types.ts';

export function acquireEpoch(db: Database, owner: string): number {
  const raise = db.transaction(() => {
    const put = statement(db, 'INSERT OR REPLACE INTO meta(key, value) VALUES (?, ?)');
    const row = statement(db, "SELECT value FROM meta WHERE key = 'epoch'").get() as
      | { value: string }
      | undefined;
    const epoch = Number(row?.value ?? 0) + 1;
    put.run('epoch', String(epoch));
    put.run('owner', owner);
    return epoch;
  });
  return raise.immediate();
}

export function grantEffect(db: Database, runId: string, effectId: string, worker: string): number {
  const sql = `UPDATE effects SET token = token + 1, worker = ?
    WHERE run_id = ? AND effect_id = ? AND state = 'open' RETURNING token`;
  const row = statement(db, sql).get(worker, runId, effectId) as { token: number } | undefined;
  if (row === undefined)
    throw new LogError('staleAnswer', `run ${runId} has no open effect ${effectId}: do not dispatch it`);
  return row.token;
}

export function storeLateResult(db: Database, late: LateResult): void {
  statement(
    db,
    `INSERT INTO late_results(run_id, effect_id, token, worker, at, reason, answer) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  ).run(late.runId, late.effectId, late.token, late.worker, late.at, late.reason, late.answer);
}

export function quarantine(db: Database, runId: string, reason: string): void {
  const sql = "UPDATE runs SET status = 'quarantined', quarantine_reason = ? WHERE run_id = ?";
  if (statement(db, sql).run(reason, runId).changes !== 1)
    throw new LogError('runNotFound', `there is no run ${runId} to quarantine`);
}

export function outboxBatch(db: Database, limit: number): OutboxRow[] {
  const sql = `SELECT gseq, run_id AS runId, seq, id, type, body, hash FROM outbox JOIN events USING (gseq)
    ORDER BY gseq LIMIT ?`;
  return statement(db, sql).all(limit) as OutboxRow[];
}

export function outboxSize(db: Database): number {
  return (statement(db, 'SELECT count(*) AS size FROM outbox').get() as { size: number }).size;
}

export function markPublished(db: Database, gseqs: readonly number[]): void {
  const remove = statement(db, 'DELETE FROM outbox WHERE gseq = ?');
  db.transaction(() => {
    for (const gseq of gseqs) remove.run(gseq);
  }).immediate();
}

export function requeue(db: Database, runId: string, fromSeq: number): number {
  const sql = 'INSERT OR IGNORE INTO outbox(gseq) SELECT gseq FROM events WHERE run_id = ? AND seq >= ?';
  return statement(db, sql).run(runId, fromSeq).changes;
}
