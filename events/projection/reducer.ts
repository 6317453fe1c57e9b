import type { AgentState, AuditEvent } from '../agent-state.ts';
import type { EventType } from '../catalogue.ts';
import type { EventBody } from '../envelope.ts';

/** A pure change of the fields it declares. `lastUpdated` is written by `project` for every reducer. */
export interface Reducer {
  readonly writes: readonly (keyof AgentState)[];
  readonly reduce: (state: AgentState, event: EventBody) => Partial<AgentState>;
}

/** Ties a reducer to its event type and to the fields that it may write, so that the compiler checks both. */
export function reducer<T extends EventType, K extends keyof AgentState>(
  _type: T,
  writes: readonly K[],
  reduce: (state: AgentState, event: EventBody<T>) => Pick<AgentState, K> | Partial<Pick<AgentState, K>>,
): Reducer {
  return { writes, reduce: reduce as Reducer['reduce'] };
}

/** Source: seed, agent state, caps. */
const auditEventsMax = 2_000;
export const errorsMax = 200;

/** Keeps the last `max` of a list with one more. */
export function pushCapped<V>(list: readonly V[], value: V, max: number): V[] {
  return list.length >= max ? [...list.slice(list.length - max + 1), value] : [...list, value];
}

/** The seed's `log_event`: one more line of the audit trail. */
export function audited(
  state: AgentState,
  event: EventBody,
  name: string,
  data: Record<string, unknown>,
): Pick<AgentState, 'auditTrail'> {
  const line: AuditEvent = { timestamp: event.at, event: name, agent: state.currentAgent ?? 'system', data };
  return { auditTrail: pushCapped(state.auditTrail, line, auditEventsMax) };
}

/** The seed's `log_scripted_op`: counts an operation that needed no model, with its cost in ms when known. */
export function scriptedOp(
  state: AgentState,
  event: EventBody,
  operation: string,
  more: Record<string, unknown> = {},
): Pick<AgentState, 'auditTrail' | 'scriptedOpsCount'> {
  return {
    scriptedOpsCount: state.scriptedOpsCount + 1,
    ...audited(state, event, 'scripted_op', { operation, ...more }),
  };
}
