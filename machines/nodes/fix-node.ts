/**
 * Fix node without a model.
 *
 * X1 where the source has another build system that was not tried, the next build goes by that one: it counts
 *    no further attempt and is a fix like any other (beyond the seed).
 * X2 else there is no deterministic fix (seed, model layer: fixer fallback): it records `FIXER proposed invalid
 *    fix`, which counts one attempt, and sets FAILED. The build error and its category stay in `last_error`.
 */
import type { AgentState } from '../../events/agent-state.ts';
import type { AnyFact } from '../../events/envelope.ts';
import { fact } from '../actor-kit.ts';
import { noModelReason } from '../no-model.ts';
import { type OtherSystem, otherSystem } from '../plans/other-system.ts';
import { pureNode } from './pure-node.ts';

export const fixNode = pureNode('fix_node', ({ state }) => {
  const started = fact('fix.started', { errorCategory: state.lastErrorCategory ?? 'UNKNOWN' });
  const other = otherSystem(state);
  return [started, ...(other ? switchFacts(state, other) : declineFacts())];
});

const switchFacts = (state: AgentState, { plan, from, to, strategy }: OtherSystem): AnyFact[] => [
  fact('fix.planReplaced', { plan }),
  fact('fix.treeRewound', { lastSuccessfulPhase: 0, forgottenKeys: Object.keys(state.commandResultsCache) }),
  fact('fix.applied', {
    fix: {
      errorCategory: state.lastErrorCategory ?? 'UNKNOWN',
      strategy,
      changesMade: [`Plan: ${from} replaced by ${to}, on a clean tree`],
      errorMessage: state.lastError ?? '',
    },
  }),
];

const declineFacts = (): AnyFact[] => [
  fact('error.recorded', {
    keepsLastError: true,
    error: {
      category: 'UNKNOWN',
      seedCategory: 'UNKNOWN',
      message: `FIXER proposed invalid fix: ${noModelReason}`,
      severity: 'medium',
      command: null,
      file: null,
      line: null,
      action: null,
      signature: 'UNKNOWN|fixer proposed invalid fix',
    },
  }),
  fact('fix.declined', { reason: noModelReason }),
];
