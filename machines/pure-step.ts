/** One macrostep of a machine, without a live actor. The only file that calls XState's pure functions. */
import {
  type AnyActorLogic,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  initialTransition,
  transition,
} from 'xstate';

/** An action as `transition` describes it; nothing of it has been done. */
export interface DescribedAction {
  type: string;
  params: unknown;
}

export interface Stepped {
  snapshot: AnyMachineSnapshot;
  actions: DescribedAction[];
}

export function startOf(machine: AnyStateMachine, input: unknown): Stepped {
  const [snapshot, actions] = initialTransition(machine as AnyActorLogic, input as never);
  return { snapshot: snapshot as AnyMachineSnapshot, actions: actions as DescribedAction[] };
}

export function stepOf(machine: AnyStateMachine, from: unknown, event: { type: string }): Stepped {
  const [snapshot, actions] = transition(machine as AnyActorLogic, from as never, event as never);
  return { snapshot: snapshot as AnyMachineSnapshot, actions: actions as DescribedAction[] };
}
