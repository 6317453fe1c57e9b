/** What the host keeps of a run while it folds it, and what a coordinator may read of it. */
import type { AgentState } from '../events/agent-state.ts';
import type { EventDataByType, InputEventType } from '../events/catalogue.ts';
import type { NodeName } from '../events/records.ts';
import type { Capability, EffectName } from './effects.ts';

/** Not `build_status`: that is the port's, this is the run's. `quarantined` is a row of the log, never an event. */
export type RunStatus = 'new' | 'running' | 'paused' | 'finished' | 'cancelled';

/** An effect that was asked for and has no answer yet. */
export interface OpenEffect {
  effectId: string;
  name: EffectName;
  capability: Capability;
  input: Record<string, unknown>;
  /** Epoch ms. */
  deadline: number;
  actor: string;
  invoke: string;
  node: NodeName | null;
  visit: number | null;
}

export interface OpenTimer {
  timerId: string;
  /** Epoch ms, absolute. */
  due: number;
  reason: string;
  actor: string;
  /** Of a machine's own delay: the id it is cancelled by and the event it feeds. Null for the wrapper's wait. */
  sendId: string | null;
  event: { type: string } | null;
}

/** A run as folded so far. Never changed in place: `applyInput` answers with a new one. */
export interface HostedRun {
  readonly runId: string;
  /** Seq of the last event, 0 for a new run. */
  readonly seq: number;
  readonly status: RunStatus;
  /** Null before `run.started`. */
  readonly state: AgentState | null;
  readonly openEffects: ReadonlyMap<string, OpenEffect>;
  readonly openTimers: ReadonlyMap<string, OpenTimer>;
  /** Data of `run.finished`, when there is one. */
  readonly outcome: EventDataByType['run.finished'] | null;
  /** Machine snapshots by actor path; of no interest outside the host. */
  readonly actors: ReadonlyMap<string, unknown>;
  readonly visits: Readonly<Partial<Record<NodeName, number>>>;
}

/** An input as it comes from outside, before it has a place in the run. */
export interface RunInput<T extends InputEventType = InputEventType> {
  type: T;
  data: EventDataByType[T];
  /** Epoch ms, from the appender's clock. */
  at: number;
}
