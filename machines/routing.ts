/**
 * The nine routing functions: agent state → name of the next node, or `__end__`. Pure; the machines' guards call
 * them and nothing else routes.
 *
 * R1 rows are tried in the order they stand in and the first that holds decides. Source: seed, architecture.
 * R2 where the seed left ESCALATED a way out, ESCALATED is tested first (design §11): the first rows of
 *    `cachedRecipe`, `heuristicPlan` and `finish`.
 */
import type { AgentState } from '../events/agent-state.ts';
import type { NodeName } from '../events/records.ts';
import { attemptsLeft, isInErrorLoop, replanReason, shouldEscalate } from './routing-checks.ts';

export type Destination = NodeName | '__end__';

export interface Row {
  /** Names the row in `actor.routed` and in coverage. */
  readonly row: string;
  readonly when: (state: AgentState) => boolean;
  readonly to: Destination;
}

const succeeded = (state: AgentState) => state.buildStatus === 'SUCCESS';
const failed = (state: AgentState) => state.buildStatus === 'FAILED';
const escalated = (state: AgentState) => state.buildStatus === 'ESCALATED';
const hasPlan = (state: AgentState) => state.buildPlan !== null;
const noAttemptsLeft = (state: AgentState) => !attemptsLeft(state);
const always = () => true;

/** Categories that a second fix may still cure after a scan. Source: seed, `route_verify_result`. */
const fixableAfterScan = ['LINKING', 'COMPILATION', 'ARCHITECTURE'];

export const initRows: readonly Row[] = [
  { row: 'failed or escalated', when: (state) => failed(state) || escalated(state), to: 'escalate_node' },
  { row: 'cached recipe', when: (state) => state.cachedRecipe !== null, to: 'cached_recipe_node' },
  { row: 'otherwise', when: always, to: 'analyst_node' },
];

export const cachedRecipeRows: readonly Row[] = [
  { row: 'escalated', when: escalated, to: 'escalate_node' },
  { row: 'plan', when: hasPlan, to: 'supervisor_node' },
  { row: 'otherwise', when: always, to: 'analyst_node' },
];

export const analystRows: readonly Row[] = [
  { row: 'no analysis', when: (state) => state.packageAnalysis === null, to: 'escalate_node' },
  { row: 'otherwise', when: always, to: 'heuristic_plan_node' },
];

export const heuristicPlanRows: readonly Row[] = [
  { row: 'escalated', when: escalated, to: 'escalate_node' },
  { row: 'plan', when: hasPlan, to: 'supervisor_node' },
  { row: 'otherwise', when: always, to: 'scout_node' },
];

export const supervisorRows: readonly Row[] = [
  { row: 'success', when: succeeded, to: 'finish_node' },
  { row: 'escalated', when: escalated, to: 'escalate_node' },
  { row: 'escalation check', when: shouldEscalate, to: 'escalate_node' },
  { row: 'no attempts left', when: noAttemptsLeft, to: 'escalate_node' },
  {
    row: 'error loop',
    when: (state) => state.attemptCount >= 3 && isInErrorLoop(state),
    to: 'escalate_node',
  },
  { row: 'no analysis', when: (state) => state.packageAnalysis === null, to: 'analyst_node' },
  {
    row: 'failed, new plan',
    when: (state) => failed(state) && replanReason(state) !== null,
    to: 'scout_node',
  },
  { row: 'failed', when: failed, to: 'build_fix_subgraph' },
  {
    row: 'plan to build',
    when: (state) => hasPlan(state) && (state.buildStatus === 'PENDING' || state.buildStatus === 'BUILDING'),
    to: 'build_fix_subgraph',
  },
  { row: 'otherwise', when: always, to: 'scout_node' },
];

export const finishRows: readonly Row[] = [
  { row: 'escalated', when: escalated, to: 'escalate_node' },
  { row: 'optimize', when: (state) => state.optimizeRequested, to: 'optimize_node' },
  { row: 'otherwise', when: always, to: '__end__' },
];

export const buildRows: readonly Row[] = [
  { row: 'success', when: succeeded, to: 'verify_node' },
  { row: 'escalated', when: escalated, to: '__end__' },
  { row: 'no attempts left', when: noAttemptsLeft, to: '__end__' },
  { row: 'otherwise', when: always, to: 'fix_node' },
];

export const verifyRows: readonly Row[] = [
  { row: 'success or escalated', when: (state) => succeeded(state) || escalated(state), to: '__end__' },
  { row: 'no attempts left', when: noAttemptsLeft, to: '__end__' },
  {
    row: 'fixed before, not fixable',
    when: (state) =>
      state.fixesAttempted.length > 0 && !fixableAfterScan.includes(state.lastErrorCategory ?? ''),
    to: '__end__',
  },
  { row: 'otherwise', when: always, to: 'fix_node' },
];

export const fixRows: readonly Row[] = [
  { row: 'escalated or failed', when: (state) => escalated(state) || failed(state), to: '__end__' },
  { row: 'no attempts left', when: noAttemptsLeft, to: '__end__' },
  { row: 'otherwise', when: always, to: 'build_node' },
];

/** The row that decides. Every table ends with a row that always holds. */
export function decidingRow(rows: readonly Row[], state: AgentState): Row {
  const found = rows.find((row) => row.when(state));
  if (!found) throw new Error('A routing table has no row for this state; its last row must always hold.');
  return found;
}

export const routeInitToNext = (state: AgentState): Destination => decidingRow(initRows, state).to;
export const routeCachedRecipeToNext = (state: AgentState): Destination =>
  decidingRow(cachedRecipeRows, state).to;
export const routeAnalystToNext = (state: AgentState): Destination => decidingRow(analystRows, state).to;
export const routeHeuristicPlanToNext = (state: AgentState): Destination =>
  decidingRow(heuristicPlanRows, state).to;
export const routeSupervisorToNext = (state: AgentState): Destination =>
  decidingRow(supervisorRows, state).to;
export const routeFinishToNext = (state: AgentState): Destination => decidingRow(finishRows, state).to;
export const routeBuildResult = (state: AgentState): Destination => decidingRow(buildRows, state).to;
export const routeVerifyResult = (state: AgentState): Destination => decidingRow(verifyRows, state).to;
export const routeFixResult = (state: AgentState): Destination => decidingRow(fixRows, state).to;

/** Rows by the node that they route from. Nodes with a fixed edge are not here. */
export const routingTables = {
  init_node: initRows,
  cached_recipe_node: cachedRecipeRows,
  analyst_node: analystRows,
  heuristic_plan_node: heuristicPlanRows,
  supervisor_node: supervisorRows,
  finish_node: finishRows,
  build_node: buildRows,
  verify_node: verifyRows,
  fix_node: fixRows,
} as const satisfies Partial<Record<NodeName, readonly Row[]>>;

export type RoutedNode = keyof typeof routingTables;

/** Functions by the node that they route from; what the guards call. */
export const routers: { readonly [N in RoutedNode]: (state: AgentState) => Destination } = {
  init_node: routeInitToNext,
  cached_recipe_node: routeCachedRecipeToNext,
  analyst_node: routeAnalystToNext,
  heuristic_plan_node: routeHeuristicPlanToNext,
  supervisor_node: routeSupervisorToNext,
  finish_node: routeFinishToNext,
  build_node: routeBuildResult,
  verify_node: routeVerifyResult,
  fix_node: routeFixResult,
};
