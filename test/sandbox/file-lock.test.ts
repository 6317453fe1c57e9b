import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withFileLock } from '../../sandbox/file-lock.ts';
import { withTempFolder } from '../support/temp-folder.ts';

const options = { timeoutMs: 10_000 };

test('one at a time, and the second is told that it waits', () =>
  withTempFolder(async (folder) => {
    const path = join(folder, 'lock');
    const steps: string[] = [];
    let release = () => {};
    const first = withFileLock(path, options, async () => {
      steps.push('first');
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      steps.push('first ends');
    });
    const second = withFileLock(
      path,
      {
        ...options,
        onWait: () => {
          steps.push('waits');
          release();
        },
      },
      async () => {
        steps.push('second');
      },
    );
    await Promise.all([first, second]);
    assert.equal(
      steps.filter((step) => step !== 'waits'),
      ['first', 'first ends', 'second'],
    );
    assert.ok(steps.includes('waits'));
  }));

test('gives up in time, when cancelled, and after a fault of the work', () =>
  withTempFolder(async (folder) => {
    const path = join(folder, 'lock');
    await withFileLock(path, options, async () => {
      const late = withFileLock(path, { timeoutMs: 1 }, async () => 'never').catch((error) => error.code);
      assert.is(await late, 'timedOut');
      const controller = new AbortController();
      const cancelled = withFileLock(
        path,
        { ...options, signal: controller.signal, onWait: () => controller.abort() },
        async () => 'never',
      ).catch((error) => error.code);
      assert.is(await cancelled, 'cancelled');
    });
    const fault = withFileLock(path, options, async () => {
      throw new Error('fault');
    }).catch((error) => error.message);
    assert.is(await fault, 'fault');
    assert.is(await withFileLock(path, options, async () => 'free again'), 'free again');
  }));

test('a holder that is killed gives it back', () =>
  withTempFolder(async (folder) => {
    const path = join(folder, 'lock');
    const lock = join(import.meta.dirname, '../../sandbox/file-lock.ts');
    const code = `const { withFileLock } = await import(${JSON.stringify(lock)});
      await withFileLock(${JSON.stringify(path)}, { timeoutMs: 10000 }, () => { console.log('held'); return new Promise(() => setInterval(() => {}, 1000)); });`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exit = once(child, 'exit');
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await exit;
    assert.is(await withFileLock(path, options, async () => 'mine'), 'mine');
  }));

test.run();
