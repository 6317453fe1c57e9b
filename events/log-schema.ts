/**
 * Tables of the log. `runs`, `effects` and `timers` say what the events say, but for tokens, workers and quarantine;
 * they are written in the transaction of the events that they follow from.
 */
import type { Database } from 'better-sqlite3';

/** `user_version` of the file. Raise it with a migration. */
export const logSchemaVersion = 1;
/** `application_id` of the file: "ATSR". Tells a log from any other SQLite database. */
export const logApplicationId = 0x41545352;

const tables = `
CREATE TABLE events(
  gseq INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  id TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL,
  kind TEXT NOT NULL,
  actor TEXT NOT NULL,
  at INTEGER NOT NULL,
  commit_seq INTEGER NOT NULL,
  body TEXT NOT NULL,
  prev_hash TEXT NOT NULL,
  hash TEXT NOT NULL,
  UNIQUE(run_id, seq)
) STRICT;
CREATE TRIGGER events_are_never_edited BEFORE UPDATE ON events
  BEGIN SELECT RAISE(ABORT, 'an event is never edited'); END;
CREATE TRIGGER events_are_never_deleted BEFORE DELETE ON events
  BEGIN SELECT RAISE(ABORT, 'an event is never deleted'); END;

CREATE TABLE runs(
  run_id TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  head_hash TEXT NOT NULL,
  status TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  source TEXT NOT NULL DEFAULT '',
  repo_name TEXT NOT NULL DEFAULT '',
  platform TEXT NOT NULL DEFAULT '',
  verdict TEXT,
  exit_code INTEGER,
  cost_usd REAL NOT NULL DEFAULT 0,
  owner TEXT NOT NULL DEFAULT '',
  parent TEXT,
  parent_seq INTEGER,
  quarantine_reason TEXT
) STRICT;
CREATE INDEX runs_by_start ON runs(started_at);
CREATE INDEX runs_by_package ON runs(repo_name, started_at);

CREATE TABLE effects(
  run_id TEXT NOT NULL,
  effect_id TEXT NOT NULL,
  name TEXT NOT NULL,
  capability TEXT NOT NULL,
  token INTEGER NOT NULL DEFAULT 0,
  state TEXT NOT NULL,
  deadline INTEGER NOT NULL,
  requested_seq INTEGER NOT NULL,
  ended_seq INTEGER,
  worker TEXT,
  PRIMARY KEY(run_id, effect_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX effects_open ON effects(run_id, requested_seq) WHERE state = 'open';

CREATE TABLE timers(
  run_id TEXT NOT NULL,
  timer_id TEXT NOT NULL,
  due INTEGER NOT NULL,
  set_seq INTEGER NOT NULL,
  ended_seq INTEGER,
  PRIMARY KEY(run_id, timer_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX timers_open ON timers(due) WHERE ended_seq IS NULL;

CREATE TABLE outbox(gseq INTEGER PRIMARY KEY) STRICT;
CREATE TABLE inbox(msg_id TEXT PRIMARY KEY, gseq INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE late_results(
  id INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL,
  effect_id TEXT NOT NULL,
  token INTEGER NOT NULL,
  worker TEXT NOT NULL,
  at INTEGER NOT NULL,
  reason TEXT NOT NULL,
  answer TEXT NOT NULL
) STRICT;
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
`;

/** Makes the tables in a new file; does nothing in one that has them. Whole or not at all. */
export function createTables(db: Database): void {
  const isThere = () => db.pragma('user_version', { simple: true }) !== 0;
  if (isThere()) return;
  const create = db.transaction(() => {
    // Asked again inside the lock: another process may have made them a moment ago.
    if (isThere()) return;
    db.exec(tables);
    db.pragma(`application_id = ${logApplicationId}`);
    db.pragma(`user_version = ${logSchemaVersion}`);
  });
  create.immediate();
}
