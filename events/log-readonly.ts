/**
 * Reading a log without leaving a trace, whatever state its files are in.
 *
 * An ordinary read-only connection makes `-wal` and `-shm` files, and writes into a `-shm` that is there. So:
 *
 * | beside log.db | means | read by |
 * |---|---|---|
 * | nothing, or an empty `-wal` | no writer | `immutable=1`; if a writer comes meanwhile, the read is done again |
 * | `-wal` and `-shm` | a writer lives, or was killed | `readonly_shm=1`: SQLite's own locks, `-shm` not written |
 * | a full `-wal` alone | a copy of a folder | a copy of both files in a temporary folder |
 */
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Database } from 'better-sqlite3';
import { asLogError, LogError } from './log-error.ts';
import { assertLogFile } from './log-open.ts';
import type { LogSource } from './log-source.ts';
import { openDatabase, releaseForWriter } from './sqlite.ts';

/** Tries of one read while writers come and go. Each try needs a writer to start or end in between. */
const triesMax = 5;

interface Connection {
  db: Database;
  /** False when what was read may be torn, because a writer has come since. */
  stillTrue(): boolean;
  close(): void;
}

/** @throws LogError `missing`, `corrupt`, `unknownVersion`, `unwritable`, `locked` */
export function openWithoutTrace(path: string): LogSource {
  let connection: Connection | null = connect(path);
  const release = () => {
    connection?.close();
    connection = null;
  };
  const forget = releaseForWriter(path, release);
  return {
    path,
    readonly: true,
    read: (query) => {
      for (let tries = 1; tries <= triesMax; tries++) {
        connection ??= connect(path);
        try {
          const result = query(connection.db);
          if (connection.stillTrue()) return result;
        } catch (error) {
          // Torn pages can look like anything; a failure counts only when nobody wrote.
          if (connection.stillTrue()) throw asLogError(error, path);
        }
        release();
      }
      throw new LogError('locked', `${path} changed during ${triesMax} reads: try again in a moment`);
    },
    close: () => {
      forget();
      release();
    },
  };
}

function connect(path: string): Connection {
  if (!existsSync(path))
    throw new LogError('missing', `there is no log at ${path} yet: start a run with \`atesor port SOURCE\``);
  let last: unknown;
  for (let tries = 1; tries <= triesMax; tries++) {
    let connection: Connection | undefined;
    try {
      connection = connectOnce(path);
      assertLogFile(connection.db, path);
      if (connection.stillTrue()) return connection;
    } catch (error) {
      last = error;
      // The writer may have ended between the look at the files and the opening of them.
      if (
        connection === undefined
          ? (error as { code?: string }).code !== 'SQLITE_CANTOPEN'
          : connection.stillTrue()
      ) {
        connection?.close();
        throw asLogError(error, path);
      }
    }
    connection?.close();
  }
  throw asLogError(last, path);
}

function connectOnce(path: string): Connection {
  const walBytes = sizeOf(`${path}-wal`);
  if (existsSync(`${path}-shm`) && walBytes !== null) return connectBesideWriter(path);
  return walBytes ? connectToCopy(path) : connectAlone(path);
}

function connectBesideWriter(path: string): Connection {
  const db = openDatabase(`${pathToFileURL(path).href}?readonly_shm=1`, { readonly: true });
  return { db, stillTrue: () => true, close: () => db.close() };
}

function connectAlone(path: string): Connection {
  const before = fingerprint(path);
  const db = openDatabase(`${pathToFileURL(path).href}?immutable=1`, { readonly: true });
  return { db, stillTrue: () => fingerprint(path) === before, close: () => db.close() };
}

function connectToCopy(path: string): Connection {
  const folder = mkdtempSync(join(tmpdir(), 'atesor-log-'));
  const copy = join(folder, 'log.db');
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const before = fingerprint(path);
    for (const suffix of ['', '-wal']) copyFileSync(path + suffix, copy + suffix);
    // Opened for writing, so that SQLite can recover the copied -wal.
    const db = openDatabase(copy);
    const close = () => {
      db.close();
      remove();
    };
    return { db, stillTrue: () => fingerprint(path) === before, close };
  } catch (error) {
    remove();
    throw error;
  }
}

/** What a writer cannot leave as it was: it makes a `-shm` at once, and on its end changes or keeps the files. */
function fingerprint(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  const wal = statSync(`${path}-wal`, { bigint: true, throwIfNoEntry: false });
  return [
    stat?.ino,
    stat?.size,
    stat?.mtimeNs,
    wal?.size ?? 0n,
    wal?.mtimeNs && wal.size > 0n ? wal.mtimeNs : 0n,
    existsSync(`${path}-shm`),
  ].join(' ');
}

function sizeOf(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.size ?? null;
}
