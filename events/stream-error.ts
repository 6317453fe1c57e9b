/** What can be wrong with the event stream. A closed set. The log never depends on it. */
export const streamErrorCodes = [
  'serverTooOld', // below the version whose features we use
  'noJetStream', // the server has it switched off, or not for this account
  'streamUnfit', // a stream of our name exists and cannot be made what we need
  'streamAhead', // the stream has events of a run that the log does not have
  'streamConflict', // stream and log have different events at the same place
  'streamGap', // the stream no longer has the events that a reader asked for
  'noEvents', // nothing of the run came in time
  'streamDown', // no answer from the server
] as const;
export type StreamErrorCode = (typeof streamErrorCodes)[number];

/** A failure of the event stream. The message names the thing, the limit and the next step. */
export class StreamError extends Error {
  readonly code: StreamErrorCode;
  constructor(code: StreamErrorCode, message: string, options?: { cause: unknown }) {
    super(message, options);
    this.name = 'StreamError';
    this.code = code;
  }
}

/** JetStream's own error numbers that we act on. Source: stack notes, NATS; each provoked there. */
export const jsErrors = { wrongLastSequence: 10071, messageNotFound: 10037, streamNotFound: 10059 } as const;

/** The JetStream error number of a failure, or null. */
export function jsErrorCode(error: unknown): number | null {
  const api = (error as { api_error?: { err_code?: number } } | null)?.api_error;
  return api?.err_code ?? null;
}
