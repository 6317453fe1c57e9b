/** Carries out what machines ask for, on the host's scratch pad: children, effects, timers, facts, ends. */
import type { AnyMachineSnapshot } from 'xstate';
import type { EventDataByType } from '../events/catalogue.ts';
import type { AnyFact, EventBody } from '../events/envelope.ts';
import { fact } from './actor-kit.ts';
import { type EffectFailure, type EffectName, effectCapability, effectDeadlinesMs } from './effects.ts';
import { type HostedActor, portPath, stateFact, type Work } from './host-work.ts';
import type { OpenEffect } from './hosted-run.ts';
import { afterFailure, overVisitLimit, retryTimerReason } from './node-wrapper.ts';
import { exitCodes } from './outcome.ts';
import { type DescribedAction, startOf, stepOf } from './pure-step.ts';
import { isEffectName, isNodeName, listensToFacts, machineOf } from './registry.ts';

/** Macrosteps that one input may cause. A build of 500 cached commands takes about 1,500. */
const stepsMax = 20_000;

/** Starts the actor of a machine under a parent (null for the port machine itself). */
export function startActor(
  work: Work,
  path: string,
  machine: string,
  parent: string | null,
  invoke: string | null,
  attempt = 1,
): void {
  const node = isNodeName(machine) ? machine : null;
  const visit = node ? (work.visits[node] ?? 0) : null;
  const actor: HostedActor = {
    path,
    machine,
    invoke: invoke ?? machine,
    parent,
    node,
    visit,
    attempt,
    snapshot: null,
  };
  work.actors.set(path, actor);
  if (node && visit !== null)
    tellAncestors(work, actor, [stateFact(work, actor, fact('actor.started', { node, visit, attempt }))]);
  settle(work, actor, () => startOf(machineOf(machine), { state: work.state, visit: visit ?? 0 }));
}

/** Gives the answer of an effect to the actor that asked. */
export function answerEffect(
  work: Work,
  open: OpenEffect,
  type: 'effect.succeeded' | 'effect.failed' | 'effect.expired',
  data: EventDataByType['effect.succeeded'] | EventDataByType['effect.failed'],
): void {
  work.openEffects.delete(open.effectId);
  if (type === 'effect.succeeded') {
    send(work, open.actor, {
      type: `xstate.done.actor.${open.invoke}`,
      output: (data as EventDataByType['effect.succeeded']).output,
      actorId: open.invoke,
    });
    return;
  }
  const error: EffectFailure =
    type === 'effect.expired'
      ? {
          code: 'timedOut',
          message: `The effect ${open.name} had no answer by its deadline.`,
          retryable: true,
        }
      : ((data as EventDataByType['effect.failed']).error as EffectFailure);
  send(work, open.actor, { type: `xstate.error.actor.${open.invoke}`, error, actorId: open.invoke });
}

/** A timer is due: a machine's own delay, or the wrapper's wait before it runs a node again. */
export function fireTimer(work: Work, timer: { timerId: string; actor: string; reason: string }): void {
  const known = work.openTimers.get(timer.timerId);
  work.openTimers.delete(timer.timerId);
  const actor = work.actors.get(timer.actor);
  if (!actor || !known) return;
  if (known.reason === retryTimerReason) {
    startActor(work, actor.path, actor.machine, actor.parent, actor.invoke, actor.attempt + 1);
    return;
  }
  if (known.event) send(work, timer.actor, known.event);
}

/** The port machine itself failed: nothing is left that could write outputs, but the run does end. */
const brokenOff: EventDataByType['run.finished'] = {
  exitCode: exitCodes.failed,
  verdict: 'failed',
  recipe: null,
  report: null,
  state: null,
  artifacts: [],
};

export const sendToPort = (work: Work, event: { type: string }): void => send(work, portPath, event);

function send(work: Work, path: string, event: { type: string; [field: string]: unknown }): void {
  const actor = work.actors.get(path);
  if (!actor?.snapshot) return;
  const { snapshot } = actor;
  settle(work, actor, () => stepOf(machineOf(actor.machine), snapshot, event));
}

/** One macrostep and all that follows from it (H2). */
function settle(
  work: Work,
  actor: HostedActor,
  step: () => { snapshot: AnyMachineSnapshot; actions: DescribedAction[] },
): void {
  work.steps += 1;
  if (work.steps > stepsMax)
    throw new Error(`One input caused more than ${stepsMax} steps: a machine never settles.`);
  let stepped: ReturnType<typeof step>;
  try {
    stepped = step();
  } catch (cause) {
    fail(work, actor, { code: 'internal', message: messageOf(cause), retryable: false });
    return;
  }
  work.actors.set(actor.path, { ...actor, snapshot: stepped.snapshot });
  const { facts, starts } = perform(work, actor, stepped.actions);
  tellAncestors(work, actor, facts);
  const { status, error } = stepped.snapshot as { status: string; error?: unknown };
  if (status === 'error') {
    fail(work, actor, failureOf(error));
    return;
  }
  if (status === 'done') {
    end(work, actor);
    return;
  }
  for (const start of starts) startChild(work, actor, start.machine, start.invoke);
}

/** Turns the described actions into events, in their order; children are started by the caller, afterwards. */
function perform(work: Work, actor: HostedActor, actions: readonly DescribedAction[]) {
  const facts: EventBody[] = [];
  const starts: Array<{ machine: string; invoke: string }> = [];
  for (const action of actions) {
    if (action.type === 'record') {
      const stated = action.params as AnyFact | AnyFact[];
      for (const one of Array.isArray(stated) ? stated : [stated]) facts.push(stateFact(work, actor, one));
    } else if (action.type === 'xstate.spawnChild') {
      const { src, id, input } = action.params as { src: string; id: string; input: unknown };
      if (isEffectName(src)) askEffect(work, actor, src, id, input as Record<string, unknown>);
      else starts.push({ machine: src, invoke: id });
    } else if (action.type === 'xstate.stopChild') {
      stopChild(work, actor, (action.params as { id: string }).id);
    } else if (action.type === 'xstate.raise') {
      const { event, id, delay } = action.params as { event: { type: string }; id?: string; delay?: number };
      if (delay !== undefined) setTimer(work, actor, delay, `delay of ${actor.machine}`, id ?? null, event);
    } else if (action.type === 'xstate.cancel') {
      cancelTimers(work, actor, (action.params as { sendId: string }).sendId);
    }
  }
  return { facts, starts };
}

function startChild(work: Work, parent: HostedActor, machine: string, invoke: string): void {
  if (!isNodeName(machine)) throw new Error(`${machine} is no node.`);
  if (overVisitLimit(work.visits) && machine !== 'escalate_node') {
    tellAncestors(work, parent, [
      stateFact(
        work,
        parent,
        fact('actor.crashed', {
          node: machine,
          code: 'visitLimit',
          message: 'The run entered nodes more often than its limit allows.',
        }),
      ),
    ]);
    stopTree(work, portPath, 'the limit on node visits');
    sendToPort(work, { type: 'host.escalate' });
    return;
  }
  const visit = (work.visits[machine] ?? 0) + 1;
  work.visits[machine] = visit;
  startActor(work, `${parent.path}/${invoke}#${visit}`, machine, parent.path, invoke);
}

function askEffect(
  work: Work,
  actor: HostedActor,
  name: EffectName,
  invoke: string,
  input: Record<string, unknown>,
): void {
  const capability = effectCapability[name];
  const deadline = work.at + effectDeadlinesMs[name];
  const { id } = stateFact(
    work,
    actor,
    fact('effect.requested', { name, capability, input, deadline, invoke }),
  );
  work.openEffects.set(id, {
    effectId: id,
    name,
    capability,
    input,
    deadline,
    actor: actor.path,
    invoke,
    node: actor.node,
    visit: actor.visit,
  });
}

export function setTimer(
  work: Work,
  actor: HostedActor,
  delayMs: number,
  reason: string,
  sendId: string | null,
  event: { type: string } | null,
): void {
  const due = work.at + delayMs;
  const timerId = `${work.runId}-${work.seq + 1}`;
  stateFact(work, actor, fact('timer.set', { timerId, due, reason }));
  work.openTimers.set(timerId, { timerId, due, reason, actor: actor.path, sendId, event });
}

function cancelTimers(work: Work, actor: HostedActor, sendId: string | null): void {
  for (const timer of [...work.openTimers.values()]) {
    if (timer.actor !== actor.path || (sendId !== null && timer.sendId !== sendId)) continue;
    work.openTimers.delete(timer.timerId);
    stateFact(work, actor, fact('timer.cancelled', { timerId: timer.timerId }));
  }
}

/** An invoked effect or child that its actor left behind. Neither is there any more when it has ended by itself. */
function stopChild(work: Work, actor: HostedActor, invoke: string): void {
  for (const open of [...work.openEffects.values()]) {
    if (open.actor === actor.path && open.invoke === invoke)
      cancelEffect(work, actor, open, 'its state was left');
  }
  for (const child of [...work.actors.values()]) {
    if (child.parent === actor.path && child.invoke === invoke)
      stopTree(work, child.path, 'its state was left', true);
  }
}

/** Stops everything below a path (and, with `self`, the actor itself): effects and timers are cancelled. */
export function stopTree(work: Work, path: string, reason: string, self = false): void {
  for (const actor of [...work.actors.values()].reverse()) {
    const below = actor.path.startsWith(`${path}/`);
    if (!below && !(self && actor.path === path)) continue;
    release(work, actor, reason);
    work.actors.delete(actor.path);
  }
}

function release(work: Work, actor: HostedActor, reason: string): void {
  for (const open of [...work.openEffects.values()]) {
    if (open.actor === actor.path) cancelEffect(work, actor, open, reason);
  }
  cancelTimers(work, actor, null);
}

function cancelEffect(work: Work, actor: HostedActor, open: OpenEffect, reason: string): void {
  work.openEffects.delete(open.effectId);
  stateFact(work, actor, fact('effect.cancelled', { effectId: open.effectId, name: open.name, reason }));
}

/** An actor reached its final state: its end is recorded, then its parent is told (H2). */
function end(work: Work, actor: HostedActor): void {
  release(work, actor, 'its actor ended');
  work.actors.delete(actor.path);
  if (actor.node && actor.visit !== null) {
    tellAncestors(work, actor, [
      stateFact(work, actor, fact('actor.finished', { node: actor.node, visit: actor.visit })),
    ]);
  }
  endToParent(work, actor);
}

function endToParent(work: Work, actor: HostedActor): void {
  if (actor.parent)
    send(work, actor.parent, {
      type: `xstate.done.actor.${actor.invoke}`,
      output: undefined,
      actorId: actor.invoke,
    });
}

/** H4: the wrapper decides between another run of the node and the end of the port. */
function fail(work: Work, actor: HostedActor, failure: EffectFailure): void {
  stopTree(work, actor.path, 'its node could not go on');
  release(work, actor, 'its node could not go on');
  const next = afterFailure(work.runId, actor, failure);
  if (next.waitMs !== null) {
    work.actors.set(actor.path, { ...actor, snapshot: null });
    tellAncestors(
      work,
      actor,
      next.facts.map((one) => stateFact(work, actor, one)),
    );
    setTimer(work, actor, next.waitMs, retryTimerReason, null, null);
    return;
  }
  work.actors.delete(actor.path);
  tellAncestors(
    work,
    actor,
    next.facts.map((one) => stateFact(work, actor, one)),
  );
  if (actor.parent) endToParent(work, actor);
  else stateFact(work, actor, fact('run.finished', brokenOff));
}

/** H2: every actor above learns the facts and the state that they made; so does the actor itself when it listens. */
function tellAncestors(work: Work, actor: HostedActor, events: readonly EventBody[]): void {
  tellAbove(work, (path) => path === actor.path || actor.path.startsWith(`${path}/`), events);
}

function tellAbove(work: Work, hears: (path: string) => boolean, events: readonly EventBody[]): void {
  if (events.length === 0) return;
  const told = { type: 'facts', events, state: work.state };
  for (const above of work.actors.values()) {
    if (!hears(above.path)) continue;
    if (!listensToFacts(above.machine)) continue;
    if (above.snapshot?.status !== 'active') continue;
    const { snapshot } = stepOf(machineOf(above.machine), above.snapshot, told);
    work.actors.set(above.path, { ...above, snapshot });
  }
}

/** An input from a person changes the state as well: the machines that keep it are told. */
export function tellInput(work: Work, event: EventBody): void {
  tellAbove(work, () => true, [event]);
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

function failureOf(error: unknown): EffectFailure {
  if (typeof error === 'object' && error !== null && 'code' in error && 'message' in error)
    return error as EffectFailure;
  return { code: 'internal', message: messageOf(error), retryable: false };
}
