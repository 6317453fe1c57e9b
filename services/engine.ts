/**
 * What a command line (or a page) may ask of the engine. `services/wire.ts` opens one.
 *
 * Every process opens the same engine; the first in a data folder hosts it (coordinator, log writer, embedded
 * NATS), later ones are clients of it and take over when it ends. A caller need not care which it has.
 */
import type { EventDataByType } from '../events/catalogue.ts';
import type { AnyEvent } from '../events/envelope.ts';

export type EngineRole = 'host' | 'client';

/** Something a person watching may want to know; never recorded. */
export interface Notice {
  code:
    | 'becameHost'
    | 'becameClient'
    | 'natsDown'
    | 'natsBack'
    | 'natsRestarted'
    | 'resultRefused'
    | 'ownerLost'
    | 'runQuarantined'
    | 'fault';
  message: string;
}

/** A piece of live output of an effect. `progress` is the program's own word, not a command's. */
export interface OutputLine {
  runId: string;
  effectId: string;
  stream: 'stdout' | 'stderr' | 'progress';
  text: string;
}

/**
 * How a run stands when nothing more will happen to it by itself. `finished` has an outcome; `cancelled` may have one;
 * `paused` and `interrupted` (its process went away) go on with `resume`; `quarantined` needs a person.
 */
export interface RunEnd {
  runId: string;
  status: 'finished' | 'cancelled' | 'paused' | 'interrupted' | 'quarantined';
  outcome: EventDataByType['run.finished'] | null;
  /** Why a run was quarantined or interrupted; null otherwise. */
  reason: string | null;
}

export interface Following {
  /** No call-back comes after it. */
  stop(): void;
}

export interface FollowHandlers {
  /** Every event of the run once, in order of `seq`, from `fromSeq` (1 by default) on, recorded and live. */
  onEvent?: (event: AnyEvent) => void;
  /** Live output only: what was printed before `follow` is not repeated. */
  onOutput?: (line: OutputLine) => void;
  fromSeq?: number;
}

export interface Engine {
  readonly role: EngineRole;
  /** Names this process's worker in events. */
  readonly workerId: string;
  /** Records a new run and begins it here. Started twice with one id, it is the same run. @throws EngineError */
  start(runId: string, data: EventDataByType['run.started']): Promise<string>;
  /**
   * Goes on with a run that was paused or whose process went away: here, unless a living process has it already
   * (then nothing changes and it can be followed). Effects without an answer are asked again.
   * @throws EngineError `runNotFound`, `runEnded`, `runQuarantined`
   */
  resume(runId: string): Promise<void>;
  /** Stops asking for effects and ends the running one; recorded, and `resume` goes on. */
  pause(runId: string, by: string): Promise<void>;
  /** Ends the run for good. */
  cancel(runId: string, by: string): Promise<void>;
  follow(runId: string, handlers: FollowHandlers): Following;
  /** Settles when the run ends, pauses or is quarantined. Rejects with `engineClosed` when `close` comes first. */
  finished(runId: string): Promise<RunEnd>;
  /**
   * Ends the process's part: running effects are ended and stay open in the log (a `resume` asks again), the
   * embedded server stops, locks are freed. Safe to call twice.
   */
  close(): Promise<void>;
}

export interface EngineOptions {
  /** The data folder; see `services/home.ts`. */
  home: string;
  /** A NATS server to use in place of the embedded one (`NATS_URL`). */
  natsUrl?: string;
  /** Credentials file for `natsUrl` (`NATS_CREDS`). */
  natsCreds?: string;
  /** Runs whose effects this process does at the same time. */
  slots?: number;
  /** Debian mirror for roots, packages and sources where the host's apt has none (option `mirror`). */
  mirror?: string;
  onNotice?: (notice: Notice) => void;
}

export const engineErrorCodes = [
  'homeUnwritable', // the data folder cannot be made or written
  'diskFull', // no space in the data folder
  'natsMissing', // nats-server is not installed
  'natsUnusable', // it is there and cannot be used: too old, no JetStream, refused
  'hostUnreachable', // another process hosts this data folder and does not answer
  'runNotFound',
  'runEnded', // finished or cancelled: cannot go on
  'runQuarantined', // the code decides differently from the record
  'badRequest', // the run's data are refused
  'engineClosed',
  'internal',
] as const;
export type EngineErrorCode = (typeof engineErrorCodes)[number];

/** `message` names the thing, the limit and the next step; it may be shown as it is. */
export class EngineError extends Error {
  readonly code: EngineErrorCode;
  constructor(code: EngineErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EngineError';
    this.code = code;
  }
}
