import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { canonicalJson } from '../../events/canonical-json.ts';
import type { EventBody } from '../../events/envelope.ts';
import { DeterminismViolation, withoutTheWorld } from '../../machines/determinism.ts';
import { firstDifference } from '../../machines/first-difference.ts';
import { commitsOf, replayBodies } from '../../machines/replay.ts';
import { commandResult, drive, failure, runId, startData } from '../support/scripted-run.ts';

/** As the log gives them back: JSON with its keys in order. */
const stored = (bodies: EventBody[]): EventBody[] => JSON.parse(canonicalJson(bodies)) as EventBody[];
const histories = [
  drive().bodies,
  drive({
    runCommand: () => ({ output: { ...commandResult({ exitCode: 2, text: 'foo.c:1: error: bad' }) } }),
  }).bodies,
  drive({ openSandbox: () => failure('rateLimited', '429') }).bodies,
  drive({}, startData({ optimize: true, packageTestTimeoutS: 0 })).bodies,
].map(stored);

test('a recorded history replays with every event compared and the same final state', () => {
  for (const bodies of histories) {
    const report = replayBodies(runId, bodies);
    assert.is(report.diverged, null);
    assert.is(report.events, bodies.length);
    assert.is(report.compared, bodies.length);
    assert.is(report.run.seq, bodies.length);
  }
});

test('a changed derived event is named by its seq, actor and field', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(), (history, pick) => {
      const bodies = structuredClone(histories[history % histories.length] ?? []);
      const derived = bodies.filter((body) => body.kind === 'derived');
      const changed = derived[pick % derived.length] as EventBody;
      changed.actor = `${changed.actor}x`;
      const { diverged } = replayBodies(runId, bodies);
      assert.is(diverged?.seq, changed.seq);
      assert.is(diverged?.field, 'actor');
    }),
  );
});

test('a missing, an extra and a reordered event are found where they stand', () => {
  const [bodies] = histories as [EventBody[]];
  const at = bodies.findIndex((body) => body.type === 'actor.routed');
  const without = bodies.filter((_, index) => index !== at);
  assert.is(
    replayBodies(runId, without).diverged?.seq,
    bodies[at]?.seq === undefined ? -1 : (bodies[at + 1]?.seq ?? 0),
  );
  const cut = bodies.slice(0, -1);
  assert.is(replayBodies(runId, cut).diverged?.field, 'event');
  const twice = [...bodies, { ...(bodies.at(-1) as EventBody), seq: bodies.length + 1 }];
  assert.is(replayBodies(runId, twice).diverged?.seq, bodies.length + 1);
});

test('an answer to an effect that nobody asked for diverges instead of throwing', () => {
  const bodies = structuredClone(histories[0] ?? []);
  const input = bodies.find((body) => body.type === 'effect.succeeded') as EventBody;
  (input.data as { effectId: string }).effectId = 'nobody';
  const { diverged } = replayBodies(runId, bodies);
  assert.is(diverged?.seq, input.seq);
  assert.is(diverged?.field, 'fold');
});

test('events that do not follow one another are a divergence of seq', () => {
  const { diverged } = replayBodies(
    runId,
    (histories[0] ?? []).slice(1).filter((body) => body.seq > 5),
  );
  assert.is(diverged?.field, 'seq');
});

test('commits are an input and all that was recorded after it', () => {
  for (const commit of commitsOf(histories[0] ?? [])) {
    assert.is(commit[0]?.kind, 'input');
    assert.is(commit.at(-1)?.seq, commit[0]?.commit);
  }
});

test('clock, dice, timers and network are traps while a fold runs, and are back afterwards', () => {
  const reaches: Array<() => unknown> = [
    () => Date.now(),
    () => Math.random(),
    () => setTimeout(() => {}, 1),
    () => fetch('http://127.0.0.1'),
    () => crypto.randomUUID(),
    () => performance.now(),
    () => new Date(),
    () => process.env.HOME,
  ];
  for (const reach of reaches) {
    assert.throws(
      () => withoutTheWorld(reach),
      (error: unknown) => error instanceof DeterminismViolation,
    );
  }
  assert.type(Date.now(), 'number');
  assert.type(Math.random(), 'number');
  assert.ok(new Date() instanceof Date);
  assert.ok('PATH' in process.env);
});

test('the first difference names its path, and undefined is the same as missing', () => {
  assert.is(firstDifference({ a: 1, b: undefined }, { a: 1 }), null);
  assert.equal(firstDifference({ a: { b: [1, 2] } }, { a: { b: [1, 3] } }), {
    field: 'a.b.1',
    expected: 2,
    actual: 3,
  });
  assert.equal(firstDifference([1], { 0: 1 })?.field, 'value');
  assert.equal(firstDifference(1, undefined), { field: 'value', expected: 1, actual: null });
});

test.run();
