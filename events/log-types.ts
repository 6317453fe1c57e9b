/** What a log gives and takes. The log itself: `log.ts`. */
import type { BlobReader } from './blobs.ts';
import type { EventBody, EventEnvelope } from './envelope.ts';
import type { AuditReport } from './log-audit.ts';

/** One input and all that follows from it: appended whole or not at all. */
export interface AppendBatch {
  runId: string;
  /** The run's last seq as the caller folded it; 0 for a new run, the cut (`atSeq`) for a new fork. */
  expectedSeq: number;
  /** From `acquireEpoch`. */
  epoch: number;
  /** In order, `seq` from `expectedSeq + 1`. `commit` and `epoch` are filled in by the log. */
  bodies: readonly EventBody[];
  /** Id of the message that brought the input: the second time it comes nothing is appended. */
  inboxId?: string;
  /** Token under which the answer in this batch was given; a stale one is refused. */
  token?: number;
}

export interface AppendResult {
  /** True when `inboxId` was appended before: nothing was written, `gseq` is the earlier one. */
  duplicate: boolean;
  /** Place of the batch's last event in the whole log. */
  gseq: number;
  /** Last seq of the run now. */
  version: number;
  headHash: string;
  /** The events as stored; empty for a duplicate. */
  events: EventBody[];
}

/** `quarantined` is set by no event: the log's owner found that the run cannot be folded any more. */
export type RunRowStatus = 'running' | 'paused' | 'finished' | 'cancelled' | 'quarantined';

/** A run as the list shows it: a projection of its events, but for `quarantineReason`. Times are epoch ms. */
export interface RunRow {
  runId: string;
  source: string;
  repoName: string;
  platform: string;
  status: RunRowStatus;
  verdict: string | null;
  exitCode: number | null;
  startedAt: number;
  endedAt: number | null;
  /** Events of the run, with those it has from the run it was forked from. */
  events: number;
  costUsd: number;
  /** Last seq. */
  version: number;
  headHash: string;
  /** Who appended last. */
  owner: string;
  parent: string | null;
  parentSeq: number | null;
  quarantineReason: string | null;
}

export interface EffectRow {
  effectId: string;
  runId: string;
  name: string;
  capability: string;
  /** Raised at each grant; an answer counts only under the latest. 0: never granted. */
  token: number;
  state: 'open' | 'done' | 'expired' | 'cancelled';
  /** Epoch ms. */
  deadline: number;
  requestedSeq: number;
  worker: string | null;
}

export interface TimerRow {
  timerId: string;
  runId: string;
  /** Epoch ms. */
  due: number;
}

/** An event that waits to be published, with its stored bytes. */
export interface OutboxRow {
  gseq: number;
  runId: string;
  seq: number;
  id: string;
  type: string;
  body: string;
  hash: string;
}

/** An answer that came too late or under an old token: kept for audit, never folded. */
export interface LateResult {
  runId: string;
  effectId: string;
  token: number;
  worker: string;
  at: number;
  reason: string;
  /** The answer's JSON text. */
  answer: string;
}

export type AppendListener = (events: readonly EventBody[]) => void;

/** Reads of a log. All of them are synchronous and see one consistent state each. */
export interface LogReader {
  readonly path: string;
  readonly readonly: boolean;
  /** Last seq of a run, 0 when there is none. */
  version(runId: string): number;
  /** Bodies in order, from the run and the runs it was forked from. @throws LogError `runNotFound` */
  readBodies(runId: string, fromSeq?: number, toSeq?: number): Generator<EventBody>;
  readEnvelopes(runId: string, fromSeq?: number, toSeq?: number): Generator<EventEnvelope>;
  /** Newest first. */
  listRuns(): RunRow[];
  /**
   * A run by id, unique prefix of an id, `last`, or package name (its last run).
   * @throws LogError `runNotFound`, `ambiguousRun` (the message lists the candidates)
   */
  findRun(ref: string): RunRow;
  /** In the order they were asked; of one run or of all. */
  openEffects(runId?: string): EffectRow[];
  findEffect(runId: string, effectId: string): EffectRow | null;
  /** By due time. */
  openTimers(runId?: string): TimerRow[];
  lateResults(runId: string): LateResult[];
  /** The epoch of the latest writer, 0 before the first. */
  currentEpoch(): number;
  /** Checks order, hashes, schemas and blobs of one run; reads every event. */
  audit(runId: string, blobs?: BlobReader): Promise<AuditReport>;
  close(): void;
}

/** The log as its one writer has it. */
export interface EventLog extends LogReader {
  /** Makes the caller the writer: every append under an earlier epoch is refused from now on. */
  acquireEpoch(owner: string): number;
  /**
   * Appends in one durable transaction (on disk when it returns).
   * @throws LogError `versionConflict`, `staleEpoch`, `staleAnswer`, `invalidEvent`, `diskFull`, `locked`, `corrupt`
   */
  append(batch: AppendBatch): AppendResult;
  /** The same, committed together with everything else that is queued in this turn of the event loop. */
  appendQueued(batch: AppendBatch): Promise<AppendResult>;
  /** Marks a run that must not go on, e.g. because its replay diverged. A row, not an event. */
  quarantine(runId: string, reason: string): void;
  /** Hands an open effect to a worker and returns the token its answer must carry. @throws LogError `staleAnswer` */
  grantEffect(runId: string, effectId: string, worker: string): number;
  storeLateResult(result: LateResult): void;
  /** The oldest unpublished events of the log, at most `limit`. */
  outboxBatch(limit: number): OutboxRow[];
  outboxSize(): number;
  markPublished(gseqs: readonly number[]): void;
  /** Puts the events of a run from `fromSeq` back into the outbox, after the stream lost them. */
  requeue(runId: string, fromSeq: number): number;
  /** What happened to be appended, told after each commit; returns the way to stop being told. */
  onAppend(listener: AppendListener): () => void;
}
