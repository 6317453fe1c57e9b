/** The one place that opens SQLite files. */
import { existsSync, realpathSync } from 'node:fs';
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

/**
 * Connections that must be closed before this process opens the same file for writing; they come back when they
 * are needed. Kept for the process, because SQLite's locks are: a `-shm` that was mapped read-only first stays so
 * for the writer, and closing a descriptor of a file drops all of the process's locks on it.
 */
const releases = new Map<string, Set<() => void>>();

const identityOf = (path: string): string => (existsSync(path) ? realpathSync(path) : path);

/** Registers a reader's way to let go of the file; answers how to forget it. */
export function releaseForWriter(path: string, release: () => void): () => void {
  const key = identityOf(path);
  const ofFile = releases.get(key) ?? new Set();
  releases.set(key, ofFile.add(release));
  return () => {
    ofFile.delete(release);
    if (ofFile.size === 0) releases.delete(key);
  };
}

/** Makes the readers of this process let go of the file. To be called before it is opened for writing. */
export function releaseReaders(path: string): void {
  for (const release of releases.get(identityOf(path)) ?? []) release();
}
