/**
 * The one deterministic fix there is: many sources can be built in more than one way, and where cmake fails
 * configure or make may not. Beyond the seed, whose fixer has no answer without a model.
 */
import type { AgentState } from '../../events/agent-state.ts';
import type { BuildPlan, ErrorCategory } from '../../events/records.ts';
import { planForSystem } from './default-plan.ts';
import { factsOf, originOf } from './state-facts.ts';
import { isPlanned, type PlannedSystem } from './system-phases.ts';

/** Below it a system's files are there for something else than building. Source: seed, default plan gate. */
const confidenceMin = 0.5;

/** What no other build system can cure. */
const notCured: readonly ErrorCategory[] = ['RATE_LIMIT', 'NETWORK', 'DISK_SPACE', 'PERMISSION'];

export interface OtherSystem {
  plan: BuildPlan;
  from: string;
  to: PlannedSystem;
  strategy: string;
}

/** The plan of the next build system that the scan found and that was not tried; null when there is none. */
export function otherSystem(state: AgentState): OtherSystem | null {
  const from = state.buildPlan?.buildSystem ?? 'unknown';
  if (state.lastErrorCategory && notCured.includes(state.lastErrorCategory)) return null;
  const tried = new Set([from, ...state.fixesAttempted.map((fix) => fix.strategy)]);
  for (const { type, confidence } of state.x.scan?.candidates ?? []) {
    if (!isPlanned(type) || confidence < confidenceMin) continue;
    const strategy = strategyOf(type);
    if (type === from || tried.has(strategy) || wasFirst(state, type)) continue;
    const note = `Written without a model: the build by ${from} failed, and the source can be built by ${type} too.`;
    const plan = planForSystem(type, confidence, factsOf(state), state.packageAnalysis, originOf(state), [
      note,
    ]);
    return { plan: onCleanTree(plan), from, to: type, strategy };
  }
  return null;
}

const strategyOf = (type: string): string => `build by ${type}`;

/** The system of the first plan is not in any fix. */
const wasFirst = (state: AgentState, type: string): boolean => state.buildSystemInfo?.type === type;

/** What the first system has left in the tree is taken out, so that the second finds the source as it came. */
function onCleanTree(plan: BuildPlan): BuildPlan {
  const clean = { name: 'clean', commands: ['git clean -xfdq'] };
  const [first] = plan.phases;
  if (!first) return plan;
  const phases = [{ ...first, ...clean }, ...plan.phases];
  return { ...plan, phases: phases.map((phase, index) => ({ ...phase, id: index + 1 })) };
}
