/** Escalate node: writes the report that says why the port was given up. No model, no effect. */
import { fact } from '../actor-kit.ts';
import { escalationReport } from '../escalation.ts';
import { escalationReason } from '../routing-checks.ts';
import { pureNode } from './pure-node.ts';

export const escalateNode = pureNode('escalate_node', ({ state }) => [
  fact('escalate.reportWritten', {
    report: escalationReport(state, state.lastUpdated),
    recommendation: escalationReason(state) ?? state.lastError ?? 'A node could not go on',
  }),
]);
