/** What every sandbox driver must do. Each test is a promise of `sandbox/driver.ts`. */
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ExecSpec, Sandbox, SandboxDriver, SandboxErrorCode } from '../../sandbox/driver.ts';
import { processesWith, until } from '../support/processes.ts';
import { withTempFolder } from '../support/temp-folder.ts';

export interface Shell {
  exitCode: number;
  signal: string | null;
  timedOut: boolean;
  oomKilled: boolean | null;
  stdout: string;
  stderr: string;
}

/** Runs a command as the builder without a network, and keeps its output. */
export async function shell(sandbox: Sandbox, command: string, more: Partial<ExecSpec> = {}): Promise<Shell> {
  const output = { stdout: '', stderr: '' };
  const result = await sandbox.exec({
    command,
    cwd: '/workspace',
    env: {},
    timeoutMs: 120_000,
    network: 'off',
    user: 'builder',
    onOutput: (stream, chunk) => {
      output[stream] += Buffer.from(chunk).toString();
    },
    ...more,
  });
  return { ...result, ...output };
}

export async function codeOf(work: Promise<unknown>): Promise<SandboxErrorCode | 'none' | string> {
  return work.then(
    () => 'none',
    (error: { code?: string; message: string }) => error.code ?? error.message,
  );
}

/** Registers and runs the suite. The driver is made once; each test has a run of its own. */
export function sandboxContract(name: string, makeDriver: () => SandboxDriver): void {
  const test = suite(`sandbox contract: ${name}`);
  const driver = makeDriver();
  const open = (runId = `contract-${randomUUID().slice(0, 8)}`) =>
    driver.open({ runId, platform: 'debian-riscv64', strict: false });
  const withSandbox = async (work: (sandbox: Sandbox) => Promise<void>) => {
    const sandbox = await open();
    try {
      await work(sandbox);
    } finally {
      await sandbox.close();
    }
  };

  test('runs riscv64 commands as the builder in the workspace', () =>
    withSandbox(async (sandbox) => {
      const { stdout, exitCode } = await shell(sandbox, 'uname -m; id -un; pwd; echo $HOME');
      assert.is(stdout, 'riscv64\nbuilder\n/workspace\n/workspace\n');
      assert.is(exitCode, 0);
      assert.is(sandbox.info.platform, 'debian-riscv64');
      assert.match(sandbox.info.rootDigest, /^[0-9a-f]{64}$/);
    }));

  test('compiles a program to riscv64 and runs it', () =>
    withSandbox(async (sandbox) => {
      await sandbox.writeFile(
        '/workspace/h.c',
        Buffer.from('#include <stdio.h>\nint main(){puts("hi");}'),
        0o644,
      );
      const { stdout, stderr } = await shell(sandbox, 'gcc -O2 h.c -o h && ./h');
      assert.is(stdout, 'hi\n', stderr);
      const elf = (await sandbox.readFile('/workspace/h', 20)) ?? new Uint8Array();
      assert.is(elf[18], 243, 'e_machine is RISC-V');
    }));

  test('tells the exit code, and a death by signal as a shell does', () =>
    withSandbox(async (sandbox) => {
      assert.is((await shell(sandbox, 'exit 3')).exitCode, 3);
      const killed = await shell(sandbox, 'kill -SEGV $$');
      assert.equal([killed.exitCode, killed.signal, killed.timedOut], [139, 'SIGSEGV', false]);
      const missing = await shell(sandbox, 'no-such-program');
      assert.equal([missing.exitCode, missing.signal], [127, null]);
      assert.match(missing.stderr, 'not found');
    }));

  test('gives output as it comes, stdout and stderr apart, also when a program opens /dev/stderr', () =>
    withSandbox(async (sandbox) => {
      let first = 0;
      const begun = performance.now();
      const result = await shell(
        sandbox,
        'echo out; echo err | tee /dev/stderr >/dev/null; sleep 1; echo end',
        {
          onOutput: () => {
            first ||= performance.now() - begun;
          },
        },
      );
      assert.ok(first < 900, `the first piece came after ${first} ms`);
      assert.is(result.exitCode, 0);
      const { stdout, stderr } = await shell(
        sandbox,
        'echo out; echo err | tee /dev/stderr >/dev/null; echo end',
      );
      assert.equal([stdout, stderr], ['out\nend\n', 'err\n']);
    }));

  test('keeps long output whole', () =>
    withSandbox(async (sandbox) => {
      const { stdout } = await shell(sandbox, 'seq 1 200000');
      assert.is(stdout.length, 1_288_895);
      assert.ok(stdout.endsWith('\n200000\n'));
    }));

  test('passes stdin, and ends it', () =>
    withSandbox(async (sandbox) => {
      assert.is((await shell(sandbox, 'cat', { stdin: Buffer.from('from outside') })).stdout, 'from outside');
      assert.is((await shell(sandbox, 'cat')).stdout, '');
    }));

  test('shows the environment that was asked for and nothing of the host', () =>
    withSandbox(async (sandbox) => {
      process.env.ATESOR_TEST_SECRET = 'secret';
      const { stdout } = await shell(sandbox, 'env', { env: { CC: 'gcc', TRICKY: "a'b\n$HOME" } });
      delete process.env.ATESOR_TEST_SECRET;
      assert.match(stdout, /^CC=gcc$/m);
      assert.match(stdout, "TRICKY=a'b\n$HOME");
      assert.match(stdout, /^LC_ALL=C.UTF-8$/m);
      assert.not.match(stdout, 'secret');
      assert.is(await codeOf(shell(sandbox, 'true', { env: { X: 'a\0b' } })), 'denied');
    }));

  test('answers a folder that is not there as a shell would', () =>
    withSandbox(async (sandbox) => {
      const { exitCode, stderr } = await shell(sandbox, 'true', { cwd: '/workspace/none' });
      assert.is(exitCode, 1);
      assert.match(stderr, 'No such file or directory');
    }));

  test('ends a command at its time limit by TERM, with everything it has started', () =>
    withSandbox(async (sandbox) => {
      const mark = String(700_000 + Math.floor(performance.now()) * 7);
      const command = `trap 'echo asked; exit 9' TERM; (setsid sh -c 'sleep ${mark} & sleep ${mark}' &); sleep ${mark} & wait`;
      const result = await shell(sandbox, command, { timeoutMs: 1500 });
      assert.equal([result.timedOut, result.oomKilled === true], [true, false]);
      assert.is(result.stdout, 'asked\n');
      assert.is(result.exitCode, 9);
      await until(async () => (await processesWith(mark)).length === 0, 'every process is gone');
    }));

  test('kills what does not listen to TERM', () =>
    withSandbox(async (sandbox) => {
      const result = await shell(sandbox, "trap '' TERM; while :; do :; done", { timeoutMs: 500 });
      assert.equal([result.timedOut, result.exitCode, result.signal], [true, 137, 'SIGKILL']);
    }));

  test('ends what a finished command has left running', () =>
    withSandbox(async (sandbox) => {
      const mark = String(800_000 + Math.floor(performance.now()) * 7);
      const { exitCode } = await shell(sandbox, `(setsid sleep ${mark} >/dev/null 2>&1 &); echo started`);
      assert.is(exitCode, 0);
      await until(async () => (await processesWith(mark)).length === 0, 'the orphan is gone');
    }));

  test('stops a command when it is cancelled', () =>
    withSandbox(async (sandbox) => {
      const controller = new AbortController();
      const running = shell(sandbox, 'echo started; sleep 600', {
        signal: controller.signal,
        onOutput: () => controller.abort(),
      });
      assert.is(await codeOf(running), 'cancelled');
      assert.is(await codeOf(shell(sandbox, 'true', { signal: AbortSignal.abort() })), 'cancelled');
      assert.is((await shell(sandbox, 'echo on')).stdout, 'on\n');
    }));

  test('has no network unless a command fetches', () =>
    withSandbox(async (sandbox) => {
      const { stdout, exitCode } = await shell(
        sandbox,
        'cat /proc/net/dev | tail -n +3 | cut -d: -f1; curl -s -m 5 http://192.0.2.1/',
      );
      assert.is(stdout.trim(), 'lo');
      assert.is(exitCode, 7, 'curl: no route');
    }));

  test('lets the builder write the workspace and /tmp only, and root the system', () =>
    withSandbox(async (sandbox) => {
      const builder = await shell(sandbox, 'touch /workspace/a /tmp/b && touch /usr/local/bin/c');
      assert.is(builder.exitCode, 1);
      assert.match(builder.stderr, '/usr/local/bin/c');
      const makefile = 'install:\n\tinstall -o root -g root -m 755 a /usr/local/bin/tool\n';
      await sandbox.writeFile('/workspace/Makefile', Buffer.from(makefile), 0o644);
      const root = await shell(sandbox, 'make install && id -un && ls -l /usr/local/bin/tool', {
        user: 'root',
      });
      assert.match(root.stdout, /root\n-rwxr-xr-x 1 root root/);
      assert.is((await shell(sandbox, 'test -x /usr/local/bin/tool && rm a')).exitCode, 0);
    }));

  test('goes back to a mark: files written, changed and removed after it are as before', () =>
    withSandbox(async (sandbox) => {
      await shell(sandbox, 'mkdir d; echo 1 > d/kept; echo 1 > changed; echo 1 > gone; ln -s kept d/link');
      assert.is(await sandbox.markOrRestore('before'), 'marked');
      await shell(sandbox, 'rm gone; echo 2 > changed; mv d e; touch new; echo x > /tmp/t');
      assert.is((await shell(sandbox, 'ls')).stdout, 'changed\ne\nnew\n');
      assert.is(await sandbox.markOrRestore('after'), 'marked');
      await shell(sandbox, 'rm -rf e');
      assert.is(await sandbox.markOrRestore('after'), 'restored');
      assert.is((await shell(sandbox, 'cat e/kept e/link changed')).stdout, '1\n1\n2\n');
      assert.is(await sandbox.markOrRestore('before'), 'restored');
      assert.is(
        (await shell(sandbox, 'ls; cat d/kept changed gone; ls /tmp')).stdout,
        'changed\nd\ngone\n1\n1\n1\n',
      );
      assert.is(
        await sandbox.markOrRestore('after'),
        'marked',
        'a mark beyond the one gone back to is forgotten',
      );
    }));

  test('can rename a folder that an earlier command has made', () =>
    withSandbox(async (sandbox) => {
      await shell(sandbox, 'mkdir -p a/b; touch a/b/c');
      await sandbox.markOrRestore('one');
      const { stdout, stderr } = await shell(sandbox, 'perl -e \'rename("a","z") or die $!\' && find z');
      assert.is(stdout, 'z\nz/b\nz/b/c\n', stderr);
    }));

  test('installs packages as apt-get does', () =>
    withSandbox(async (sandbox) => {
      const result = await sandbox.installPackages(['zlib1g-dev', 'make'], { timeoutMs: 300_000 });
      assert.equal(
        [result.exitCode, result.installed, result.alreadyThere, result.missing],
        [0, ['zlib1g-dev'], ['make'], []],
      );
      const use =
        'echo "#include <zlib.h>\nint main(){return zlibVersion()[0]!=49;}" > z.c && gcc z.c -lz -o z && ./z && dpkg -s zlib1g-dev | grep ^Status';
      assert.is((await shell(sandbox, use)).stdout, 'Status: install ok installed\n');
      const again = await sandbox.installPackages(['zlib1g-dev'], { timeoutMs: 300_000 });
      assert.equal([again.exitCode, again.installed, again.alreadyThere], [0, [], ['zlib1g-dev']]);
    }));

  test('answers unknown packages and installs nothing', () =>
    withSandbox(async (sandbox) => {
      const names = ['zlib1g-dev', 'no-such-package', '-o Evil=1', 'UPPER'];
      const result = await sandbox.installPackages(names, { timeoutMs: 300_000 });
      assert.is(result.exitCode, 100);
      assert.equal(result.installed, []);
      assert.equal(result.missing, ['-o Evil=1', 'UPPER']);
      const second = await sandbox.installPackages(names.slice(0, 2), { timeoutMs: 300_000 });
      assert.equal([second.exitCode, second.missing], [100, ['no-such-package']]);
      assert.match(second.output, 'Unable to locate package no-such-package');
      assert.is((await shell(sandbox, 'test -e /usr/include/zlib.h')).exitCode, 1);
    }));

  test('forgets packages that were installed after a mark', () =>
    withSandbox(async (sandbox) => {
      await sandbox.markOrRestore('before');
      await sandbox.installPackages(['zlib1g-dev'], { timeoutMs: 300_000 });
      assert.is((await shell(sandbox, 'test -e /usr/include/zlib.h')).exitCode, 0);
      await sandbox.markOrRestore('before');
      assert.is((await shell(sandbox, 'test -e /usr/include/zlib.h || dpkg -s zlib1g-dev')).exitCode, 1);
    }));

  test('reads and writes files, and makes their folders', () =>
    withSandbox(async (sandbox) => {
      await sandbox.writeFile('/workspace/a/b/run.sh', Buffer.from('#!/bin/sh\necho $0 $(id -un)\n'), 0o755);
      assert.is((await shell(sandbox, './a/b/run.sh; touch a/b/mine')).stdout, './a/b/run.sh builder\n');
      assert.is(String(await sandbox.readFile('/workspace/a/b/run.sh', 5)), '#!/bi');
      assert.is(await sandbox.readFile('/workspace/none', 5), null);
      assert.is(await sandbox.readFile('/workspace/a', 5), null, 'a folder is no file');
      assert.match(String(await sandbox.readFile('/etc/os-release', 1000)), 'Debian');
    }));

  test('follows symbolic links inside the sandbox only', () =>
    withSandbox((sandbox) =>
      withTempFolder(async (folder) => {
        await writeFile(join(folder, 'secret'), 'secret');
        const links = [
          `ln -s ${folder}/secret direct; ln -s ../../../../../..${folder} up; ln -s /etc/hostname inside`,
          'ln -s /etc out; ln -s loop2 loop1; ln -s loop1 loop2; mkdir real; ln -s real alias',
        ];
        await shell(sandbox, links.join('; '));
        assert.is(await sandbox.readFile('/workspace/direct', 100), null);
        assert.is(await sandbox.readFile('/workspace/up/secret', 100), null);
        assert.is(String(await sandbox.readFile('/workspace/inside', 100)), 'riscv64\n');
        const write = (path: string) => codeOf(sandbox.writeFile(path, Buffer.from('x'), 0o644));
        assert.is(await write('/workspace/out/evil'), 'denied');
        assert.is(await write('/workspace/../etc/evil'), 'denied');
        assert.is(await write('/workspace/loop1/x'), 'denied');
        assert.is(await write('/workspace/direct'), 'denied');
        assert.is(await write('/workspace/alias/ok'), 'none');
        assert.is((await shell(sandbox, 'cat real/ok')).stdout, 'x');
        assert.is(await codeOf(sandbox.copyOut('/workspace/direct', join(folder, 'copy'))), 'denied');
        assert.is(await codeOf(sandbox.copyIn(folder, '/workspace/out/x')), 'denied');
        assert.is(await readFile(join(folder, 'secret'), 'utf8'), 'secret');
      }),
    ));

  test('copies folders in, owned by the builder, and files out', () =>
    withSandbox((sandbox) =>
      withTempFolder(async (folder) => {
        await mkdir(join(folder, 'src', 'sub'), { recursive: true });
        await writeFile(join(folder, 'src', 'sub', 'a.txt'), 'content', { mode: 0o600 });
        await sandbox.copyIn(join(folder, 'src'), '/workspace/repos/pkg');
        const { stdout } = await shell(
          sandbox,
          'cat repos/pkg/sub/a.txt && stat -c %U repos repos/pkg repos/pkg/sub/a.txt && ln -s sub/a.txt repos/pkg/link',
        );
        assert.is(stdout, 'contentbuilder\nbuilder\nbuilder\n');
        await sandbox.copyOut('/workspace/repos/pkg/link', join(folder, 'out', 'a'));
        assert.is(await readFile(join(folder, 'out', 'a'), 'utf8'), 'content');
      }),
    ));

  test('no run sees the files of another', async () => {
    const [one, two] = [await open(), await open()];
    try {
      await shell(one, 'echo 1 > /workspace/x; echo 1 > /tmp/x');
      await shell(one, 'touch /usr/local/bin/x', { user: 'root' });
      assert.is((await shell(two, 'ls /workspace /tmp /usr/local/bin | grep x')).stdout, '');
    } finally {
      await one.close();
      await two.close();
    }
  });

  test('refuses work after it was closed', async () => {
    const sandbox = await open();
    await sandbox.close();
    assert.is(await codeOf(shell(sandbox, 'true')), 'sandboxLost');
    assert.is(await codeOf(sandbox.readFile('/etc/hostname', 10)), 'sandboxLost');
  });

  test('says what it has when asked for another platform', async () => {
    const opening = driver.open({ runId: 'x', platform: 'alpine-sparc', strict: false });
    assert.is(await codeOf(opening), 'sandboxUnavailable');
  });

  test.run();
}
