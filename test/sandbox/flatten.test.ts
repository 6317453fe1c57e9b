/** Folding the layers of a long run changes nothing that a command can see. */

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createChrootDriver } from '../../sandbox/chroot-driver.ts';
import type { ChrootSandbox } from '../../sandbox/chroot-sandbox.ts';
import { withTempFolder } from '../support/temp-folder.ts';
import { testHome } from '../support/test-home.ts';
import { shell } from './contract.ts';

const withRun = (frozenMax: number, work: (sandbox: ChrootSandbox, runDir: string) => Promise<void>) =>
  withTempFolder(async (folder) => {
    const driver = createChrootDriver({ home: testHome(), runsDir: folder, frozenMax });
    const sandbox = await driver.open({ runId: 'fold', platform: 'debian-riscv64', strict: false });
    try {
      await work(sandbox, join(folder, 'fold'));
    } finally {
      await sandbox.close();
    }
  });

/** Everything that a command can see of the folders that commands below write to. */
const look = (sandbox: ChrootSandbox) =>
  shell(
    sandbox,
    'cd /; for d in workspace usr/games usr/local/bin tmp; do find $d -printf "%p %y %m %s %T@ %l\\n"; done | sort; find workspace usr/local -type f | sort | xargs cat',
    { user: 'root' },
  );

const folders = async (runDir: string) => (await readdir(runDir)).filter((name) => /^u\d+$/.test(name));

test('files, links, modes, times and removals are the same after many marks', () =>
  withRun(3, async (sandbox, runDir) => {
    const steps = [
      'mkdir -p a/b; echo 1 > a/b/f; ln a/b/f a/hard; ln -s b/f a/soft; touch -d 2001-01-01 a/b',
      'rm -rf /usr/games; echo 2 > a/b/g; chmod 700 a',
      'mv a c; mkdir /usr/games; echo tool > /usr/local/bin/tool',
      'rm c/b/g; rm -rf c/b; mkdir c/b; echo new > c/b/new',
      'echo 3 > "c/odd name"; printf x > $(printf "c/new\\nline"); mkdir -m 000 c/locked',
      'rm /usr/bin/bc; cp /bin/true /tmp/t; rm c/soft; mkdir c/soft',
      'echo 4 >> c/b/new',
    ];
    for (const [index, step] of steps.entries()) {
      await sandbox.markOrRestore(`m${index}`);
      const done = await shell(sandbox, step, { user: 'root' });
      assert.is(done.exitCode, 0, done.stderr);
      const before = await look(sandbox);
      assert.is(await sandbox.markOrRestore(`after ${index}`), 'marked');
      const after = await look(sandbox);
      assert.is(after.stdout, before.stdout, step);
    }
    assert.ok((await folders(runDir)).length <= 5, 'the stack is bounded');
    assert.is((await shell(sandbox, 'test -e /usr/bin/bc')).exitCode, 1);
    await shell(sandbox, 'rm -rf c', { user: 'root' });
    assert.is(await sandbox.markOrRestore('after 6'), 'restored', 'the last mark outlives the folding');
    assert.is((await shell(sandbox, 'cat c/b/new')).stdout, 'new\n4\n');
  }));

test('packages stay layers of their own, and their files stay', () =>
  withRun(2, async (sandbox, runDir) => {
    await shell(sandbox, 'echo 1 > one');
    await sandbox.installPackages(['zlib1g-dev'], { timeoutMs: 300_000 });
    for (const name of ['two', 'three', 'four']) {
      await sandbox.markOrRestore(name);
      await shell(sandbox, `echo 1 > ${name}`);
    }
    await sandbox.markOrRestore('end');
    const { stdout } = await shell(
      sandbox,
      'ls; ls /usr/include/zlib.h; dpkg -s zlib1g-dev | grep -c installed',
    );
    assert.is(stdout, 'four\none\nthree\ntwo\n/usr/include/zlib.h\n1\n');
    for (const folder of await folders(runDir))
      assert.not.ok(
        (await readdir(join(runDir, folder, 'usr/include')).catch(() => [] as string[])).includes('zlib.h'),
      );
  }));

test('random changes look the same before and after', async () => {
  const path = fc.constantFrom('a', 'b', 'a/c', 'b/c', 'a/c/d', 'b/d');
  const step = fc.oneof(
    path.map((p) => `mkdir -p ${p}`),
    fc.tuple(path, fc.integer({ min: 0, max: 99 })).map(([p, n]) => `echo ${n} > ${p}`),
    path.map((p) => `rm -rf ${p}`),
    fc.tuple(path, path).map(([p, q]) => `mv ${p} ${q}`),
    fc.tuple(path, path).map(([p, q]) => `ln -s ${p} ${q}`),
    fc.tuple(path, fc.constantFrom('755', '500')).map(([p, m]) => `chmod ${m} ${p}`),
  );
  const run = fc.array(fc.array(step, { minLength: 2, maxLength: 8 }), { minLength: 2, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(run, (commands) =>
      withRun(1, async (sandbox) => {
        for (const [index, steps] of commands.entries()) {
          await shell(sandbox, steps.map((one) => `(${one}) 2>/dev/null`).join('; '));
          const before = await look(sandbox);
          await sandbox.markOrRestore(`m${index}`);
          assert.is((await look(sandbox)).stdout, before.stdout);
        }
      }),
    ),
    { numRuns: 2, endOnFailure: true },
  );
});

test.run();
