/**
 * The coordinator: the one writer of a data folder. Takes inputs, folds, appends, and only then acts.
 *
 * C1 an input and all that follows from it are one transaction; effects go out and messages are acknowledged after it.
 * C2 taking an input is synchronous: no other input comes between the fold and the append.
 * C3 nothing decides but the log: a run in memory is thrown away when its append fails, and folded again.
 * C4 an answer counts only for an open effect under its current token; any other is kept apart for audit.
 * C5 a run without a living owner is not driven: `resume` gives it one.
 */
import type { EventDataByType, InputEventType } from '../../events/catalogue.ts';
import type { EventBody } from '../../events/envelope.ts';
import { LogError } from '../../events/log-error.ts';
import type { AppendBatch, EventLog } from '../../events/log-types.ts';
import { withoutTheWorld } from '../../machines/determinism.ts';
import { effectDeadlinesMs } from '../../machines/effects.ts';
import { applyInput, newRun } from '../../machines/host.ts';
import type { OpenEffect, RunInput } from '../../machines/hosted-run.ts';
import { EngineError, type Notice } from '../engine.ts';
import type { ResultMessage } from '../protocol.ts';
import type { Dispatch } from './dispatch.ts';
import { type DrivenRun, describeDivergence, hasEnded, recoverRun } from './driven-run.ts';
import { Alarm } from './timers.ts';

export interface CoordinatorParts {
  log: EventLog;
  dispatch: Dispatch;
  epoch: number;
  /** The worker of this process: it does the effects that need the data folder. */
  worker: string;
  notice: (notice: Notice) => void;
  /** The log cannot be written any more (disk full, taken over): nothing can go on here. */
  onBroken: (error: Error) => void;
}

export class Coordinator {
  readonly #parts: CoordinatorParts;
  readonly #runs = new Map<string, DrivenRun>();
  /** When an effect that was handed out counts as expired, epoch ms. Counted from the hand-out, not from the request:
   *  a run that was interrupted for a day asks again with its whole time. */
  readonly #expiries = new Map<string, { run: DrivenRun; effect: OpenEffect; worker: string; at: number }>();
  readonly #alarm: Alarm;
  #closed = false;

  constructor(parts: CoordinatorParts) {
    this.#parts = parts;
    this.#alarm = new Alarm(() => this.#ring());
  }

  /** Records a new run and begins it. Asked twice for one run, the second time changes nothing. @throws EngineError */
  start(runId: string, data: EventDataByType['run.started'], owner: string): void {
    if (this.#parts.log.version(runId) > 0) {
      this.drive(runId, owner, false);
      return;
    }
    const run: DrivenRun = { runId, hosted: newRun(runId), lastAt: 0, owner };
    this.#runs.set(runId, run);
    this.#take(run, 'run.started', data);
  }

  /**
   * Drives a recorded run by a worker from now on: open effects are asked (again), timers run. `isResume` lifts a
   * pause. @throws EngineError `runNotFound`, `runEnded`, `runQuarantined`
   */
  drive(runId: string, owner: string, isResume: boolean): void {
    const run = this.load(runId);
    run.owner = owner;
    const wasPaused = run.hosted.status === 'paused';
    if (isResume && wasPaused) this.#take(run, 'run.resumeRequested', { by: 'cli' });
    this.#askOpen(run, wasPaused);
    this.#setAlarm();
  }

  pause(runId: string, by: string): void {
    const run = this.load(runId);
    if (run.hosted.status !== 'running') return;
    this.#take(run, 'run.pauseRequested', { by });
    for (const effect of run.hosted.openEffects.values()) {
      this.#expiries.delete(effect.effectId);
      this.#parts.dispatch.stop(effect.effectId, 'pause');
    }
  }

  /** A run that nobody drives gets `owner`: closing its sandbox and writing its outputs are effects too. */
  cancel(runId: string, by: string, owner: string): void {
    const run = this.load(runId);
    run.owner ??= owner;
    this.#take(run, 'run.cancelRequested', { by });
    this.#askOpen(run, false);
  }

  /** An answer of a worker. It may be acknowledged when this returns. */
  answer(result: ResultMessage): void {
    const { runId, effectId, name, token, worker, outcome } = result;
    const { log } = this.#parts;
    const row = log.findEffect(runId, effectId);
    if (row?.state === 'done' && row.token === token) return; // delivered twice
    if (row?.state !== 'open' || row.token !== token) {
      this.keepApart(result, row ? `${row.state}, token ${row.token}` : 'never asked');
      return;
    }
    const run = this.load(runId);
    const batch = { inboxId: `result.${effectId}.${token}`, token };
    if (outcome.ok) {
      this.#take(run, 'effect.succeeded', { effectId, name, output: outcome.output, worker }, batch);
    } else {
      this.#take(run, 'effect.failed', { effectId, name, error: outcome.error, worker }, batch);
    }
  }

  /** The process of this worker went away: its runs wait for `resume`. */
  ownerLost(owner: string): void {
    for (const run of this.#runs.values()) {
      if (run.owner !== owner) continue;
      run.owner = null;
      for (const effect of run.hosted.openEffects.values()) {
        this.#expiries.delete(effect.effectId);
        this.#parts.dispatch.settled(effect.effectId);
      }
      this.#parts.notice({
        code: 'ownerLost',
        message: `the process that ran ${run.runId} is gone: go on with \`atesor resume ${run.runId}\``,
      });
    }
    this.#setAlarm();
  }

  ownerOf(runId: string): string | null {
    return this.#runs.get(runId)?.owner ?? null;
  }

  owners(): Set<string> {
    return new Set([...this.#runs.values()].flatMap((run) => run.owner ?? []));
  }

  close(): void {
    this.#closed = true;
    this.#alarm.clear();
    this.#runs.clear();
    this.#expiries.clear();
  }

  /** A run as it stands in the log. @throws EngineError `runNotFound`, `runEnded`, `runQuarantined` */
  load(runId: string): DrivenRun {
    const known = this.#runs.get(runId);
    if (known) return known;
    const { log } = this.#parts;
    const row = findRow(log, runId);
    if (row.status === 'quarantined') throw quarantined(runId, row.quarantineReason);
    const run = recoverRun(log, runId);
    if ('diverged' in run) {
      const reason = describeDivergence(runId, run.diverged);
      this.#setAside(runId, reason);
      throw quarantined(runId, reason);
    }
    if (hasEnded(run)) {
      throw new EngineError(
        'runEnded',
        `run ${runId} has ended (${run.hosted.status}): start a new port to build again`,
      );
    }
    this.#runs.set(runId, run);
    return run;
  }

  /** C1, C2: folds one input, appends it with what follows, and acts on that. */
  #take<T extends InputEventType>(
    run: DrivenRun,
    type: T,
    data: EventDataByType[T],
    batch: Pick<AppendBatch, 'inboxId' | 'token'> = {},
  ): void {
    if (this.#closed) throw new EngineError('engineClosed', 'this process is ending');
    const { log, epoch } = this.#parts;
    const at = Math.max(Date.now(), run.lastAt);
    const { run: next, events } = this.#fold(run, { type, data, at });
    let stored: EventBody[];
    try {
      stored = log.append({
        runId: run.runId,
        expectedSeq: run.hosted.seq,
        epoch,
        bodies: events,
        ...batch,
      }).events;
    } catch (error) {
      this.#runs.delete(run.runId);
      throw this.#refused(error);
    }
    if (stored.length === 0) return; // this message was taken before
    run.hosted = next;
    run.lastAt = at;
    this.#act(run, stored);
  }

  /** A fold that throws is a fault of the machines: the run is set aside, its log stays as it is. */
  #fold<T extends InputEventType>(run: DrivenRun, input: RunInput<T>): ReturnType<typeof applyInput> {
    try {
      return withoutTheWorld(() => applyInput(run.hosted, input, this.#parts.epoch));
    } catch (error) {
      const reason = `the fold of ${input.type} failed after event ${run.hosted.seq}: ${(error as Error).message}`;
      this.#setAside(run.runId, reason);
      throw quarantined(run.runId, reason);
    }
  }

  #setAside(runId: string, reason: string): void {
    this.#runs.delete(runId);
    // A run without events has no row to mark.
    if (this.#parts.log.version(runId) > 0) this.#parts.log.quarantine(runId, reason);
    this.#parts.notice({ code: 'runQuarantined', message: reason });
  }

  #act(run: DrivenRun, events: readonly EventBody[]): void {
    const { dispatch } = this.#parts;
    for (const event of events) {
      const data = event.data as { effectId: string };
      if (event.type === 'effect.requested') {
        const effect = run.hosted.openEffects.get(event.id);
        if (effect) this.#ask(run, effect, false);
      } else if (event.type === 'effect.succeeded' || event.type === 'effect.failed') {
        this.#expiries.delete(data.effectId);
        dispatch.settled(data.effectId);
      } else if (event.type === 'effect.cancelled' || event.type === 'effect.expired') {
        this.#expiries.delete(data.effectId);
        dispatch.stop(data.effectId, 'cancel');
      }
    }
    if (hasEnded(run)) this.#runs.delete(run.runId);
    this.#setAlarm();
  }

  /** Asks what is open and not handed out. */
  #askOpen(run: DrivenRun, isFresh: boolean): void {
    for (const effect of [...run.hosted.openEffects.values()]) {
      const handedOut = this.#expiries.get(effect.effectId);
      if (!handedOut || handedOut.worker !== this.#workerFor(run, effect)) this.#ask(run, effect, isFresh);
    }
  }

  #workerFor(run: DrivenRun, effect: OpenEffect): string | null {
    return run.owner !== null && effect.capability === 'store' ? this.#parts.worker : run.owner;
  }

  /** Hands an open effect to a worker, under a new token unless this very worker has it already (and `isFresh` is false). */
  #ask(run: DrivenRun, effect: OpenEffect, isFresh: boolean): void {
    const worker = this.#workerFor(run, effect);
    if (worker === null || run.hosted.status !== 'running') return;
    const { log, dispatch } = this.#parts;
    const row = log.findEffect(run.runId, effect.effectId);
    const isItsOwn = !isFresh && row?.worker === worker && row.token > 0;
    const token = isItsOwn ? row.token : log.grantEffect(run.runId, effect.effectId, worker);
    this.#expiries.set(effect.effectId, {
      run,
      effect,
      worker,
      at: Date.now() + effectDeadlinesMs[effect.name],
    });
    const { state } = run.hosted;
    const spec = { platform: state?.x.platform ?? '', strict: state?.x.strict ?? false };
    dispatch.ask({ runId: run.runId, effect, token, worker, run: spec });
  }

  /** C4. */
  keepApart(result: ResultMessage, reason: string): void {
    const { runId, effectId, token, worker, outcome } = result;
    this.#parts.log.storeLateResult({
      runId,
      effectId,
      token,
      worker,
      at: Date.now(),
      reason,
      answer: JSON.stringify(outcome),
    });
  }

  #setAlarm(): void {
    const dues: number[] = [...this.#expiries.values()].map((expiry) => expiry.at);
    for (const run of this.#runs.values()) {
      if (run.owner === null || run.hosted.status !== 'running') continue;
      for (const timer of run.hosted.openTimers.values()) dues.push(timer.due);
    }
    this.#alarm.set(dues);
  }

  /** Timers that are due fire; effects past their time expire. */
  #ring(): void {
    try {
      const now = Date.now();
      for (const run of [...this.#runs.values()]) {
        if (run.owner === null || run.hosted.status !== 'running') continue;
        for (const { timerId, due } of [...run.hosted.openTimers.values()]) {
          if (due <= now && run.hosted.openTimers.has(timerId)) this.#take(run, 'timer.fired', { timerId });
        }
      }
      for (const { run, effect, at } of [...this.#expiries.values()]) {
        const { effectId, name } = effect;
        if (at <= now && run.hosted.openEffects.has(effectId))
          this.#take(run, 'effect.expired', { effectId, name });
      }
      this.#setAlarm();
    } catch (error) {
      this.#parts.notice({ code: 'fault', message: (error as Error).message });
    }
  }

  /** What a failed append means for this process. */
  #refused(error: unknown): Error {
    if (!(error instanceof LogError)) return error as Error;
    if (error.code === 'invalidEvent') return new EngineError('badRequest', error.message, { cause: error });
    if (error.code === 'versionConflict' || error.code === 'staleAnswer') return error;
    const broken = new EngineError(error.code === 'diskFull' ? 'diskFull' : 'internal', error.message, {
      cause: error,
    });
    this.#parts.onBroken(broken);
    return broken;
  }
}

function findRow(log: EventLog, runId: string): { status: string; quarantineReason: string | null } {
  if (log.version(runId) === 0) {
    throw new EngineError('runNotFound', `there is no run ${runId}: \`atesor runs\` lists them`);
  }
  return log.findRun(runId);
}

const quarantined = (runId: string, reason: string | null): EngineError =>
  new EngineError(
    'runQuarantined',
    `run ${runId} is quarantined and cannot go on: ${reason ?? 'no reason is recorded'}`,
  );
