/** Why the log refused or failed. A closed set; tests and callers match codes, never texts. */
export const logErrorCodes = [
  'versionConflict', // somebody else appended to the run first: fold again and retry
  'staleEpoch', // another writer has taken the data folder: stop
  'staleAnswer', // the effect has its answer already, or the token is an old one: keep it as a late result
  'invalidEvent', // it does not fit its schema, its envelope or its place in the run
  'unknownVersion', // written by a newer program: nothing here can read it
  'runNotFound',
  'ambiguousRun',
  'diskFull',
  'corrupt', // the file is no log, or is damaged
  'locked', // another process holds the file for longer than the busy timeout
  'unwritable', // missing folder, read-only file or no permission
  'missing', // no log at this path yet
  'blobMissing',
  'blobCorrupt',
  'internal', // a fault of ours
] as const;
export type LogErrorCode = (typeof logErrorCodes)[number];

/** A failure of the log or the blob store. The message names the thing, the limit and the next step. */
export class LogError extends Error {
  readonly code: LogErrorCode;
  constructor(code: LogErrorCode, message: string, options?: { cause: unknown }) {
    super(message, options);
    this.name = 'LogError';
    this.code = code;
  }
}

/** What a failing SQLite or file-system call means for the log at `path`. A `LogError` stays what it is. */
export function asLogError(error: unknown, path: string): LogError {
  if (error instanceof LogError) return error;
  const code = String((error as { code?: unknown } | null)?.code ?? '');
  const why = error instanceof Error ? error.message : String(error);
  const fail = (kind: LogErrorCode, text: string) => new LogError(kind, text, { cause: error });
  if (code === 'SQLITE_FULL' || code === 'ENOSPC' || code === 'EDQUOT')
    return fail('diskFull', `no space left to write ${path}: free some space, then resume the run`);
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB' || code === 'SQLITE_IOERR_SHORT_READ')
    return corruptLog(path, why, error);
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED') || code === 'SQLITE_PROTOCOL')
    return fail('locked', `another process holds ${path} (${why}): wait for it to end, then try again`);
  if (code.startsWith('SQLITE_CONSTRAINT'))
    return fail('invalidEvent', `${path} holds something that these events contradict: ${why}`);
  if (code.startsWith('SQLITE_'))
    return fail('unwritable', `cannot use ${path} (${code}: ${why}): check its folder and permissions`);
  if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM' || code === 'ENOENT' || code === 'ENOTDIR')
    return fail('unwritable', `cannot use ${path} (${code}): check its folder and permissions`);
  return fail('internal', `${path}: ${why}`);
}

/** A damaged log, with what to do about it. */
export function corruptLog(path: string, why: string, cause?: unknown): LogError {
  return new LogError(
    'corrupt',
    `${path} is damaged (${why}): keep a copy of it, then put back a backup or move it away to begin anew`,
    { cause },
  );
}
