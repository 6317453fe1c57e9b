/**
 * What a command in the sandbox costs: `node test/bench/sandbox.ts [ROUNDS]` as root.
 * The aim is less than 10 ms over a plain chroot with the same emulator (issue: sandbox).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createChrootDriver } from '../../sandbox/chroot-driver.ts';
import type { Sandbox } from '../../sandbox/driver.ts';
import { ensureRoot } from '../../sandbox/root.ts';
import { withTempFolder } from '../support/temp-folder.ts';
import { testHome } from '../support/test-home.ts';

const rounds = Number(process.argv[2] ?? 30);
const root = await ensureRoot({ rootsDir: join(testHome(), 'roots'), onProgress: console.log });

const chroot = async () => {
  const child = spawn('chroot', [root.base, '/bin/bash', '-c', 'true'], { stdio: 'ignore' });
  await once(child, 'close');
};
const inside = (sandbox: Sandbox) => () =>
  sandbox.exec({
    command: 'true',
    cwd: '/workspace',
    env: {},
    timeoutMs: 60_000,
    network: 'off',
    user: 'builder',
  });

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

const middle = (times: number[]) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;

await withTempFolder(async (folder) => {
  const driver = createChrootDriver({ home: testHome(), runsDir: folder });
  const open = (strict: boolean) =>
    driver.open({ runId: strict ? 'strict' : 'accelerated', platform: 'debian-riscv64', strict });
  const opened: number[] = [];
  const strict = await open(true);
  const fast = await open(false);
  const times = {
    chroot: [] as number[],
    strict: [] as number[],
    accelerated: [] as number[],
    mark: [] as number[],
  };
  // in turn, so that a busy machine is busy for all of them
  for (let round = 0; round < rounds; round += 1) {
    times.chroot.push(await timed(chroot));
    times.strict.push(await timed(inside(strict)));
    times.accelerated.push(await timed(inside(fast)));
    await fast.writeFile('/workspace/x', Buffer.from(String(round)), 0o644);
    times.mark.push(await timed(() => fast.markOrRestore(`m${round}`)));
  }
  await strict.close();
  await fast.close();
  for (let round = 0; round < 5; round += 1) {
    let sandbox: Sandbox | undefined;
    opened.push(
      await timed(async () => {
        sandbox = await open(false);
      }),
    );
    await sandbox?.close();
  }
  const show = (name: string, value: number) =>
    console.log(`${name.padEnd(44)}${value.toFixed(1).padStart(8)} ms`);
  console.log(`medians of ${rounds}`);
  show('plain chroot, emulated bash -c true', middle(times.chroot));
  show('sandbox, strict, the same', middle(times.strict));
  show('  over the chroot', middle(times.strict) - middle(times.chroot));
  show('sandbox, accelerated', middle(times.accelerated));
  show('mark of a changed workspace', middle(times.mark));
  show('open a clean sandbox', middle(opened));
});
