/**
 * `project(state, event)`: the only way an agent state comes about or changes.
 *
 * P1 pure: the same state and event give the same state; neither argument is changed.
 * P2 every event type has one reducer, which declares the fields it writes and writes no other.
 * P3 `error.recorded` alone raises `attemptCount`.
 * P4 at most 200 errors and 2,000 audit events are kept (seed, agent state); the log keeps all.
 */
import type { AgentState } from './agent-state.ts';
import type { EventType } from './catalogue.ts';
import type { EventBody } from './envelope.ts';
import { buildReducers } from './projection/build.ts';
import { finishReducers } from './projection/finish.ts';
import { initialState } from './projection/initial-state.ts';
import { planReducers } from './projection/plan.ts';
import type { Reducer } from './projection/reducer.ts';
import { runReducers } from './projection/run.ts';

/** Reducers by event type. An event without one changes nothing in the agent state. */
export const reducers: { readonly [T in EventType]?: Reducer } = {
  ...runReducers,
  ...planReducers,
  ...buildReducers,
  ...finishReducers,
};

/** The state after one event; null until `run.started`, which makes the only fresh state of a run. */
export function project(state: AgentState | null, event: EventBody): AgentState | null {
  if (event.type === 'run.started') return initialState(event as EventBody<'run.started'>);
  if (state === null) return null;
  const reducer = reducers[event.type];
  if (!reducer) return state;
  return { ...state, ...reducer.reduce(state, event), lastUpdated: event.at };
}

/** The state after all events of an iterable, in order. */
export function projectAll(events: Iterable<EventBody>): AgentState | null {
  let state: AgentState | null = null;
  for (const event of events) state = project(state, event);
  return state;
}
