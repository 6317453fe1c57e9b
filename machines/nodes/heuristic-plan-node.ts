/** Heuristic plan node: writes a default plan when the seed's gates allow one. No model. */
import { fact } from '../actor-kit.ts';
import { defaultPlan, defaultPlanGates } from '../plans/default-plan.ts';
import { factsOf, originOf } from '../plans/state-facts.ts';
import { pureNode } from './pure-node.ts';

export const heuristicPlanNode = pureNode('heuristic_plan_node', ({ state }) => {
  const { buildSystemInfo, dependencies, archSpecificCode } = state;
  const facts =
    buildSystemInfo && dependencies
      ? [
          fact('heuristicPlan.factsGathered', {
            buildSystem: buildSystemInfo,
            dependencies,
            archFindings: archSpecificCode,
          }),
        ]
      : [];
  const known = factsOf(state);
  const reasons = defaultPlanGates(known, state.packageAnalysis);
  const plan = reasons.length === 0 ? defaultPlan(known, state.packageAnalysis, originOf(state)) : null;
  return plan
    ? [...facts, fact('heuristicPlan.planWritten', { plan })]
    : [
        ...facts,
        fact('heuristicPlan.planDeclined', {
          reasons: reasons.length > 0 ? reasons : ['no default plan for this build system'],
        }),
      ];
});
