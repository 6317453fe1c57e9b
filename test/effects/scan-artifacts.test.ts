/** The scan for artifacts on files that a real compiler built in a real riscv64 sandbox. */
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openBlobs } from '../../events/blobs.ts';
import { createChrootDriver } from '../../sandbox/chroot-driver.ts';
import { type Sandbox, SandboxError } from '../../sandbox/driver.ts';
import type { EffectContext } from '../../services/effects/handler.ts';
import { scanArtifacts } from '../../services/effects/scan-artifacts.ts';
import { x8664Program } from '../support/elf-files.ts';
import { withTempFolder } from '../support/temp-folder.ts';
import { testHome } from '../support/test-home.ts';

const repoPath = '/workspace/pkg';

async function withSandbox(
  work: (sandbox: Sandbox, scan: (expected?: string[]) => ReturnType<typeof scanArtifacts>) => Promise<void>,
): Promise<void> {
  await withTempFolder(async (home) => {
    const shared = testHome();
    const driver = createChrootDriver({
      home,
      rootsDir: join(shared, 'roots'),
      layersDir: join(shared, 'layers'),
      runsDir: join(home, 'runs'),
    });
    const runId = 'scan-artifacts';
    const sandbox = await driver.open({ runId, platform: 'debian-riscv64', strict: false });
    const context: EffectContext = {
      runId,
      effectId: 'e',
      home,
      blobs: openBlobs(join(home, 'blobs')),
      signal: new AbortController().signal,
      emit: () => {},
      sandbox: async () => sandbox,
      closeSandbox: async () => sandbox.close().then(() => true),
    };
    try {
      await work(sandbox, (expectedArtifacts = []) =>
        scanArtifacts({ repoPath, expectedArtifacts, sourceCommit: 'abc' }, context),
      );
    } finally {
      await sandbox.close();
    }
  });
}

async function shell(sandbox: Sandbox, command: string, user: 'builder' | 'root' = 'builder'): Promise<void> {
  let output = '';
  const onOutput = (_: string, chunk: Uint8Array) => {
    output += Buffer.from(chunk).toString();
  };
  const spec = { command, cwd: '/workspace', env: {}, timeoutMs: 120_000, network: 'off', user } as const;
  const { exitCode } = await sandbox.exec({ ...spec, onOutput });
  assert.is(exitCode, 0, output);
}

test('what the compiler builds is riscv64, what came with the source is prebuilt, and no link is followed', async () => {
  await withSandbox(async (sandbox, scan) => {
    await shell(sandbox, `mkdir ${repoPath}`);
    await sandbox.writeFile(`${repoPath}/blob.so`, x8664Program(), 0o644);
    await sandbox.writeFile(`${repoPath}/f.c`, Buffer.from('int main(void) { return 0; }\n'), 0o644);
    await shell(
      sandbox,
      `cd ${repoPath} && git init -q . && git add -A && cc -o tool f.c && cc -shared -fPIC -o libf.so.1 f.c &&
       cc -c f.c && ar rcs libf.a f.o && ar rcT thin.a f.o && ln -s /bin/sh sh && ln -s / top.so`,
    );
    const result = await scan(['libf']);
    assert.is(result.sourceCommit, 'abc');
    assert.is(result.scanError, null);
    assert.equal(
      result.riscv64.map(({ path, type, machine, abi }) => [path, type, machine, abi]),
      [
        ['libf.a', 'library_static', 'riscv64', 'lp64d'],
        ['libf.so.1', 'library_shared', 'riscv64', 'lp64d'],
        ['tool', 'binary', 'riscv64', 'lp64d'],
      ],
    );
    assert.equal(
      result.prebuiltForeign.map(({ path, machine }) => [path, machine]),
      [['blob.so', 'x86-64']],
    );
    assert.equal(result.counts, { riscv64: 3, foreign: 0, prebuiltForeign: 1 });
  });
});

test('an installed program is found when the tree itself holds none', async () => {
  await withSandbox(async (sandbox, scan) => {
    await shell(sandbox, `mkdir ${repoPath} && echo 'int main(void) { return 0; }' > f.c`);
    await shell(sandbox, 'cc -o /usr/local/bin/tool f.c', 'root');
    const result = await scan(['tool']);
    assert.equal(
      result.riscv64.map(({ path, machine }) => [path, machine]),
      [['/usr/local/bin/tool', 'riscv64']],
    );
  });
});

test('a closed sandbox is lost, not a tree without outputs', async () => {
  await withSandbox(async (sandbox, scan) => {
    await sandbox.close();
    try {
      await scan();
      assert.unreachable('it was scanned');
    } catch (error) {
      assert.instance(error, SandboxError);
      assert.is((error as SandboxError).code, 'sandboxLost');
    }
  });
});

test.run();
