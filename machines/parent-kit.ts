/** What the two parent machines share: their context and the transitions that routing functions decide. */
import type { AgentState } from '../events/agent-state.ts';
import { fact } from './actor-kit.ts';
import { type Destination, decidingRow, type RoutedNode, routers, routingTables } from './routing.ts';

export interface ParentContext {
  /** The projected state, as of the last `facts` event; the guards route on it. */
  state: AgentState;
}

export interface RouteParams {
  from: RoutedNode;
  to: Destination;
}

/** Guard: the routing function of `from` sends this state to `to`. */
export const takesRoute = ({ context }: { context: ParentContext }, { from, to }: RouteParams): boolean =>
  routers[from](context.state) === to;

/** One guarded transition a destination; the decision is recorded with the row that made it. */
export function routed<S extends string>(from: RoutedNode, targets: Partial<Record<Destination, S>>) {
  return (Object.keys(targets) as Destination[]).map((to) => ({
    guard: { type: 'takesRoute' as const, params: { from, to } },
    target: targets[to] as S,
    actions: {
      type: 'record' as const,
      params: ({ context }: { context: ParentContext }) =>
        fact('actor.routed', { from, to, row: decidingRow(routingTables[from], context.state).row }),
    },
  }));
}
