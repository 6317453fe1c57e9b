import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { AgentState } from '../../events/agent-state.ts';
import { agentStateToJson } from '../../events/agent-state-json.ts';
import { type EventType, eventPrefixes, eventSchemas, inputEventTypes } from '../../events/catalogue.ts';
import type { EventBody } from '../../events/envelope.ts';
import { project, projectAll, reducers } from '../../events/projection.ts';
import { stateHash } from '../../events/state-hash.ts';
import { commandResult, drive, failure, type Script } from '../support/scripted-run.ts';

const broken: Script = {
  runCommand: () => ({
    output: { ...commandResult({ exitCode: 1, text: "hello.c:3:1: error: 'x' undeclared" }) },
  }),
};
const histories = [
  drive().bodies,
  drive(broken).bodies,
  drive({ cloneRepository: () => failure('sourceNotFound') }).bodies,
];

test('every event type has a prefix of the closed list and a fact in it', () => {
  for (const type of Object.keys(eventSchemas)) {
    const [prefix, name] = type.split('.');
    assert.ok((eventPrefixes as readonly string[]).includes(prefix ?? ''), type);
    assert.match(name ?? '', /^[a-z][A-Za-z]+$/);
  }
});

test('[P1] projecting freezes nothing and changes neither the state nor the event', () => {
  for (const bodies of histories) {
    let state: AgentState | null = null;
    for (const body of bodies) {
      const before = JSON.stringify([state, body]);
      const next = project(deepFreeze(state), deepFreeze(structuredClone(body)));
      assert.is(JSON.stringify([state, body]), before);
      state = next;
    }
  }
});

test('[P2] a reducer writes the fields that it declares and no other', () => {
  for (const bodies of histories) {
    let state: AgentState | null = null;
    for (const body of bodies) {
      const next = project(state, body);
      if (state && next) {
        const written = (Object.keys(next) as (keyof AgentState)[]).filter(
          (field) => next[field] !== state?.[field],
        );
        const declared = [...(reducers[body.type]?.writes ?? []), 'lastUpdated'];
        for (const field of written) assert.ok(declared.includes(field), `${body.type} wrote ${field}`);
      }
      state = next;
    }
  }
});

test('[P3] error.recorded is the only event that raises the attempt count, by one', () => {
  for (const [type, reducer] of Object.entries(reducers)) {
    assert.is(reducer?.writes.includes('attemptCount') ?? false, type === 'error.recorded', type);
  }
  for (const bodies of histories) {
    const recorded = bodies.filter((body) => body.type === 'error.recorded').length;
    assert.is(projectAll(bodies)?.attemptCount, recorded);
  }
});

test('every field of the seed is written by an event', () => {
  const written = new Set(Object.values(reducers).flatMap((reducer) => [...(reducer?.writes ?? [])]));
  const state = projectAll(histories[0] ?? []) as AgentState;
  const madeAtStart = ['repoUrl', 'repoName', 'maxAttempts', 'taskPlan', 'optimizeRequested', 'emulateCpu'];
  const madeAtStartOnly = [...madeAtStart, 'executionStartTime', 'createdAt', 'lastUpdated'];
  for (const field of Object.keys(state) as (keyof AgentState)[]) {
    assert.ok(written.has(field) || madeAtStartOnly.includes(field), `no event writes ${field}`);
  }
});

test('a fold of the first N events is the state at N, for every N', () => {
  for (const bodies of histories) {
    let state: AgentState | null = null;
    bodies.forEach((body, index) => {
      state = project(state, body);
      assert.equal(projectAll(bodies.slice(0, index + 1)), state);
    });
  }
});

test('[P4] errors are capped at 200 and audit events at 2,000, and the newest are kept', () => {
  const [first] = histories[0] ?? [];
  const error = (n: number) => ({
    category: 'UNKNOWN',
    seedCategory: 'UNKNOWN',
    message: `error ${n}`,
    severity: 'medium',
    command: null,
    file: null,
    line: null,
    action: null,
    signature: String(n),
  });
  let state = project(null, first as EventBody);
  const like = (type: EventType, data: unknown): EventBody => ({
    ...(first as EventBody),
    type,
    data: data as never,
  });
  for (let n = 1; n <= 250; n += 1) {
    state = project(state, like('error.recorded', { error: error(n), keepsLastError: false }));
  }
  for (let n = 1; n <= 2_100; n += 1) {
    state = project(state, like('actor.routed', { from: 'init_node', to: 'analyst_node', row: `row ${n}` }));
  }
  assert.is(state?.errorHistory.length, 200);
  assert.is(state?.errorHistory.at(-1)?.message, 'error 250');
  assert.is(state?.attemptCount, 250);
  assert.is(state?.auditTrail.length, 2_000);
  assert.is(state?.auditTrail.at(-1)?.data.reason, 'row 2100');
});

test('before run.started there is no state, whatever the event', () => {
  fc.assert(
    fc.property(fc.constantFrom(...(Object.keys(eventSchemas) as EventType[])), (type) => {
      if (type === 'run.started') return;
      const [first] = histories[0] ?? [];
      assert.is(project(null, { ...(first as EventBody), type, data: {} as never }), null);
    }),
  );
  assert.is(inputEventTypes.length, 9);
});

test('the state in JSON has the names of the seed', () => {
  const json = agentStateToJson(projectAll(histories[0] ?? []) as AgentState);
  for (const name of seedFields) assert.ok(name in json, name);
  const [result] = Object.values(json.command_results_cache as Record<string, Record<string, unknown>>);
  assert.is(result?.exit_code, 0);
  assert.type(result?.duration_seconds, 'number');
  assert.type(json.created_at, 'string');
  assert.type(json.execution_start_time, 'number');
});

test('two runs that did the same have one state hash, and a different outcome has another', () => {
  const again = drive().bodies.map((body) => ({ ...body, at: body.at + 77_000 }));
  const hash = (bodies: EventBody[]) => stateHash(projectAll(bodies) as AgentState);
  assert.is(hash(again), hash(histories[0] ?? []));
  assert.is.not(hash(histories[1] ?? []), hash(histories[0] ?? []));
});

/** Source: seed, agent state, table of field groups. */
const seedFields = [
  ...['repo_url', 'repo_name', 'repo_path', 'repo_tree', 'package_analysis', 'task_plan', 'current_phase'],
  ...['build_system_info', 'build_plan', 'build_status', 'tests_run', 'dependencies', 'arch_specific_code'],
  ...['attempt_count', 'max_attempts', 'last_successful_phase', 'last_error', 'last_error_category'],
  ...['last_error_severity', 'error_history', 'fixes_attempted', 'api_calls_made', 'api_cost_usd'],
  ...['api_tokens_in', 'api_tokens_out', 'scripted_ops_count', 'execution_start_time', 'context_cache'],
  ...['file_content_cache', 'command_results_cache', 'scout_build_system_result', 'scout_deps_result'],
  ...[
    'scout_arch_issues_result',
    'subgraph_outcome',
    'patches_generated',
    'porting_recipe',
    'build_artifacts',
  ],
  ...['curated_artifacts', 'artifact_verification', 'package_tests', 'optimize_requested', 'emulate_cpu'],
  ...['cached_recipe', 'machine_profile', 'optimization', 'audit_trail', 'current_agent', 'messages'],
];

function deepFreeze<V>(value: V): V {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const field of Object.values(value)) deepFreeze(field);
  }
  return value;
}

test.run();
