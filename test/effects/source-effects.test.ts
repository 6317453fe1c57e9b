/** The effects on a source, on a real riscv64 sandbox and a real git server. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openBlobs } from '../../events/blobs.ts';
import type { EffectInput } from '../../machines/effects.ts';
import { createChrootDriver } from '../../sandbox/chroot-driver.ts';
import type { Sandbox } from '../../sandbox/driver.ts';
import { applyPatch } from '../../services/effects/apply-patch.ts';
import { cloneRepository, restoreRepository } from '../../services/effects/clone-repository.ts';
import { collectArtifacts } from '../../services/effects/collect-artifacts.ts';
import type { EffectContext } from '../../services/effects/handler.ts';
import { probeTree } from '../../services/effects/probe-tree.ts';
import { runPackageTests } from '../../services/effects/run-package-tests.ts';
import { scanRepository } from '../../services/effects/scan-repository.ts';
import { writeFile } from '../../services/effects/write-file.ts';
import { type GitServer, startGitServer } from '../support/git-server.ts';
import { withTempFolder } from '../support/temp-folder.ts';
import { testHome } from '../support/test-home.ts';

const fixture = (name: string) => join(import.meta.dirname, '..', 'fixtures', name);
const repoPath = '/workspace/repos/hello';
let server: GitServer;
test.before(async () => {
  server = await startGitServer();
});
test.after(() => server.close());

async function withContext(work: (context: EffectContext, sandbox: Sandbox) => Promise<void>): Promise<void> {
  await withTempFolder(async (home) => {
    const shared = testHome();
    const driver = createChrootDriver({
      home,
      rootsDir: join(shared, 'roots'),
      layersDir: join(shared, 'layers'),
      runsDir: join(home, 'runs'),
    });
    const runId = 'source-effects';
    const sandbox = await driver.open({ runId, platform: 'debian-riscv64', strict: false });
    try {
      const context: EffectContext = {
        runId,
        effectId: 'e',
        home,
        blobs: openBlobs(join(home, 'blobs')),
        signal: new AbortController().signal,
        emit: () => {},
        sandbox: async () => sandbox,
        closeSandbox: async () => false,
      };
      await work(context, sandbox);
    } finally {
      await sandbox.close();
    }
  });
}

const shell = async (sandbox: Sandbox, command: string) => {
  let output = '';
  const result = await sandbox.exec({
    command,
    cwd: repoPath,
    env: {},
    timeoutMs: 60_000,
    network: 'off',
    user: 'builder',
    onOutput: (_stream, chunk) => {
      output += Buffer.from(chunk).toString();
    },
  });
  return { exitCode: result.exitCode, output };
};

test('a source goes through clone, scan, patch, build, tests and collection', async () => {
  const { url, commit } = await server.addRepository('hello', fixture('make-hello'));
  const input: EffectInput<'cloneRepository'> = { source: url, repoName: 'hello', repoPath };
  await withContext(async (context, sandbox) => {
    const cloned = await cloneRepository(input, context);
    assert.is(cloned.commit, commit);
    assert.is(cloned.fileCount, 3);
    assert.is(context.blobs.has(cloned.bundle), true);
    // Twice: what the first has left is gone.
    await shell(sandbox, 'echo left > left.txt; rm hello.c');
    assert.is(
      (await cloneRepository(input, context)).bundle,
      cloned.bundle,
      'equal bundles for equal commits',
    );
    assert.equal(
      (await shell(sandbox, 'git status --porcelain; git rev-parse HEAD; cat left.txt 2>&1')).output.split(
        '\n',
      )[0],
      commit,
    );
    // Every file has the commit's time.
    assert.match((await shell(sandbox, 'stat -c %Y * | sort -u | wc -l')).output, /^1\n/);

    const scan = await scanRepository({ repoPath, repoName: 'hello' }, context);
    assert.is(scan.buildSystem.type, 'make');
    assert.equal(scan.expectedArtifacts, ['hello']);

    const probe = {
      cwd: repoPath,
      queries: ['exists:Makefile', 'executable:Makefile', 'read:nope', 'find:hello.c'],
    };
    assert.equal((await probeTree(probe, context)).answers, {
      'exists:Makefile': true,
      'executable:Makefile': false,
      'read:nope': null,
      'find:hello.c': ['hello.c'],
    });

    const patch =
      '--- a/hello.c\n+++ b/hello.c\n@@ -5,3 +5,3 @@\n     if (argc < 2)\n-        puts("Hello, world!");\n+        puts("Hello, riscv64!");\n     for (int i = 1; i < argc; i++)\n';
    const applied = await applyPatch({ cwd: repoPath, patch }, context);
    assert.equal(applied, { applied: true, message: 'applied', files: ['hello.c'] });
    assert.match((await applyPatch({ cwd: repoPath, patch }, context)).message, /already/);
    const wrong = await applyPatch({ cwd: repoPath, patch: patch.replaceAll('argc', 'nothing') }, context);
    assert.is(wrong.applied, false);
    assert.is((await applyPatch({ cwd: repoPath, patch: 'no diff' }, context)).applied, false);
    const outside = '--- a/../../out\n+++ b/../../out\n@@ -0,0 +1 @@\n+x\n';
    assert.is((await applyPatch({ cwd: repoPath, patch: outside }, context)).applied, false);

    assert.equal(
      await writeFile({ cwd: repoPath, path: 'sub/x.h', content: '#define X\n', mode: 0o644 }, context),
      { bytes: 10 },
    );
    for (const path of ['../x', '/etc/x', '.']) {
      const code = await writeFile({ cwd: repoPath, path, content: '', mode: 0o644 }, context).then(
        () => 'written',
        (fault: { code: string }) => fault.code,
      );
      assert.is(code, 'denied', path);
    }

    const built = await shell(sandbox, 'make && ./hello');
    assert.is(built.exitCode, 0, built.output);
    assert.match(built.output, /Hello, riscv64!/);
    const tests = await runPackageTests(
      { repoPath, buildSystem: 'make', moduleDir: '', timeoutMs: 60_000 },
      context,
    );
    assert.is(tests.status, 'passed', tests.outputTail);
    assert.is(tests.command, 'make check');
    const short = await runPackageTests(
      { repoPath, buildSystem: 'make', moduleDir: '', timeoutMs: 59_000 },
      context,
    );
    assert.is(short.status, 'skipped');
    await shell(sandbox, 'sed -i s/Ada/Bob/ Makefile');
    const failed = await runPackageTests(
      { repoPath, buildSystem: 'make', moduleDir: '', timeoutMs: 60_000 },
      context,
    );
    assert.is(failed.status, 'failed');
    assert.is(failed.exitCode, 2);

    await shell(sandbox, 'ln -s /etc/passwd link');
    const collected = await collectArtifacts(
      { repoName: 'hello', repoPath, files: ['hello', 'gone', 'hello', '../../../etc'] },
      context,
    );
    assert.is(collected.files.length, 1);
    const [file] = collected.files;
    const bytes = await readFile(file?.hostPath ?? '');
    assert.is(file?.sha256, createHash('sha256').update(bytes).digest('hex'));
    assert.is(bytes.readUInt16LE(18), 243, 'an ELF file for RISC-V');

    const again = await restoreRepository(context, { bundle: cloned.bundle, repoPath });
    assert.is(again.commit, commit);
    assert.equal((await shell(sandbox, 'ls')).output.trim().split('\n'), ['Makefile', 'README', 'hello.c']);
  });
});

test('a link that a build put in the place of a folder leads nowhere', async () => {
  await withContext(async (context, sandbox) => {
    await cloneRepository({ source: fixture('go-hello'), repoName: 'hello', repoPath }, context);
    await shell(sandbox, 'cd /workspace/repos && rm -rf hello && ln -s /etc hello');
    const queries = ['exists:passwd', 'read:passwd'];
    assert.equal((await probeTree({ cwd: repoPath, queries }, context)).answers, {
      'exists:passwd': false,
      'read:passwd': null,
    });
    const code = await scanRepository({ repoPath, repoName: 'x' }, context).then(
      () => 'scanned',
      (fault: { code: string }) => fault.code,
    );
    assert.is(code, 'sandboxLost');
  });
});

test.run();
