/** Where reads of a log come from: the writer's own connection, or one that leaves no trace. */
import type { Database, Statement } from 'better-sqlite3';

export interface LogSource {
  readonly path: string;
  readonly readonly: boolean;
  /** Runs `query` on one consistent state; it may be run again on another connection. */
  read<T>(query: (db: Database) => T): T;
  close(): void;
}

const prepared = new WeakMap<Database, Map<string, Statement>>();

/** A statement, prepared once for each connection. */
export function statement(db: Database, sql: string): Statement {
  let bySql = prepared.get(db);
  if (bySql === undefined) {
    bySql = new Map();
    prepared.set(db, bySql);
  }
  let found = bySql.get(sql);
  if (found === undefined) {
    found = db.prepare(sql);
    bySql.set(sql, found);
  }
  return found;
}
