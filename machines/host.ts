/**
 * The host: folds inputs into a run. One mechanism for live, resume, replay and fork (design §5, §11).
 *
 * H1 pure and synchronous: the same run and input give the same events; the run given is never changed.
 * H2 an actor's facts are appended and projected at the end of its macrostep, told to every actor above it,
 *    and only then is its end given to its parent, so that a guard never reads the state from before.
 * H3 every effect asked for is open until exactly one answer, or until its actor has ended.
 * H4 a node that throws, or that leaves an effect's failure unhandled, falls to the wrapper's rules (node-wrapper.ts).
 * H5 no event bears anything that another fold would not bear again: ids come from run and seq, time from the input.
 */
import type { EventDataByType, EventType, InputEventType } from '../events/catalogue.ts';
import type { AnyFact, EventBody } from '../events/envelope.ts';
import { project } from '../events/projection.ts';
import { canonicalInput } from './canonical-input.ts';
import { portPath, recordOf, type Work } from './host-work.ts';
import type { HostedRun, RunInput } from './hosted-run.ts';
import { answerEffect, fireTimer, sendToPort, startActor, tellInput } from './interpret.ts';

/** A run that has no event yet. */
export const newRun = (runId: string): HostedRun => ({
  runId,
  seq: 0,
  status: 'new',
  state: null,
  openEffects: new Map(),
  openTimers: new Map(),
  outcome: null,
  actors: new Map(),
  visits: {},
});

/**
 * Folds one input. `events` is the input followed by all that follows from it, to be appended in one
 * transaction; `commit` is the seq of the last.
 *
 * @throws HostError `unknownEffect` or `unknownTimer`: it is not open in this run (late or stale: the caller keeps
 *   it apart); `notStarted`; `alreadyStarted`; `runEnded`
 */
export function applyInput<T extends InputEventType>(
  run: HostedRun,
  input: RunInput<T>,
  epoch: number,
): { run: HostedRun; events: EventBody[] } {
  checkInput(run, input);
  const folded = { ...input, data: canonicalInput(input.data) };
  const work: Work = {
    runId: run.runId,
    at: input.at,
    epoch,
    seq: run.seq,
    status: run.status,
    state: run.state,
    openEffects: new Map(run.openEffects),
    openTimers: new Map(run.openTimers),
    outcome: run.outcome,
    actors: new Map(run.actors) as Work['actors'],
    visits: { ...run.visits },
    events: [],
    inputId: null,
    steps: 0,
  };
  dispatch(work, folded);
  for (const event of work.events) event.commit = work.seq;
  return { run: settled(work), events: work.events };
}

function dispatch(work: Work, input: RunInput): void {
  const { type, data } = input;
  if (type === 'effect.succeeded' || type === 'effect.failed' || type === 'effect.expired') {
    const { effectId } = data as EventDataByType['effect.succeeded'];
    const open = work.openEffects.get(effectId);
    if (!open) return;
    appendInput(work, input, {
      actor: open.actor,
      node: open.node,
      visit: open.visit,
      causationId: effectId,
    });
    answerEffect(work, open, type, data as never);
    return;
  }
  if (type === 'timer.fired') {
    const { timerId } = data as EventDataByType['timer.fired'];
    const timer = work.openTimers.get(timerId);
    if (!timer) return;
    appendInput(work, input, { actor: timer.actor, node: null, visit: null, causationId: timerId });
    fireTimer(work, timer);
    return;
  }
  const event = appendInput(work, input, { actor: 'run', node: null, visit: null, causationId: null });
  tellInput(work, event);
  if (type === 'run.started') {
    work.status = 'running';
    startActor(work, portPath, 'port', null, null);
  } else if (type === 'run.pauseRequested') work.status = 'paused';
  else if (type === 'run.resumeRequested') work.status = 'running';
  else if (type === 'run.cancelRequested') {
    work.status = 'running';
    sendToPort(work, { type: 'run.cancel' });
  }
}

function appendInput(
  work: Work,
  input: RunInput,
  place: Pick<EventBody, 'actor' | 'node' | 'visit' | 'causationId'>,
): EventBody {
  const event = recordOf(work, { type: input.type, data: input.data } as AnyFact, 'input', place);
  work.inputId = event.id;
  work.state = project(work.state, event);
  return event;
}

function settled(work: Work): HostedRun {
  const { runId, seq, status, state, openEffects, openTimers, outcome, actors, visits } = work;
  const ended = outcome ? (state?.x.cancelRequested ? 'cancelled' : 'finished') : status;
  return { runId, seq, status: ended, state, openEffects, openTimers, outcome, actors, visits };
}

function checkInput(run: HostedRun, input: RunInput): void {
  const { type } = input;
  if (type === 'run.started') {
    if (run.seq > 0) throw new HostError('alreadyStarted', `Run ${run.runId} has started already.`);
    return;
  }
  if (run.seq === 0) throw new HostError('notStarted', `Run ${run.runId} has no run.started yet.`);
  if (run.outcome) throw new HostError('runEnded', `Run ${run.runId} has ended; fork it to go on.`);
  if (type.startsWith('effect.')) {
    const { effectId } = input.data as EventDataByType['effect.succeeded'];
    if (!run.openEffects.has(effectId))
      throw new HostError('unknownEffect', `No effect ${effectId} is open.`);
  }
  if (type === 'timer.fired') {
    const { timerId } = input.data as EventDataByType['timer.fired'];
    if (!run.openTimers.has(timerId)) throw new HostError('unknownTimer', `No timer ${timerId} is open.`);
  }
}

export type HostErrorCode = 'unknownEffect' | 'unknownTimer' | 'notStarted' | 'alreadyStarted' | 'runEnded';

export class HostError extends Error {
  readonly code: HostErrorCode;
  constructor(code: HostErrorCode, message: string) {
    super(message);
    this.name = 'HostError';
    this.code = code;
  }
}

export const isInputType = (type: EventType, inputs: readonly EventType[]): type is InputEventType =>
  inputs.includes(type);
