/** What is the chroot driver's own: limits, strict mode, the view from the host. */

import { lstat, readdir } from 'node:fs/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ChrootDriverOptions, createChrootDriver } from '../../sandbox/chroot-driver.ts';
import type { ChrootSandbox } from '../../sandbox/chroot-sandbox.ts';
import { withTempFolder } from '../support/temp-folder.ts';
import { testHome } from '../support/test-home.ts';
import { codeOf, shell } from './contract.ts';

const withRun = (
  options: Partial<ChrootDriverOptions> & { strict?: boolean },
  work: (sandbox: ChrootSandbox) => Promise<void>,
) =>
  withTempFolder(async (folder) => {
    const { strict = false, ...rest } = options;
    const driver = createChrootDriver({ home: testHome(), runsDir: folder, ...rest });
    const sandbox = await driver.open({ runId: 'limits', platform: 'debian-riscv64', strict });
    try {
      await work(sandbox);
    } finally {
      await sandbox.close();
    }
  });

test("tells a kill for memory by the kernel's counter, and only then", () =>
  withRun({ limits: { memoryBytes: 256 * 1024 ** 2, processes: 1000 } }, async (sandbox) => {
    if (sandbox.info.limits.memory === 'not limited') return; // no control groups: the answer is "not known"
    const hungry = await shell(sandbox, `python3 -c 'x = bytearray(600 * 1024 * 1024); print(len(x))'`);
    assert.equal([hungry.exitCode, hungry.oomKilled, hungry.timedOut], [137, true, false]);
    const killed = await shell(sandbox, 'kill -9 $$');
    assert.equal([killed.exitCode, killed.oomKilled], [137, false]);
  }));

test('stops a fork bomb at the process limit, and goes on after it', () =>
  withRun({ limits: { memoryBytes: 1024 ** 3, processes: 500 } }, async (sandbox) => {
    if (sandbox.info.limits.processes === 'not limited') return;
    const bomb = await shell(sandbox, 'f() { sleep 60 & f; }; f 2>/dev/null', { timeoutMs: 4000 });
    assert.is.not(bomb.exitCode, 0);
    assert.is((await shell(sandbox, 'echo on')).stdout, 'on\n');
  }));

test('strict mode leaves the accelerated layer out, and builds the same bytes', () =>
  withRun({}, (fast) =>
    withRun({ strict: true }, async (strict) => {
      assert.equal([fast.info.accelerated, strict.info.accelerated], [true, false]);
      const native = 'od -An -tu2 -j18 -N2 /usr/libexec/gcc/riscv64-linux-gnu/14/cc1 | tr -d " "';
      assert.is((await shell(strict, native)).stdout, '243\n');
      assert.is.not((await shell(fast, native)).stdout, '243\n');
      const source =
        '#include <stdio.h>\n#include <math.h>\nint main(int c, char **v) { return (int)(sqrt(c) + sin(c)) + printf("%d\\n", c); }\n';
      const build = 'gcc -O2 -g a.c -o a -lm && ar rcs liba.a a && strip -o s a && sha256sum a liba.a s';
      const sums = [];
      for (const sandbox of [fast, strict]) {
        await sandbox.writeFile('/workspace/a.c', Buffer.from(source), 0o644);
        sums.push((await shell(sandbox, build)).stdout);
      }
      assert.match(sums[0] ?? '', /^[0-9a-f]{64} /);
      assert.is(sums[0], sums[1]);
    }),
  ));

test('compilers look into /usr/local in both modes', async () => {
  for (const strict of [false, true])
    await withRun({ strict }, async (sandbox) => {
      const install =
        'echo "#define LOCAL 7" > /usr/local/include/local.h; echo "int l(void){return 7;}" > l.c; gcc -shared -fPIC l.c -o /usr/local/lib/libl.so; ldconfig';
      await shell(sandbox, install, { user: 'root', cwd: '/workspace' });
      const use =
        'printf "#include <local.h>\\nint l(void);int main(void){return l()-LOCAL;}" > m.c; gcc m.c -ll -o m && ./m && g++ -xc++ -include local.h -c l.c';
      const { exitCode, stderr } = await shell(sandbox, use);
      assert.is(exitCode, 0, stderr);
    });
});

test('no program of the accelerated layer tells the machine of the host', () =>
  withRun({}, async (sandbox) => {
    const ask =
      'uname -m; bash -c "echo $MACHTYPE $HOSTTYPE"; gcc -dumpmachine; perl -MConfig -e "print qq($Config{archname}\\n)"; python3 -c "import platform; print(platform.machine())"; cc -E -dM - </dev/null | grep -c __riscv; dpkg --print-architecture; make -p -f /dev/null 2>/dev/null | grep ^MAKE_HOST';
    const { stdout } = await shell(sandbox, ask);
    assert.not.match(stdout, /x86|amd64|aarch64|arm64/);
    assert.is(stdout.split('\n')[0], 'riscv64');
  }));

test('shows its files to the host without entering', () =>
  withRun({}, async (sandbox) => {
    await shell(sandbox, 'mkdir d; echo 1 > d/x; ln -s /etc/passwd link');
    assert.equal((await readdir(sandbox.hostPath('/workspace'))).sort(), ['d', 'link']);
    assert.is((await lstat(sandbox.hostPath('/workspace/d/x'))).size, 2);
    await sandbox.detach();
    assert.throws(
      () => sandbox.hostPath('/'),
      (error: { code: string }) => error.code === 'sandboxLost',
    );
  }));

test('a run goes on in the mode it was begun in', () =>
  withTempFolder(async (folder) => {
    const driver = createChrootDriver({ home: testHome(), runsDir: folder });
    const spec = { runId: 'mode', platform: 'debian-riscv64' };
    await (await driver.open({ ...spec, strict: true })).detach();
    assert.is(await codeOf(driver.open({ ...spec, strict: false })), 'sandboxUnavailable');
    await driver.removeRun('mode');
  }));

test('cannot change the machine, not even as root inside', () =>
  withRun({}, async (sandbox) => {
    const attempts = [
      'echo 1 > /proc/sys/vm/swappiness',
      'mknod /tmp/disk b 254 0',
      'mount -t tmpfs tmpfs /mnt',
      'unshare -m true',
      'kill -9 1',
      'hostname other',
      'echo 0 > /proc/sysrq-trigger',
    ];
    for (const attempt of attempts) {
      const { exitCode } = await shell(sandbox, `PATH=$PATH; ${attempt}`, { user: 'root' });
      if (attempt !== 'kill -9 1') assert.is.not(exitCode, 0, attempt);
    }
    const { stdout } = await shell(sandbox, 'ls /proc | grep -c "^[0-9]"; cat /proc/1/comm', {
      user: 'root',
    });
    assert.match(stdout, /bwrap/);
  }));

test.run();
