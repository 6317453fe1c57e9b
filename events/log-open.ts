/** Opens the log's file for writing, and makes sure that a commit is on disk when it says so. */
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { asLogError, corruptLog, LogError } from './log-error.ts';
import { createTables, logApplicationId, logSchemaVersion } from './log-schema.ts';

/** How long a second writer waits for the first, ms. Source: stack notes, SQLite: 5 s blocks the event loop, so no more. */
export const busyTimeoutMs = 5_000;
/** Tries of the switch to WAL, which SQLite refuses at once while another process is making the same file. */
const walSwitchTries = 50;

/**
 * A connection with WAL, `synchronous=FULL` and foreign keys, each read back.
 * @throws LogError `unwritable`, `corrupt`, `locked`, `diskFull`
 */
export function openForWriting(path: string): Database.Database {
  if (!existsSync(dirname(path)))
    throw new LogError(
      'unwritable',
      `the folder ${dirname(path)} does not exist: make it, or set ATESOR_HOME`,
    );
  refuseTruncated(path);
  let db: Database.Database | undefined;
  try {
    db = new Database(path, { timeout: busyTimeoutMs });
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
export function assertLogFile(db: Database.Database, path: string): void {
  const applicationId = db.pragma('application_id', { simple: true });
  const version = db.pragma('user_version', { simple: true }) as number;
  if (version > logSchemaVersion)
    throw new LogError(
      'unknownVersion',
      `${path} has schema ${version}, this program knows ${logSchemaVersion}: use the newer atesor`,
    );
  if (applicationId !== logApplicationId || version < 1) throw corruptLog(path, 'it is no log of atesor');
}

/**
 * Refuses a file that is shorter than its own header says. SQLite would find out only when it needs a
 * missing page. With a `-wal` beside it the header may rightly be ahead, and recovery decides.
 */
export function refuseTruncated(path: string): void {
  if (!existsSync(path) || existsSync(`${path}-wal`)) return;
  const fd = openSync(path, 'r');
  try {
    const header = new Uint8Array(100);
    const size = fstatSync(fd).size;
    if (size === 0) return;
    const read = readSync(fd, header, 0, 100, 0);
    const view = new DataView(header.buffer);
    const pageSize = view.getUint16(16) === 1 ? 65_536 : view.getUint16(16);
    const pages = view.getUint32(28);
    if (read < 100 || size < pageSize * pages)
      throw corruptLog(path, `${size} bytes of ${Math.max(pageSize * pages, 100)} are left`);
  } finally {
    closeSync(fd);
  }
}

function switchToWal(db: Database.Database): void {
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

function assertSettings(db: Database.Database, path: string): void {
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
