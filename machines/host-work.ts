/** The host's scratch pad while one input is folded, and how a fact becomes an event on it. */
import type { AnyMachineSnapshot } from 'xstate';
import type { AgentState } from '../events/agent-state.ts';
import { type EventDataByType, eventVersions } from '../events/catalogue.ts';
import type { AnyFact, EventBody } from '../events/envelope.ts';
import { project } from '../events/projection.ts';
import type { NodeName } from '../events/records.ts';
import type { OpenEffect, OpenTimer, RunStatus } from './hosted-run.ts';

export const portPath = 'port';

/** An actor that lives: its machine's name, its snapshot, and where it stands. */
export interface HostedActor {
  path: string;
  /** Name in the machine registry. */
  machine: string;
  /** Id under which its parent invoked it; the parent's done event bears it. */
  invoke: string;
  parent: string | null;
  node: NodeName | null;
  visit: number | null;
  /** 1, or more after the wrapper ran it again. */
  attempt: number;
  /** Null between a rate limit and the timer that starts it again. */
  snapshot: AnyMachineSnapshot | null;
}

export interface Work {
  readonly runId: string;
  readonly at: number;
  readonly epoch: number;
  seq: number;
  status: RunStatus;
  state: AgentState | null;
  openEffects: Map<string, OpenEffect>;
  openTimers: Map<string, OpenTimer>;
  outcome: EventDataByType['run.finished'] | null;
  actors: Map<string, HostedActor>;
  visits: Partial<Record<NodeName, number>>;
  events: EventBody[];
  inputId: string | null;
  /** Macrosteps of this fold; bounded, so that a machine that never settles is a fault and not a hang. */
  steps: number;
}

/** Makes the next event of the run and puts it on the pad. */
export function recordOf(
  work: Work,
  stated: AnyFact,
  kind: EventBody['kind'],
  place: Pick<EventBody, 'actor' | 'node' | 'visit' | 'causationId'>,
): EventBody {
  work.seq += 1;
  const event: EventBody = {
    id: `${work.runId}-${work.seq}`,
    runId: work.runId,
    seq: work.seq,
    at: work.at,
    kind,
    type: stated.type,
    version: eventVersions[stated.type] ?? 1,
    actor: place.actor,
    node: place.node,
    visit: place.visit,
    causationId: place.causationId,
    commit: 0,
    epoch: work.epoch,
    data: stated.data,
  };
  work.events.push(event);
  return event;
}

/** Appends a derived fact of an actor and projects it. */
export function stateFact(work: Work, actor: HostedActor, stated: AnyFact): EventBody {
  const { path, node, visit } = actor;
  const event = recordOf(work, stated, 'derived', { actor: path, node, visit, causationId: work.inputId });
  work.state = project(work.state, event);
  if (stated.type === 'run.finished') work.outcome = stated.data as EventDataByType['run.finished'];
  return event;
}
