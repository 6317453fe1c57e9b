/** Reading a log without leaving a trace. */
import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { asLogError, LogError } from './log-error.ts';
import { assertLogFile, busyTimeoutMs, refuseTruncated } from './log-open.ts';
import type { LogSource } from './log-source.ts';

/** @throws LogError `missing`, `corrupt`, `unwritable`, `locked` */
export function openWithoutTrace(path: string): LogSource {
  if (!existsSync(path))
    throw new LogError('missing', `there is no log at ${path} yet: start a run with \`atesor port SOURCE\``);
  refuseTruncated(path);
  let db: Database.Database;
  try {
    db = new Database(path, { readonly: true, timeout: busyTimeoutMs });
    assertLogFile(db, path);
  } catch (error) {
    throw asLogError(error, path);
  }
  return {
    path,
    readonly: true,
    read: (query) => {
      try {
        return query(db);
      } catch (error) {
        throw asLogError(error, path);
      }
    },
    close: () => db.close(),
  };
}
