import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { AgentState } from '../../events/agent-state.ts';
import { projectAll } from '../../events/projection.ts';
import * as routing from '../../machines/routing.ts';
import { escalationReason, isInErrorLoop, replanReason } from '../../machines/routing-checks.ts';
import { drive } from '../support/scripted-run.ts';

const start = projectAll(drive().bodies.slice(0, 1)) as AgentState;
const planned = projectAll(drive().bodies) as AgentState;
const state = (more: Partial<AgentState>): AgentState => ({ ...start, ...more });
const error = (signature: string, outsideLoopCheck = false) => ({
  category: 'COMPILATION' as const,
  seedCategory: 'COMPILATION' as const,
  message: signature,
  severity: 'medium' as const,
  command: null,
  file: null,
  line: null,
  action: null,
  signature,
  timestamp: 1,
  attemptNumber: 1,
  outsideLoopCheck,
});
const fix = {
  errorCategory: 'LINKING' as const,
  strategy: 's',
  changesMade: [],
  errorMessage: '',
  timestamp: 1,
  success: false,
  buildResult: null,
};
const plan = planned.buildPlan;
const analysis = planned.packageAnalysis;
const loop = [error('same'), error('same'), error('same')];
const entry = { repoUrl: 'x' } as AgentState['cachedRecipe'];

type Case = [more: Partial<AgentState>, to: routing.Destination];
const tables: Array<[name: string, route: (state: AgentState) => routing.Destination, cases: Case[]]> = [
  [
    'route_init_to_next',
    routing.routeInitToNext,
    [
      [{ buildStatus: 'FAILED', cachedRecipe: entry }, 'escalate_node'],
      [{ buildStatus: 'ESCALATED' }, 'escalate_node'],
      [{ cachedRecipe: entry }, 'cached_recipe_node'],
      [{}, 'analyst_node'],
    ],
  ],
  [
    'route_cached_recipe_to_next',
    routing.routeCachedRecipeToNext,
    [
      [{ buildStatus: 'ESCALATED', buildPlan: plan }, 'escalate_node'],
      [{ buildPlan: plan }, 'supervisor_node'],
      [{}, 'analyst_node'],
    ],
  ],
  [
    'route_analyst_to_next',
    routing.routeAnalystToNext,
    [
      [{}, 'escalate_node'],
      [{ packageAnalysis: analysis }, 'heuristic_plan_node'],
    ],
  ],
  [
    'route_heuristic_plan_to_next',
    routing.routeHeuristicPlanToNext,
    [
      [{ buildStatus: 'ESCALATED', buildPlan: plan }, 'escalate_node'],
      [{ buildPlan: plan }, 'supervisor_node'],
      [{}, 'scout_node'],
    ],
  ],
  [
    'route_supervisor_to_next',
    routing.routeSupervisorToNext,
    [
      [{ buildStatus: 'SUCCESS', attemptCount: 5, apiCostUsd: 9 }, 'finish_node'],
      [{ buildStatus: 'ESCALATED', packageAnalysis: analysis }, 'escalate_node'],
      [{ packageAnalysis: analysis, buildPlan: plan, attemptCount: 5 }, 'escalate_node'],
      [{ packageAnalysis: analysis, buildPlan: plan, errorHistory: loop }, 'escalate_node'],
      [{ packageAnalysis: analysis, buildPlan: plan, lastErrorCategory: 'DISK_SPACE' }, 'escalate_node'],
      [{ packageAnalysis: analysis, buildPlan: plan, apiCostUsd: 1.01 }, 'escalate_node'],
      [{ packageAnalysis: analysis, buildPlan: plan, apiCostUsd: 1.0 }, 'build_fix_subgraph'],
      [{ buildStatus: 'FAILED', lastErrorCategory: 'DEPENDENCY' }, 'analyst_node'],
      [{ packageAnalysis: analysis, buildStatus: 'FAILED', lastErrorCategory: 'DEPENDENCY' }, 'scout_node'],
      [
        { packageAnalysis: analysis, buildStatus: 'FAILED', lastErrorCategory: 'MISSING_TOOLS' },
        'scout_node',
      ],
      [
        { packageAnalysis: analysis, buildStatus: 'FAILED', lastErrorCategory: 'COMPILATION' },
        'build_fix_subgraph',
      ],
      [{ packageAnalysis: analysis, buildPlan: plan, buildStatus: 'BUILDING' }, 'build_fix_subgraph'],
      [{ packageAnalysis: analysis, buildPlan: plan, buildStatus: 'PENDING' }, 'build_fix_subgraph'],
      [{ packageAnalysis: analysis, buildPlan: plan, buildStatus: 'PLANNING' }, 'scout_node'],
      [{ packageAnalysis: analysis }, 'scout_node'],
    ],
  ],
  [
    'route_finish_to_next',
    routing.routeFinishToNext,
    [
      [{ buildStatus: 'ESCALATED', optimizeRequested: true }, 'escalate_node'],
      [{ optimizeRequested: true }, 'optimize_node'],
      [{}, '__end__'],
    ],
  ],
  [
    'route_build_result',
    routing.routeBuildResult,
    [
      [{ buildStatus: 'SUCCESS', attemptCount: 5 }, 'verify_node'],
      [{ buildStatus: 'ESCALATED' }, '__end__'],
      [{ buildStatus: 'FAILED', attemptCount: 5 }, '__end__'],
      [{ buildStatus: 'FAILED', attemptCount: 4 }, 'fix_node'],
    ],
  ],
  [
    'route_verify_result',
    routing.routeVerifyResult,
    [
      [{ buildStatus: 'SUCCESS' }, '__end__'],
      [{ buildStatus: 'ESCALATED' }, '__end__'],
      [{ buildStatus: 'FAILED', attemptCount: 5 }, '__end__'],
      [{ buildStatus: 'FAILED', fixesAttempted: [fix], lastErrorCategory: 'UNKNOWN' }, '__end__'],
      [{ buildStatus: 'FAILED', fixesAttempted: [fix], lastErrorCategory: 'LINKING' }, 'fix_node'],
      [{ buildStatus: 'FAILED', fixesAttempted: [fix], lastErrorCategory: 'COMPILATION' }, 'fix_node'],
      [{ buildStatus: 'FAILED', fixesAttempted: [fix], lastErrorCategory: 'ARCHITECTURE' }, 'fix_node'],
      [{ buildStatus: 'FAILED', lastErrorCategory: 'UNKNOWN' }, 'fix_node'],
    ],
  ],
  [
    'route_fix_result',
    routing.routeFixResult,
    [
      [{ buildStatus: 'ESCALATED' }, '__end__'],
      [{ buildStatus: 'FAILED' }, '__end__'],
      [{ buildStatus: 'PENDING', attemptCount: 5 }, '__end__'],
      [{ buildStatus: 'PENDING' }, 'build_node'],
    ],
  ],
];

for (const [name, route, cases] of tables) {
  test(`[R1] ${name} takes the first row that holds`, () => {
    for (const [more, to] of cases) assert.is(route(state(more)), to, JSON.stringify(more).slice(0, 200));
  });
}

test('every table ends with a row that always holds, or has one row for each case', () => {
  for (const rows of Object.values(routing.routingTables)) {
    assert.is(rows.at(-1)?.row, 'otherwise');
    assert.is(rows.at(-1)?.when(start), true);
  }
  assert.throws(() => routing.decidingRow([], start), /no row/);
});

test('each of the six signatures asks for a new plan once a run', () => {
  const texts = [
    'no required module provides package x',
    'build output "x" already exists and is a directory',
    'does not appear to contain CMakeLists.txt',
    'E: Unable to locate package x',
    'go: inconsistent vendoring in /x',
    './configure: No such file or directory',
  ];
  const names = texts.map(
    (lastError) => replanReason(state({ lastError, lastErrorCategory: 'CONFIGURATION' }))?.signature,
  );
  assert.is(new Set(names).size, 6);
  names.forEach((name, index) => {
    const used = { replanAttemptsBySignature: { [name as string]: 1 } };
    assert.is(replanReason(state({ lastError: texts[index] as string, contextCache: used })), null);
  });
});

test('three equal signatures in a row are a loop, and a failed fixer between them does not break it', () => {
  assert.is(isInErrorLoop(state({ errorHistory: loop })), true);
  assert.is(isInErrorLoop(state({ errorHistory: loop.slice(1) })), false);
  assert.is(isInErrorLoop(state({ errorHistory: [...loop.slice(1), error('other')] })), false);
  const withFixer = [error('same'), error('f', true), error('same'), error('f', true), error('same')];
  assert.is(isInErrorLoop(state({ errorHistory: withFixer })), true);
});

test('the reason to escalate is the first in the order of the seed', () => {
  const all = {
    attemptCount: 5,
    errorHistory: loop,
    lastErrorCategory: 'PERMISSION' as const,
    apiCostUsd: 2,
  };
  assert.is(escalationReason(state(all)), 'Maximum attempts (5) reached');
  assert.is(escalationReason(state({ ...all, attemptCount: 0 })), 'Stuck in error loop with no progress');
  const rest = { lastErrorCategory: 'PERMISSION' as const, apiCostUsd: 2 };
  assert.is(escalationReason(state(rest)), 'Fundamental blocker: PERMISSION');
  assert.is(escalationReason(state({ apiCostUsd: 2 })), 'API cost limit ($1.0) exceeded');
  assert.is(escalationReason(state({})), null);
});

test.run();
