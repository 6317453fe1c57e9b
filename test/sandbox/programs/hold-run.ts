/** A program that has a run open and a command going, for tests that kill it: `node hold-run.ts HOME RUNS RUN MARK`. */
import { createChrootDriver } from '../../../sandbox/chroot-driver.ts';

const [home = '', runsDir = '', runId = '', text = ''] = process.argv.slice(2);
const driver = createChrootDriver({ home, runsDir });
const sandbox = await driver.open({ runId, platform: 'debian-riscv64', strict: false });
const base = { cwd: '/workspace', env: {}, timeoutMs: 600_000, network: 'off', user: 'builder' } as const;
await sandbox.exec({ ...base, command: 'echo 1 > finished' });
await sandbox.markOrRestore('second');
await sandbox.exec({
  ...base,
  command: `rm finished; echo 2 > half; (setsid sleep ${text} &); echo started; sleep ${text}`,
  onOutput: (_, chunk) => process.stdout.write(chunk),
});
