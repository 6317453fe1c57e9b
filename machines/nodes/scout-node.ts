/**
 * Scout node without a model: the fixed plan of the detected build system, or a discovery plan.
 * S1 a scout failure that uses the fallback plan records an error and so uses one attempt (seed, agent state).
 * S2 a new plan after a failed build marks its signature as used: each asks for a plan once a run.
 */
import { fact } from '../actor-kit.ts';
import { noModelReason } from '../no-model.ts';
import { fallbackPlan } from '../plans/fallback-plan.ts';
import { factsOf, originOf } from '../plans/state-facts.ts';
import { replanReason } from '../routing-checks.ts';
import { pureNode } from './pure-node.ts';

export const scoutNode = pureNode('scout_node', ({ state }) => {
  const replan = state.lastErrorCategory !== null && state.buildPlan !== null ? replanReason(state) : null;
  const message = `Scout failed: ${noModelReason}`;
  return [
    ...(replan ? [fact('scout.replanStarted', replan)] : []),
    fact('error.recorded', {
      keepsLastError: true,
      error: {
        category: 'UNKNOWN',
        seedCategory: 'UNKNOWN',
        message,
        severity: 'medium',
        command: null,
        file: null,
        line: null,
        action: 'set an API key to get a plan made for this package',
        signature: 'UNKNOWN|scout failed',
      },
    }),
    fact('scout.planWritten', {
      plan: fallbackPlan(factsOf(state), state.packageAnalysis, originOf(state)),
      fallbackReason: noModelReason,
    }),
  ];
});
