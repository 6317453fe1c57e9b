/** The one place that opens SQLite files. */
import Database from 'better-sqlite3';

/** How long a connection waits for another, ms. Source: stack notes, SQLite: waiting blocks the event loop, so no more. */
export const busyTimeoutMs = 5_000;

/** A connection to a file by its path. */
export function openDatabase(path: string, options: Database.Options = {}): Database.Database {
  // better-sqlite3 switches SQLite's URI names on only through this variable, read once, when its add-on is
  // loaded by the first connection of the process. Without them `immutable` and `readonly_shm` cannot be said.
  process.env.SQLITE_USE_URI ??= '1';
  return new Database(path, { timeout: busyTimeoutMs, ...options });
}
