/** Supervisor node: says what it sees and where its routing function sends the run. No model, no effect. */
import type { AgentState } from '../../events/agent-state.ts';
import { fact } from '../actor-kit.ts';
import { decidingRow, supervisorRows } from '../routing.ts';
import { escalationReason, replanReason } from '../routing-checks.ts';
import { pureNode } from './pure-node.ts';

export const supervisorNode = pureNode('supervisor_node', ({ state }) => {
  const { to, row } = decidingRow(supervisorRows, state);
  return [fact('supervisor.routed', { to, row, summary: summaryOf(state, to, row) })];
});

function summaryOf(state: AgentState, to: string, row: string): string {
  const parts = [
    `${state.buildStatus}, attempt ${state.attemptCount} of ${state.maxAttempts}`,
    state.buildPlan ? `plan of ${state.buildPlan.phases.length} phases` : 'no plan',
  ];
  if (state.lastErrorCategory && state.buildStatus !== 'SUCCESS')
    parts.push(`last error ${state.lastErrorCategory}`);
  const why =
    to === 'escalate_node'
      ? escalationReason(state)
      : to === 'scout_node'
        ? replanReason(state)?.because
        : null;
  return `${parts.join(', ')}; to ${to} (${why ?? row})`;
}
