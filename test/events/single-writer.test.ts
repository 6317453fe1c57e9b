/** Proof that `project()` is the only writer of an agent state, in what runs and in what is written. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { project, projectAll } from '../../events/projection.ts';
import { applyInput } from '../../machines/host.ts';
import type { HostedRun, RunInput } from '../../machines/hosted-run.ts';
import { commandResult, drive, type ScriptedRun } from '../support/scripted-run.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const sources = ['machines', 'services', 'sandbox', 'events'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name)),
);
const outsideProjection = sources.filter((path) => !path.startsWith('events/projection'));

test('the state that a run carries is what a fold of its events gives, after every input', () => {
  for (const { stages, bodies } of [drive(), failing()]) {
    for (const stage of stages.slice(1)) assert.equal(stage.state, projectAll(bodies.slice(0, stage.seq)));
  }
});

test('folding a run whose state is frozen works: nothing in the machines or the host writes to it', () => {
  for (const { stages, bodies } of [drive(), failing()]) {
    const inputs = bodies.filter((body) => body.kind === 'input').slice(1);
    inputs.forEach((body, index) => {
      const stage = stages[index + 1] as HostedRun;
      deepFreeze(stage.state);
      for (const actor of stage.actors.values()) {
        deepFreeze((actor as { snapshot?: { context?: { state?: unknown } } }).snapshot?.context?.state);
      }
      const { type, data, at } = body;
      assert.not.throws(() => applyInput(stage, { type, data, at } as RunInput, 1));
    });
  }
});

test('no file but the projection makes an agent state out of another one', () => {
  for (const path of outsideProjection) {
    const text = readFileSync(join(root, path), 'utf8');
    const spread = /\{[^{}]*\.\.\.(?:[\w.?]+\.)?(?:state|agentState)\b(?!\.)/.exec(text);
    assert.is(spread, null, `${path} copies a state: ${spread?.[0]}`);
    const assigned = /\b(?:state|agentState)\.(?!state\b)\w+(?:\.\w+)* (?:=|\+=|-=) /.exec(text);
    assert.is(assigned, null, `${path} assigns to a state: ${assigned?.[0]}`);
  }
});

test('project() is called by the host and by readers of the log, and by no machine', () => {
  const callers = outsideProjection.filter((path) =>
    /\bproject\(/.test(readFileSync(join(root, path), 'utf8')),
  );
  for (const path of callers) {
    assert.ok(
      /^machines\/host(-work)?\.ts$/.test(path) || path.startsWith('services/') || path.startsWith('events/'),
      `${relative(root, join(root, path))} projects by itself`,
    );
  }
  assert.ok(callers.includes('machines/host-work.ts'));
  assert.type(project, 'function');
});

const failing = (): ScriptedRun =>
  drive({
    runCommand: () => ({
      output: { ...commandResult({ exitCode: 1, text: "a.c:1:1: error: 'x' undeclared" }) },
    }),
  });

function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const field of Object.values(value)) deepFreeze(field);
}

test.run();
