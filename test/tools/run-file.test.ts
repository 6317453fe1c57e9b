import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runFile } from './run-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'run-file-'));
const uvu = new URL('../../node_modules/uvu/dist/index.mjs', import.meta.url).href;

const resultOf = (name: string, source: string, deadlineMs = 20_000) => {
  const file = join(folder, name);
  writeFileSync(file, source);
  return runFile(file, deadlineMs, { ...process.env, NO_COLOR: '1' }).result;
};

/** A killed process may stay a zombie until its new parent reaps it; that counts as ended. */
const isRunning = (pid: number): boolean => {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
};

const endsSoon = async (pid: number): Promise<boolean> => {
  const deadline = Date.now() + 5_000;
  while (isRunning(pid) && Date.now() < deadline) await setImmediate();
  return !isRunning(pid);
};

test('counts the tests of a file that passes', async () => {
  const result = await resultOf(
    'good.mjs',
    `import { test } from '${uvu}'; test('a', () => {}); test.run();`,
  );
  assert.is(result.problem, null);
  assert.is(result.passed, 1);
});

test('a file without run() is a failed file, though uvu exits 0', async () => {
  const result = await resultOf('silent.mjs', `import { test } from '${uvu}'; test('a', () => {});`);
  assert.is(result.failed, 1);
  assert.match(result.problem ?? '', 'ran no test');
});

test('a failing test is counted and its output kept', async () => {
  const source = `import { test } from '${uvu}'; test('bad', () => { throw new Error('why'); }); test.run();`;
  const result = await resultOf('bad.mjs', source);
  assert.is(result.failed, 1);
  assert.match(result.output, 'why');
});

test('a file that does not end is killed at its deadline with all it started', async () => {
  const source = `import { spawn } from 'node:child_process';
    const child = spawn('sleep', ['60']); console.log(child.pid); setInterval(() => {}, 1000);`;
  const result = await resultOf('endless.mjs', source, 1_500);
  assert.match(result.problem ?? '', 'did not end within 1.5 s');
  const pid = Number(result.output.trim());
  assert.ok(pid > 1);
  assert.ok(await endsSoon(pid), 'its child still runs');
});

test.after(() => rmSync(folder, { recursive: true, force: true }));
test.run();
