/**
 * One host per data folder: a lock that the kernel frees when its process dies, however it dies.
 *
 * The lock is an exclusive transaction on an empty SQLite file: file locks through a library that is here anyway,
 * right also between two engines of one process.
 */
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { openDatabase } from '../../events/sqlite.ts';
import { homeError } from '../home.ts';

export interface HostLock {
  release(): void;
}

/**
 * Takes the host's lock, or answers null at once when a living process has it.
 * @throws EngineError `homeUnwritable`, `diskFull`
 */
export function tryHostLock(home: string): HostLock | null {
  let database: Database | undefined;
  try {
    database = openDatabase(join(home, 'coordinator.lock'), { timeout: 0 });
    database.pragma('journal_mode = MEMORY'); // nothing is ever written: no journal file is to be left behind
    database.exec('BEGIN EXCLUSIVE');
    const held = database;
    return { release: () => held.close() };
  } catch (error) {
    database?.close();
    if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) return null;
    throw homeError(home, asFileError(error));
  }
}

/** SQLite's words for what the file system said. */
function asFileError(error: unknown): unknown {
  const code = (error as { code?: string }).code ?? '';
  if (code.startsWith('SQLITE_FULL')) return Object.assign(new Error('no space'), { code: 'ENOSPC' });
  if (code.startsWith('SQLITE_READONLY')) return Object.assign(new Error('read-only'), { code: 'EROFS' });
  if (code.startsWith('SQLITE_CANTOPEN')) return Object.assign(new Error('cannot open'), { code: 'EACCES' });
  return error;
}
