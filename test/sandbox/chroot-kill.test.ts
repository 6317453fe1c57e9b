/** kill -9 of the whole program while a command runs: nothing is left, and the run's files go on from their mark. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createChrootDriver } from '../../sandbox/chroot-driver.ts';
import { processesWith, until } from '../support/processes.ts';
import { withTempFolder } from '../support/temp-folder.ts';
import { testHome } from '../support/test-home.ts';
import { codeOf, shell } from './contract.ts';

const program = join(import.meta.dirname, 'programs', 'hold-run.ts');

/** Starts the program, waits until its second command runs, kills it with -9. */
async function killInCommand(runsDir: string, runId: string, text: string): Promise<void> {
  const child = spawn(process.execPath, [program, testHome(), runsDir, runId, text], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  for await (const chunk of child.stdout) if (String(chunk).includes('started')) break;
  child.kill('SIGKILL');
  await exit;
}

async function controlGroupsOf(runId: string): Promise<string[]> {
  const mounts = (await readFile('/proc/self/mountinfo', 'utf8'))
    .split('\n')
    .filter((line) => line.includes(' - cgroup'));
  const found: string[] = [];
  for (const line of mounts) {
    const folders = await readdir(line.split(' ')[4] ?? '', { recursive: true, withFileTypes: true });
    found.push(
      ...folders.filter((one) => one.isDirectory() && one.name.includes(runId)).map((one) => one.name),
    );
  }
  return found;
}

test('after kill -9 no process, mount or control group is left, and the run starts again from its mark', () =>
  withTempFolder(async (folder) => {
    const runId = `kill-${randomUUID().slice(0, 8)}`;
    const text = String(900_000 + Math.floor(Math.random() * 90_000));
    await killInCommand(folder, runId, text);
    await until(
      async () => (await processesWith(text)).length === 0,
      'the processes of the command are gone',
    );
    await until(async () => (await processesWith(runId)).length === 0, 'the holder is gone');
    await until(async () => (await controlGroupsOf(runId)).length === 0, 'the control groups are gone');
    const mounts = await readFile('/proc/self/mountinfo', 'utf8');
    assert.not.match(mounts, runId);

    const driver = createChrootDriver({ home: testHome(), runsDir: folder });
    assert.equal(await driver.listRuns(), [runId]);
    const sandbox = await driver.open({ runId, platform: 'debian-riscv64', strict: false });
    assert.is((await shell(sandbox, 'ls')).stdout, 'half\n', 'as the kill left it');
    assert.is(await sandbox.markOrRestore('second'), 'restored');
    assert.is((await shell(sandbox, 'ls; cat finished')).stdout, 'finished\n1\n');
    await sandbox.close();
    assert.equal(await driver.listRuns(), []);
    assert.equal(await readdir(folder), []);
  }));

test('a run is open in one place only, and a run that is not open can be removed', () =>
  withTempFolder(async (folder) => {
    const driver = createChrootDriver({ home: testHome(), runsDir: folder });
    const spec = { runId: 'one-place', platform: 'debian-riscv64', strict: false };
    const sandbox = await driver.open(spec);
    assert.is(await codeOf(driver.open(spec)), 'sandboxUnavailable');
    await sandbox.writeFile('/workspace/x', Buffer.from('1'), 0o644);
    await sandbox.detach();
    const again = await driver.open(spec);
    assert.is(String(await again.readFile('/workspace/x', 10)), '1');
    await again.detach();
    assert.equal(await driver.listRuns(), ['one-place']);
    await driver.removeRun('one-place');
    await driver.removeRun('never-was');
    assert.equal(await readdir(folder), []);
  }));

test('a holder that is killed makes the sandbox lost, and opening finds its files again', () =>
  withTempFolder(async (folder) => {
    const driver = createChrootDriver({ home: testHome(), runsDir: folder });
    const spec = { runId: 'holder-lost', platform: 'debian-riscv64', strict: false };
    const sandbox = await driver.open(spec);
    await shell(sandbox, 'echo 1 > x');
    const holder = Number(sandbox.hostPath('/').split('/')[2]);
    const running = codeOf(
      shell(sandbox, 'echo started; sleep 600', { onOutput: () => process.kill(holder, 'SIGKILL') }),
    );
    assert.is(await running, 'sandboxLost');
    assert.is(await codeOf(shell(sandbox, 'true')), 'sandboxLost');
    await sandbox.detach();
    const again = await driver.open(spec);
    assert.is((await shell(again, 'cat x')).stdout, '1\n');
    await again.close();
  }));

test('refuses ids of runs that would be paths', () =>
  withTempFolder(async (folder) => {
    const driver = createChrootDriver({ home: testHome(), runsDir: folder });
    for (const runId of ['../x', 'a/b', '', '.', 'x'.repeat(65)])
      assert.is(await codeOf(driver.removeRun(runId)), 'denied', runId);
  }));

test.run();
