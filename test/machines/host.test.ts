import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { AgentState } from '../../events/agent-state.ts';
import type { EventType } from '../../events/catalogue.ts';
import type { EventBody } from '../../events/envelope.ts';
import { projectAll } from '../../events/projection.ts';
import type { RecipeCacheEntry } from '../../events/records.ts';
import { applyInput, HostError, newRun } from '../../machines/host.ts';
import {
  artifactScan,
  commandResult,
  drive,
  elf,
  failure,
  makeScan,
  runId,
  type Script,
  startData,
} from '../support/scripted-run.ts';

const path = (bodies: EventBody[]): string[] =>
  bodies.flatMap((body) => (body.type === 'actor.started' ? [(body.data as { node: string }).node] : []));
const only = <T extends EventType>(bodies: EventBody[], type: T) =>
  bodies.filter((body) => body.type === type) as EventBody<T>[];
const undeclared = () => ({
  output: { ...commandResult({ exitCode: 1, text: "hello.c:3:1: error: 'x' undeclared" }) },
});
const settledPath = [
  'init_node',
  'analyst_node',
  'heuristic_plan_node',
  'supervisor_node',
  'build_fix_subgraph',
  'build_node',
  'verify_node',
  'supervisor_node',
  'finish_node',
];

test('a package that builds goes the straight way and ends verified with exit code 0', () => {
  const { run, bodies } = drive();
  assert.equal(path(bodies), settledPath);
  assert.is(run.outcome?.exitCode, 0);
  assert.is(run.outcome?.verdict, 'verified');
  assert.is(run.outcome?.artifacts[0]?.path, '/out/hello/hello');
  assert.is(run.status, 'finished');
  assert.is(run.state?.buildStatus, 'SUCCESS');
  assert.is(run.state?.packageTests?.status, 'passed');
  assert.is(run.openEffects.size, 0);
});

test('seq has no gap, every event of a commit names its last one, and ids follow from run and seq', () => {
  const { bodies } = drive();
  bodies.forEach((body, index) => {
    assert.is(body.seq, index + 1);
    assert.is(body.id, `${runId}-${body.seq}`);
    assert.ok(body.commit >= body.seq);
  });
  for (const input of bodies.filter((body) => body.kind === 'input')) {
    const commit = bodies.filter((body) => body.commit === input.commit);
    assert.is(commit[0]?.seq, input.seq);
    assert.is(commit.at(-1)?.seq, input.commit);
    assert.ok(commit.slice(1).every((body) => body.kind === 'derived' && body.at === input.at));
  }
});

test('[H1] the same input gives the same events, and the run given is not changed', () => {
  const { stages, bodies } = drive();
  const [fresh] = stages;
  const [started] = bodies;
  const once = applyInput(fresh as never, { type: 'run.started', data: started?.data as never, at: 5 }, 1);
  const twice = applyInput(fresh as never, { type: 'run.started', data: started?.data as never, at: 5 }, 1);
  assert.equal(once.events, twice.events);
  assert.is(fresh?.seq, 0);
  assert.is(fresh?.actors.size, 0);
});

test('[H2] the state that a routing guard reads holds the facts of the node before', () => {
  const { bodies } = drive({ runCommand: undeclared });
  for (const routed of only(bodies, 'actor.routed').filter(({ data }) => data.from === 'build_node')) {
    const state = projectAll(bodies.slice(0, routed.seq - 1));
    assert.is(state?.buildStatus, 'FAILED');
    assert.is(routed.data.to, state && state.attemptCount >= state.maxAttempts ? '__end__' : 'fix_node');
  }
});

test('[H3] each effect asked for has exactly one answer or cancellation', () => {
  for (const bodies of [drive().bodies, drive({ runCommand: undeclared }).bodies]) {
    const answers = bodies.flatMap(({ type, data }) =>
      /^effect\.(succeeded|failed|expired|cancelled)$/.test(type)
        ? [(data as { effectId: string }).effectId]
        : [],
    );
    const asked = only(bodies, 'effect.requested').map(({ id }) => id);
    assert.equal(answers.toSorted(), asked.toSorted());
  }
});

test('a package that cannot build ends escalated after its attempts, with a report and exit code 1', () => {
  const { run, bodies } = drive({ runCommand: undeclared });
  const state = run.state as AgentState;
  assert.is(run.outcome?.exitCode, 1);
  assert.is(run.outcome?.verdict, 'failed');
  assert.is(state.buildStatus, 'ESCALATED');
  assert.is(state.attemptCount, state.maxAttempts);
  assert.is(state.lastErrorCategory, 'COMPILATION');
  assert.match(state.contextCache.escalationReport ?? '', /undeclared/);
  assert.is(path(bodies).at(-1), 'escalate_node');
});

test('a failed fixer counts an attempt and leaves the build error in place', () => {
  const { bodies } = drive({ runCommand: undeclared });
  const [declined] = only(bodies, 'fix.declined');
  const state = projectAll(bodies.slice(0, declined?.seq)) as AgentState;
  assert.is(state.attemptCount, 2);
  assert.match(state.lastError ?? '', /undeclared/);
  assert.is(state.errorHistory.at(-1)?.outsideLoopCheck, true);
});

test('a source that cannot be fetched escalates at once with a severe error', () => {
  const { run, bodies } = drive({ cloneRepository: () => failure('sourceNotFound', 'HTTP 404') });
  assert.equal(path(bodies), ['init_node', 'escalate_node']);
  assert.is(run.outcome?.exitCode, 1);
  assert.is(run.state?.lastErrorSeverity, 'high');
  assert.is(run.state?.lastErrorCategory, 'CONFIGURATION');
});

test('an analysis that fails leaves the planning to the discovery plan', () => {
  const { run, bodies } = drive({ scanRepository: () => failure('internal', 'no reader') });
  assert.ok(path(bodies).includes('scout_node'));
  assert.is(run.state?.buildPlan?.buildSystem, 'unknown');
  assert.is(run.outcome?.exitCode, 0);
});

test('outputs of another architecture go to the fixer and never end verified', () => {
  const { run, bodies } = drive({
    scanArtifacts: () => ({ output: artifactScan([], [elf('hello', 'x86-64')]) }),
  });
  assert.ok(only(bodies, 'verify.wrongArchFound').length > 0);
  assert.ok(path(bodies).includes('fix_node'));
  assert.is(run.outcome?.exitCode, 1);
  assert.is(run.outcome?.verdict, 'wrong_arch');
});

test('a build without riscv64 outputs is a success that is not verified, exit code 3, and nothing is learned', () => {
  const { run, bodies } = drive({ scanArtifacts: () => ({ output: artifactScan([]) }) });
  assert.is(run.outcome?.exitCode, 3);
  assert.is(run.outcome?.verdict, 'unverified');
  assert.is(only(bodies, 'finish.recipeCached').length, 0);
  assert.is(only(bodies, 'finish.examplesSaved').length, 0);
});

test('package tests that fail, or cannot be run, never change the build status', () => {
  const failed = drive({ runPackageTests: () => failure('sandboxLost') });
  assert.is(failed.run.state?.packageTests?.status, 'error');
  assert.is(failed.run.outcome?.exitCode, 0);
  const off = drive({}, startData({ packageTestTimeoutS: 0 }));
  assert.is(off.run.state?.packageTests?.status, 'skipped');
  assert.is(
    only(off.bodies, 'effect.requested').filter(({ data }) => data.name === 'runPackageTests').length,
    0,
  );
});

test('with --optimize the run goes through optimize_node, which never changes the exit code', () => {
  const { run, bodies } = drive({}, startData({ optimize: true }));
  assert.is(path(bodies).at(-1), 'optimize_node');
  assert.is(run.state?.optimization?.status, 'not measured');
  assert.is(run.outcome?.exitCode, 0);
});

test('a cached recipe is served before the graph in three events', () => {
  const { run, bodies } = drive({}, startData({ cachedRecipe: entry() }));
  assert.equal(
    bodies.map((body) => body.type),
    ['run.started', 'cachedRecipe.served', 'run.finished'],
  );
  assert.is(run.outcome?.exitCode, 0);
  assert.is(run.state?.buildStatus, 'SUCCESS');
  const unverified = entry();
  unverified.verification.status = 'unverified';
  assert.is(drive({}, startData({ cachedRecipe: unverified })).run.outcome?.exitCode, 3);
});

test('a cached recipe with --optimize becomes the plan, with its patches', () => {
  const cachedRecipe = { ...entry(), patches: ['--- a\n+++ b\n', 'bad'] };
  const script: Script = {
    applyPatch: (_, count) =>
      count === 1 ? { output: { applied: false, message: 'hunk 1 failed', files: [] } } : undefined,
  };
  const { run, bodies } = drive(script, startData({ cachedRecipe, optimize: true }));
  assert.equal(path(bodies).slice(0, 3), ['init_node', 'cached_recipe_node', 'supervisor_node']);
  assert.is(run.state?.patchesGenerated.length, 1);
  assert.is(only(bodies, 'cachedRecipe.commitDiffered').length, 1);
  assert.is(run.outcome?.exitCode, 0);
});

test('a cached recipe without a command is cleared and the run plans as usual', () => {
  const cachedRecipe = { ...entry(), buildPlan: { phases: [{ name: 'build', commands: [' '] }] } };
  const { run, bodies } = drive({}, startData({ cachedRecipe, optimize: true }));
  assert.equal(path(bodies).slice(0, 3), ['init_node', 'cached_recipe_node', 'analyst_node']);
  assert.is(run.state?.cachedRecipe, null);
});

test('outputs that cannot be written make a success a failure, and the verdict stays', () => {
  const { run } = drive({ writeOutputs: () => failure('diskFull') });
  assert.is(run.outcome?.exitCode, 1);
  assert.is(run.outcome?.verdict, 'verified');
});

test('a sandbox that cannot be closed does not change the verdict', () => {
  assert.is(drive({ closeSandbox: () => 'expire' }).run.outcome?.exitCode, 0);
});

test('a cancel stops the running node, closes the sandbox and ends the run with 130', () => {
  const { stages } = drive();
  const busy = stages.find((stage) =>
    [...stage.openEffects.values()].some((open) => open.name === 'runCommand'),
  );
  let { run, events } = applyInput(
    busy as never,
    { type: 'run.cancelRequested', data: { by: 'test' }, at: 9 },
    1,
  );
  assert.equal(
    events.filter((event) => event.type.startsWith('effect.')).map((event) => event.type),
    ['effect.cancelled', 'effect.requested'],
  );
  for (const name of ['closeSandbox', 'writeOutputs']) {
    const [open] = run.openEffects.values();
    assert.is(open?.name, name);
    const output =
      name === 'closeSandbox' ? { closed: true } : { recipe: null, report: '/r', state: '/s', patches: [] };
    const data = { effectId: open?.effectId ?? '', name, output };
    ({ run, events } = applyInput(run, { type: 'effect.succeeded', data, at: 10 }, 1));
  }
  assert.is(run.outcome?.exitCode, 130);
  assert.is(run.outcome?.verdict, 'cancelled');
  assert.is(run.status, 'cancelled');
});

test('pause and resume change the status of the run and nothing else of it', () => {
  const { stages } = drive();
  const busy = stages[3] as never;
  const paused = applyInput(busy, { type: 'run.pauseRequested', data: { by: 'test' }, at: 9 }, 1);
  assert.is(paused.run.status, 'paused');
  assert.is(paused.events.length, 1);
  const resumed = applyInput(paused.run, { type: 'run.resumeRequested', data: { by: 'test' }, at: 10 }, 1);
  assert.is(resumed.run.status, 'running');
  assert.equal([...resumed.run.openEffects.keys()], [...paused.run.openEffects.keys()]);
});

test('an input that the run does not wait for is refused with its code', () => {
  const { run, stages } = drive();
  const started = { type: 'run.started' as const, data: startData(), at: 1 };
  const answer = {
    type: 'effect.succeeded' as const,
    data: { effectId: 'x', name: 'runCommand', output: {} },
    at: 1,
  };
  const fired = { type: 'timer.fired' as const, data: { timerId: 'x' }, at: 1 };
  const cases: Array<[HostError['code'], () => unknown]> = [
    ['notStarted', () => applyInput(newRun('r'), answer, 1)],
    ['alreadyStarted', () => applyInput(stages[2] as never, started, 1)],
    ['runEnded', () => applyInput(run, answer, 1)],
    ['unknownEffect', () => applyInput(stages[2] as never, answer, 1)],
    ['unknownTimer', () => applyInput(stages[2] as never, fired, 1)],
  ];
  for (const [code, attempt] of cases) {
    try {
      attempt();
      assert.unreachable(code);
    } catch (error) {
      assert.instance(error, HostError);
      assert.is((error as HostError).code, code);
    }
  }
});

test('a rate limit runs the node again, three times at most, each time later', () => {
  const twice = drive({
    scanRepository: (_, count) => (count < 2 ? failure('rateLimited', 'HTTP 429') : undefined),
  });
  assert.is(twice.run.outcome?.exitCode, 0);
  const waits = only(twice.bodies, 'actor.retryScheduled').map(({ data }) => data.waitMs);
  assert.is(waits.length, 2);
  assert.ok(waits[0] !== undefined && waits[0] >= 30_000 && waits[0] <= 45_000);
  assert.ok(waits[1] !== undefined && waits[1] >= 60_000 && waits[1] <= 75_000);
  assert.equal(
    only(twice.bodies, 'actor.started')
      .slice(0, 3)
      .map(({ data }) => data.attempt),
    [1, 2, 3],
  );

  const always = drive({ openSandbox: () => failure('rateLimited', 'too many requests') });
  assert.is(always.run.state?.lastErrorCategory, 'RATE_LIMIT');
  assert.is(always.run.state?.buildStatus, 'ESCALATED');
  assert.equal(path(always.bodies), ['init_node', 'init_node', 'init_node', 'escalate_node']);
});

test('any other failure that a node does not handle records an error and escalates', () => {
  const { run, bodies } = drive({ runCommand: () => failure('sandboxLost', 'the holder is gone') });
  assert.is(only(bodies, 'actor.crashed').length, 1);
  assert.is(run.state?.buildStatus, 'ESCALATED');
  assert.is(path(bodies).at(-1), 'escalate_node');
  assert.is(path(bodies).filter((node) => node === 'fix_node').length, 0);
  assert.is(run.outcome?.exitCode, 1);
  const full = drive({
    installPackages: () => failure('diskFull', 'no space left'),
    runCommand: () => failure('diskFull'),
  });
  assert.is(full.run.state?.lastErrorCategory, 'DISK_SPACE');
});

test('a crash after a verified build keeps the verdict in the state and exits with 1', () => {
  const { run, bodies } = drive({ collectArtifacts: () => failure('diskFull', 'no space left') });
  assert.is(path(bodies).at(-1), 'escalate_node');
  assert.is(run.outcome?.exitCode, 1);
  assert.is(run.state?.artifactVerification?.status, 'verified');
});

test('an effect that expires is a failure of its node', () => {
  const { run } = drive({ openSandbox: () => 'expire' });
  assert.is(run.outcome?.exitCode, 1);
  assert.match(run.state?.lastError ?? '', /deadline/);
});

test('a project of an unknown kind is planned by discovery, which uses an attempt', () => {
  const unknown = makeScan({ buildSystem: { ...makeScan().buildSystem, type: 'unknown', confidence: 0 } });
  const { run, bodies } = drive({ scanRepository: () => ({ output: unknown }) });
  assert.ok(path(bodies).includes('scout_node'));
  assert.is(run.state?.attemptCount, 1);
  assert.match(run.state?.messages.join('\n') ?? '', /no language model/);
});

function entry(): RecipeCacheEntry {
  return {
    repoUrl: 'https://example.org/team/hello.git',
    sourceCommit: 'older',
    sourceVersion: '',
    buildSystem: 'make',
    architecture: 'riscv64',
    sandbox: 'debian-riscv64',
    lastBuilt: '1790000000000',
    buildPlan: { phases: [{ name: 'build', commands: ['make'] }] },
    dependencies: ['zlib1g-dev'],
    patches: [],
    artifacts: [{ type: 'binary', path: 'hello', role: 'primary' }],
    buildDurationSeconds: 3,
    recipeMarkdown: '# hello',
    verification: { status: 'verified', reason: 'one riscv64 output', sourceCommit: 'older' },
    elf: [elf('/out/hello')],
    runId: 'r0',
  };
}

test.run();
