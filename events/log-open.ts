/** Opens the log's file for writing, and makes sure that a commit is on disk when it says so. */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Database } from 'better-sqlite3';
import { asLogError, corruptLog, LogError } from './log-error.ts';
import { createTables, logApplicationId, logSchemaVersion } from './log-schema.ts';
import { openDatabase, releaseReaders } from './sqlite.ts';

/** Tries of the switch to WAL, which SQLite refuses at once while another process is making the same file. */
const walSwitchTries = 50;

/**
 * A connection with WAL, `synchronous=FULL` and foreign keys, each read back.
 * @throws LogError `unwritable`, `corrupt`, `locked`, `diskFull`
 */
export function openForWriting(path: string): Database {
  if (!existsSync(dirname(path)))
    throw new LogError(
      'unwritable',
      `the folder ${dirname(path)} does not exist: make it, or set ATESOR_HOME`,
    );
  let db: Database | undefined;
  try {
    releaseReaders(path);
    db = openDatabase(path);
    refuseForeign(db, path);
    switchToWal(db);
    db.pragma('synchronous = FULL');
    db.pragma('foreign_keys = ON');
    createTables(db);
    assertSettings(db, path);
    return db;
  } catch (error) {
    db?.close();
    throw asLogError(error, path);
  }
}

/** Refuses a file that is no log of ours or comes from a newer program. */
export function assertLogFile(db: Database, path: string): void {
  const applicationId = db.pragma('application_id', { simple: true });
  const version = db.pragma('user_version', { simple: true }) as number;
  if (version > logSchemaVersion)
    throw new LogError(
      'unknownVersion',
      `${path} has schema ${version}, this program knows ${logSchemaVersion}: use the newer atesor`,
    );
  if (isEmpty(db))
    throw new LogError('missing', `there is no log at ${path} yet: start a run with \`atesor port SOURCE\``);
  if (applicationId !== logApplicationId || version < 1) throw corruptLog(path, 'it is no log of atesor');
}

/** A first start that ran out of space, or was killed, leaves a database with nothing in it. */
function isEmpty(db: Database): boolean {
  return (
    db.pragma('application_id', { simple: true }) === 0 &&
    db.pragma('user_version', { simple: true }) === 0 &&
    db.prepare('SELECT 1 FROM sqlite_master').get() === undefined
  );
}

/** Before anything is written: a database of another program stays as it is. */
function refuseForeign(db: Database, path: string): void {
  if (!isEmpty(db)) assertLogFile(db, path);
}

function switchToWal(db: Database): void {
  for (let tries = 1; ; tries++) {
    try {
      db.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      const busy = String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY');
      if (!busy || tries >= walSwitchTries) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }
}

function assertSettings(db: Database, path: string): void {
  assertLogFile(db, path);
  const mode = db.pragma('journal_mode', { simple: true });
  const synchronous = db.pragma('synchronous', { simple: true });
  const foreignKeys = db.pragma('foreign_keys', { simple: true });
  // better-sqlite3 compiles WAL with synchronous=NORMAL, which can lose acknowledged commits: 2 is FULL.
  if (mode !== 'wal' || synchronous !== 2 || foreignKeys !== 1)
    throw new LogError(
      'unwritable',
      `${path} could not be set up for durable writes (journal_mode=${mode}, synchronous=${synchronous}): put it on a local disk`,
    );
}
