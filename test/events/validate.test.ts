import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { eventSchemas } from '../../events/catalogue.ts';
import type { EventBody } from '../../events/envelope.ts';
import { LogError } from '../../events/log-error.ts';
import { parseBody } from '../../events/upcast.ts';
import { assertEvent, dataProblem } from '../../events/validate.ts';
import { bodiesOf, finishedData, startedData } from '../support/sample-events.ts';

const place = { runId: 'r1', seq: 1 };
const good = (): EventBody => ({
  ...(bodiesOf('r1', 0, ['run.started', startedData()])[0] as EventBody),
  commit: 1,
  epoch: 1,
});

test('accepts an event that fits', () => {
  assertEvent(good(), place);
});

test('compiles the schema of every type in the catalogue', () => {
  for (const type of Object.keys(eventSchemas)) assert.type(dataProblem(type, null), 'string', type);
});

const wrong: Array<[string, Record<string, unknown>, RegExp]> = [
  ['an unknown prefix', { type: 'cook.started' }, /one of the prefixes init/],
  ['a name that is no fact', { type: 'run' }, /prefix\.factInPast/],
  ['a type that is not in the catalogue', { type: 'run.exploded' }, /not in the catalogue/],
  ['a type named like a property of every object', { type: 'run.toString' }, /not in the catalogue/],
  ['another run', { runId: 'r2' }, /runId must be r1, not r2/],
  ['another seq', { seq: 2 }, /seq must be 1, not 2/],
  ['another id', { id: 'x' }, /id must be r1-1, not x/],
  ['the wrong kind', { kind: 'derived' }, /kind must be input/],
  ['another version', { version: 2 }, /version must be 1, not 2/],
  ['a time that is no whole number', { at: 1.5 }, /at must be epoch milliseconds/],
  ['a negative time', { at: -1 }, /at must be epoch milliseconds/],
  ['an empty actor', { actor: '' }, /actor must be a path/],
  ['an unknown node', { node: 'kitchen_node' }, /node must be null or/],
  ['a visit that is no number', { visit: 'one' }, /visit must be null or/],
  ['a cause that is no id', { causationId: 7 }, /causationId must be null or/],
  ['a commit before its own seq', { commit: 0 }, /commit must be/],
  ['an epoch that is no number', { epoch: null }, /epoch must be/],
  [
    'a missing field',
    { data: { ...startedData(), source: undefined } },
    /data must have required property 'source'/,
  ],
  ['an unexpected field', { data: { ...startedData(), extra: 1 } }, /data\.extra is not expected/],
  [
    'a field of the wrong type',
    { data: { ...startedData(), maxAttempts: 0 } },
    /data\.maxAttempts must be >= 1/,
  ],
];
for (const [what, change, message] of wrong) {
  test(`refuses ${what} and names it`, () => {
    const event = { ...good(), ...change } as EventBody;
    assert.throws(
      () => assertEvent(event, place),
      (error: unknown) =>
        error instanceof LogError && error.code === 'invalidEvent' && message.test(error.message),
    );
  });
}

test('refuses a run id that is no token of a subject', () => {
  for (const runId of ['a.b', 'a b', '*', '', 'x'.repeat(65)])
    assert.throws(() => assertEvent({ ...good(), runId }, { runId, seq: 1 }), /runId must match/);
});

test('names the exact path and the values that are allowed', () => {
  const artifacts = [{ path: 'a', type: 'b', machine: 'riscv64', abi: '', sha256: '', source: 7 }];
  assert.match(
    dataProblem('run.finished', { ...finishedData(), artifacts }) as string,
    /^data\.artifacts\.0\.source must be string$/,
  );
  assert.match(
    dataProblem('actor.started', { node: 'kitchen', visit: 1, attempt: 1 }) as string,
    /^data\.node must be one of init_node, /,
  );
  assert.is(dataProblem('run.pauseRequested', null), 'data must be object');
});

test('refuses data of a type that does not exist', () => {
  assert.throws(() => dataProblem('run.exploded', {}), /not in the catalogue/);
});

test('reads a body of an older version through its upcasters, step by step', () => {
  const stored = JSON.stringify({ ...good(), type: 'fix.declined', data: { why: 'no' } });
  const versions = { 'fix.declined': 3 };
  const table = {
    'fix.declined': {
      1: (data: Record<string, unknown>) => ({ reason: data.why }),
      2: (data: Record<string, unknown>) => ({ ...data, reason: `${data.reason}!` }),
    },
  };
  const read = parseBody(stored, versions, table);
  assert.is(read.version, 3);
  assert.equal(read.data, { reason: 'no!' });
  assert.throws(() => parseBody(stored, versions, {}), /version 1 has no upcaster/);
});

test('refuses a body of a newer version', () => {
  assert.throws(
    () => parseBody(JSON.stringify({ ...good(), version: 9 })),
    (error: unknown) => error instanceof LogError && error.code === 'unknownVersion',
  );
});

test.run();
