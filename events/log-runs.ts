/** The run list, and finding a run by what a person types. */
import { LogError } from './log-error.ts';
import { type LogSource, statement } from './log-source.ts';
import type { EffectRow, LateResult, RunRow, TimerRow } from './log-types.ts';

const columns = `run_id AS runId, source, repo_name AS repoName, platform, status, verdict, exit_code AS exitCode,
  started_at AS startedAt, ended_at AS endedAt, version AS events, cost_usd AS costUsd, version,
  head_hash AS headHash, owner, parent, parent_seq AS parentSeq, quarantine_reason AS quarantineReason`;
// Two runs of one millisecond: a ULID sorts by time, so the id decides.
const newestFirst = 'ORDER BY started_at DESC, run_id DESC';

/** Candidates that an error about an ambiguous name lists. */
const candidatesMax = 10;

export function listRuns(source: LogSource): RunRow[] {
  return source.read((db) => statement(db, `SELECT ${columns} FROM runs ${newestFirst}`).all() as RunRow[]);
}

export function runVersion(source: LogSource, runId: string): number {
  return source.read(
    (db) =>
      (
        statement(db, 'SELECT version FROM runs WHERE run_id = ?').get(runId) as
          | { version: number }
          | undefined
      )?.version ?? 0,
  );
}

/**
 * A run by exact id, `last`, package name (its last run) or unique prefix of an id, tried in this order.
 * @throws LogError `runNotFound`, `ambiguousRun`
 */
export function findRun(source: LogSource, ref: string): RunRow {
  const name = ref.trim();
  const id = name.toLowerCase();
  const one = (where: string, ...values: string[]) =>
    source.read(
      (db) =>
        statement(db, `SELECT ${columns} FROM runs WHERE ${where} ${newestFirst} LIMIT 1`).get(...values) as
          | RunRow
          | undefined,
    );
  const exact = one('run_id IN (?, ?)', id, name);
  if (exact !== undefined) return exact;
  if (id === 'last') {
    const last = one('TRUE');
    if (last !== undefined) return last;
    throw new LogError('runNotFound', 'there is no run yet: start one with `atesor port SOURCE`');
  }
  const byPackage = one('repo_name = ?', name);
  if (byPackage !== undefined) return byPackage;
  const byPrefix = name === '' ? [] : runsByPrefix(source, id);
  if (byPrefix.length === 1) return byPrefix[0] as RunRow;
  if (byPrefix.length === 0)
    throw new LogError(
      'runNotFound',
      `no run is called "${ref}": give an id, the start of one, a package name or \`last\`; \`atesor runs\` lists them`,
    );
  const listed = byPrefix.slice(0, candidatesMax).map((run) => `${run.runId} (${run.repoName})`);
  if (byPrefix.length > candidatesMax) listed.push('…');
  throw new LogError(
    'ambiguousRun',
    `"${ref}" begins more than one run, give more of it: ${listed.join(', ')}`,
  );
}

function runsByPrefix(source: LogSource, prefix: string): RunRow[] {
  return source.read(
    (db) =>
      statement(
        db,
        `SELECT ${columns} FROM runs WHERE substr(run_id, 1, length(:prefix)) = :prefix ${newestFirst} LIMIT ${candidatesMax + 1}`,
      ).all({ prefix }) as RunRow[],
  );
}

const effectColumns = `effect_id AS effectId, run_id AS runId, name, capability, token, state, deadline,
  requested_seq AS requestedSeq, worker`;

export function openEffects(source: LogSource, runId?: string): EffectRow[] {
  const sql = `SELECT ${effectColumns} FROM effects WHERE state = 'open' AND (:run IS NULL OR run_id = :run)
    ORDER BY run_id, requested_seq`;
  return source.read((db) => statement(db, sql).all({ run: runId ?? null }) as EffectRow[]);
}

export function findEffect(source: LogSource, runId: string, effectId: string): EffectRow | null {
  const sql = `SELECT ${effectColumns} FROM effects WHERE run_id = ? AND effect_id = ?`;
  return source.read((db) => (statement(db, sql).get(runId, effectId) as EffectRow | undefined) ?? null);
}

export function openTimers(source: LogSource, runId?: string): TimerRow[] {
  const sql = `SELECT timer_id AS timerId, run_id AS runId, due FROM timers
    WHERE ended_seq IS NULL AND (:run IS NULL OR run_id = :run) ORDER BY due, run_id, set_seq`;
  return source.read((db) => statement(db, sql).all({ run: runId ?? null }) as TimerRow[]);
}

export function lateResults(source: LogSource, runId: string): LateResult[] {
  const sql = `SELECT run_id AS runId, effect_id AS effectId, token, worker, at, reason, answer
    FROM late_results WHERE run_id = ? ORDER BY id`;
  return source.read((db) => statement(db, sql).all(runId) as LateResult[]);
}

export function currentEpoch(source: LogSource): number {
  return source.read((db) =>
    Number(
      (statement(db, "SELECT value FROM meta WHERE key = 'epoch'").get() as { value: string } | undefined)
        ?.value ?? 0,
    ),
  );
}
