/** The few pieces that every machine is made with. */
import { fromPromise } from 'xstate';
import type { AgentState } from '../events/agent-state.ts';
import type { EventDataByType, EventType } from '../events/catalogue.ts';
import type { AnyFact, EventBody } from '../events/envelope.ts';
import type { EffectInput, EffectName, EffectOutput } from './effects.ts';

/** What a node machine starts with. It is not logged: it can be folded. */
export interface NodeInput {
  state: AgentState;
  visit: number;
}

/** What the host tells every actor above one that stated facts, before that one's end reaches it. */
export interface FactsEvent {
  type: 'facts';
  events: readonly EventBody[];
  state: AgentState;
}

/** A fact with its data checked against its type. */
export const fact = <T extends EventType>(type: T, data: EventDataByType[T]): AnyFact =>
  ({ type, data }) as AnyFact;

/**
 * The one action by which a machine speaks: its params are the facts, the host appends them. XState only
 * describes it (`transition` returns it among the actions); it never does anything itself.
 */
export const recordAction = (_: unknown, _facts: AnyFact | readonly AnyFact[]): void => {};

/**
 * The logic of an effect: a name and types. The host never starts it; it turns the spawn that `transition`
 * returns into `effect.requested` and feeds the answer as the actor's done or error event.
 */
export const effect = <N extends EffectName>(_name: N) =>
  fromPromise<EffectOutput<N>, EffectInput<N>>(() =>
    Promise.reject(new Error('Effects are done by a worker.')),
  );
