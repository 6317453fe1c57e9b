import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, rename, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SandboxError } from '../../sandbox/driver.ts';
import { scanArtifacts } from '../../sandbox/scan-artifacts.ts';
import type { ScannedFile, ScanRequest } from '../../sandbox/scan-types.ts';
import { readTrackedFiles } from '../../sandbox/tracked-files.ts';
import { gitHost } from '../../services/sources/git-host.ts';
import { archiveOf, elfFile, machines, riscvObject, x8664Program } from '../support/elf-files.ts';
import { withTempFolder } from '../support/temp-folder.ts';

/** Path inside the root to content; `+` at the end of a path makes it executable. */
type Tree = Record<string, Buffer | string>;

async function put(root: string, tree: Tree): Promise<void> {
  for (const [name, content] of Object.entries(tree)) {
    const path = join(root, name.replace(/\+$/, ''));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
    await chmod(path, name.endsWith('+') ? 0o755 : 0o644);
  }
}

const scan = (root: string, request: Partial<ScanRequest> = {}) =>
  scanArtifacts({ root, repoPath: '/workspace/pkg', expectedArtifacts: [], tracked: null, ...request });

async function scanned(tree: Tree, request: Partial<ScanRequest> = {}) {
  return withTempFolder(async (root) => {
    await put(root, tree);
    return scan(root, request);
  });
}

const pathsOf = (files: ScannedFile[]): string[] => files.map((file) => file.path);
const repo = (tree: Tree): Tree =>
  Object.fromEntries(Object.entries(tree).map(([name, content]) => [`workspace/pkg/${name}`, content]));

test('finds programs, shared and static libraries, and says what each is', async () => {
  const program = elfFile({ type: 3, tail: 'a program' });
  const result = await scanned(
    repo({
      'bin/tool+': program,
      'libz.so.1': elfFile({ type: 3 }),
      'libz.a': archiveOf('gnu', [{ name: 'z.o', content: riscvObject() }]),
      'libbsd.a': archiveOf('bsd', [{ name: 'a_long_name_of_an_object.o', content: riscvObject() }]),
      'linked+': riscvObject(),
    }),
  );
  assert.equal(
    result.riscv64.map(({ path, type, machine, abi }) => [path, type, machine, abi]),
    [
      ['bin/tool', 'binary', 'riscv64', 'lp64d'],
      ['libbsd.a', 'library_static', 'riscv64', 'lp64d'],
      ['libz.a', 'library_static', 'riscv64', 'lp64d'],
      ['libz.so.1', 'library_shared', 'riscv64', 'lp64d'],
      ['linked', 'object', 'riscv64', 'lp64d'],
    ],
  );
  assert.is(result.riscv64[0]?.size, program.length);
  assert.is(result.riscv64[0]?.sha256, createHash('sha256').update(program).digest('hex'));
  assert.equal(result.counts, { riscv64: 5, foreign: 0, prebuiltForeign: 0 });
  assert.is(result.examined, 5);
  assert.is(result.truncated, false);
  assert.is(result.scanError, null);
  assert.equal(result.abiWarnings, []);
});

test('passes over what is no output: scripts, objects, modules, core files, thin archives, small and plain files', async () => {
  const result = await scanned(
    repo({
      'configure+': `#!/bin/sh\n${'echo\n'.repeat(40)}`,
      'main.o+': riscvObject(),
      'driver.ko+': riscvObject(),
      'core.123+': elfFile({ type: 4 }),
      'thin.a': archiveOf('thin', [{ name: 'z.o', content: riscvObject() }]),
      'text.a': archiveOf('gnu', [{ name: 'readme', content: Buffer.from('text') }]),
      'script.so': `GROUP ( libz.so.1 ) ${' '.repeat(60)}`,
      'small+': elfFile().subarray(0, 51),
      'notExecutable.bin': x8664Program(),
      '.git/hooks/foreign+': x8664Program(),
      'web/node_modules/esbuild/bin/esbuild+': x8664Program(),
    }),
  );
  assert.equal(result.counts, { riscv64: 0, foreign: 0, prebuiltForeign: 0 });
  assert.is(result.scanError, null);
  assert.is(result.truncated, false);
});

test('finds what was built for another machine, also in an archive of several', async () => {
  const result = await scanned(
    repo({
      'tool+': x8664Program(),
      'rv32+': elfFile({ bits: 32 }),
      'filter+': elfFile({ type: 1, machine: machines.bpf }),
      'mixed.a': archiveOf('gnu', [
        { name: 'a.o', content: riscvObject() },
        { name: 'b.o', content: elfFile({ type: 1, machine: machines.x8664 }) },
        { name: 'notes.txt', content: Buffer.from('text') },
      ]),
      'good+': elfFile(),
    }),
  );
  assert.equal(
    result.foreign.map(({ path, machine, abi }) => [path, machine, abi]),
    [
      ['filter', 'bpf', ''],
      ['mixed.a', 'mixed(riscv64+x86-64)', 'lp64d'],
      ['rv32', 'riscv32', 'ilp32d'],
      ['tool', 'x86-64', ''],
    ],
  );
  assert.equal(pathsOf(result.riscv64), ['good']);
});

test('warns of another ABI than lp64d', async () => {
  const result = await scanned(repo({ 'soft+': elfFile({ flags: 1 }), 'rve+': elfFile({ flags: 8 }) }));
  assert.is(result.counts.riscv64, 2);
  assert.equal(result.abiWarnings, [
    "rve has the ABI rve, Debian's riscv64 has lp64d",
    "soft has the ABI lp64, Debian's riscv64 has lp64d",
  ]);
});

test('[S2] a tracked file is prebuilt while it is unchanged, and an output once it was built anew', async () => {
  await withTempFolder(async (top) => {
    const root = join(top, 'root');
    const folder = join(root, 'workspace', 'pkg');
    const git = await gitHost(join(top, 'host'));
    await put(
      root,
      repo({
        'fw/blob.so': x8664Program('blob'),
        'shipped+': x8664Program(),
        'own+': elfFile(),
        'src.c': 'x',
      }),
    );
    await git.run(['init', '-q', folder]);
    await git.run(['-C', folder, 'add', '-A', '-f']);
    const tracked = await readTrackedFiles(root, '/workspace/pkg');

    const before = await scan(root, { tracked });
    assert.equal(before.counts, { riscv64: 0, foreign: 0, prebuiltForeign: 2 });
    assert.equal(pathsOf(before.prebuiltForeign), ['fw/blob.so', 'shipped']);

    await put(
      root,
      repo({ 'shipped+': x8664Program('built again'), 'own+': elfFile({ tail: 'built again' }) }),
    );
    const after = await scan(root, { tracked });
    assert.equal(pathsOf(after.foreign), ['shipped']);
    assert.equal(pathsOf(after.riscv64), ['own']);
    assert.equal(pathsOf(after.prebuiltForeign), ['fw/blob.so']);
  });
});

test('[S1] follows no link: not to a file, not to a folder, not in the path of the repository', async () => {
  await withTempFolder(async (top) => {
    const root = join(top, 'root');
    await put(top, { 'secret/program+': elfFile() });
    await put(root, { ...repo({ 'real+': elfFile() }), 'usr/local/keep': '' });
    const folder = join(root, 'workspace', 'pkg');
    await symlink(join(top, 'secret', 'program'), join(folder, 'absolute'));
    await symlink('../../../secret/program', join(folder, 'relative.so'));
    await symlink(join(top, 'secret'), join(folder, 'folder'));
    await symlink(join(top, 'secret'), join(root, 'usr', 'local', 'bin'));
    await symlink(top, join(root, 'workspace', 'up'));
    await symlink('/', join(root, 'workspace', 'top'));

    assert.equal(pathsOf((await scan(root)).riscv64), ['real']);
    for (const repoPath of ['/workspace/up/secret', `/workspace/top${top}/secret`, '/workspace/pkg/folder']) {
      const result = await scan(root, { repoPath, expectedArtifacts: ['program'] });
      assert.is(result.scanError, `there is no folder ${repoPath} in the sandbox`);
      assert.is(result.examined, 0);
    }
    const upward = await scan(root, { repoPath: '/workspace/../../secret' });
    assert.is(upward.scanError, 'there is no folder /workspace/../../secret in the sandbox');
  });
});

test('[S1] is not led out by a folder that turns into a link while it is read', async () => {
  await withTempFolder(async (top) => {
    const root = join(top, 'root');
    await put(top, { 'secret/program+': x8664Program() });
    const folder = join(root, 'workspace', 'pkg');
    await put(root, repo({ 'a/first+': elfFile(), 'a/b/program+': elfFile() }));
    await symlink(join(top, 'secret'), join(folder, 'link'));
    let scanning = true;
    const swapping = (async () => {
      while (scanning) {
        // folder and link change places: each exists under the name `a/b` half of the time
        await rename(join(folder, 'a/b'), join(folder, 'spare'));
        await rename(join(folder, 'link'), join(folder, 'a/b'));
        await rename(join(folder, 'a/b'), join(folder, 'link'));
        await rename(join(folder, 'spare'), join(folder, 'a/b'));
      }
    })();
    for (let i = 0; i < 100; i += 1) assert.is((await scan(root)).counts.foreign, 0);
    scanning = false;
    await swapping;
  });
});

test('[S1] is not held up by a pipe that looks like an output', async () => {
  await withTempFolder(async (root) => {
    await put(root, repo({ 'real+': elfFile() }));
    execFileSync('mkfifo', ['-m', '755', join(root, 'workspace/pkg/pipe.so')]);
    assert.equal(pathsOf((await scan(root)).riscv64), ['real']);
  });
});

test('looks outside of the repository only for expected names, and only when it holds no output', async () => {
  const outside: Tree = {
    'usr/local/bin/tool+': elfFile(),
    'usr/local/lib/riscv64-linux-gnu/libtool.so.1': elfFile({ type: 3 }),
    'usr/local/lib/a/b/c/tool+': elfFile(),
    'usr/local/bin/other+': x8664Program(),
    'usr/bin/tool+': x8664Program(),
  };
  const expectedArtifacts = ['target/release/tool', 'libtool.so', '../../etc/passwd', '$(id)'];
  const found = await scanned({ ...outside, ...repo({ 'src.c': '' }) }, { expectedArtifacts });
  assert.equal(pathsOf(found.riscv64), [
    '/usr/local/bin/tool',
    '/usr/local/lib/riscv64-linux-gnu/libtool.so.1',
  ]);
  assert.equal(found.counts, { riscv64: 2, foreign: 0, prebuiltForeign: 0 });

  const inside = await scanned({ ...outside, ...repo({ 'mine+': elfFile() }) }, { expectedArtifacts });
  assert.equal(pathsOf(inside.riscv64), ['mine']);
  const unnamed = await scanned({ ...outside, ...repo({ 'src.c': '' }) });
  assert.is(unnamed.counts.riscv64, 0);
});

test('an installed file that is older than the run is none of its outputs', async () => {
  await withTempFolder(async (root) => {
    await put(root, { 'usr/local/bin/tool+': elfFile(), ...repo({ 'src.c': '' }) });
    await utimes(join(root, 'usr/local/bin/tool'), 1000, 1000);
    const ask = (changedSinceMs: number) => scan(root, { expectedArtifacts: ['tool'], changedSinceMs });
    assert.is((await ask(1_000_001)).counts.riscv64, 0);
    assert.is((await ask(1_000_000)).counts.riscv64, 1);
  });
});

test('[S4] lists expected files first, then by path, and counts what it does not list', async () => {
  const names = ['b+', 'a+', 'z/tool+', 'c+'];
  const tree = repo(Object.fromEntries(names.map((name) => [name, elfFile()])));
  const result = await scanned(tree, { expectedArtifacts: ['tool'], limits: { listed: 3 } });
  assert.equal(pathsOf(result.riscv64), ['z/tool', 'a', 'b']);
  assert.is(result.counts.riscv64, 4);
  assert.is(result.truncated, false);
  const short = await scanned(tree, { limits: { listedPathBytes: 2 } });
  assert.equal(pathsOf(short.riscv64), ['a', 'b']);
});

test('[S3] says when there were more files than it may read, and when the folders were too deep', async () => {
  const tree = repo({ 'a+': elfFile(), 'b+': elfFile(), 'c/d+': x8664Program() });
  const few = await scanned(tree, { limits: { files: 2 } });
  assert.is(few.truncated, true);
  assert.is(few.examined, 2);
  const enough = await scanned(tree, { limits: { files: 3 } });
  assert.is(enough.truncated, false);
  const deep = await scanned(repo({ [`${'d/'.repeat(120)}tool+`]: elfFile() }));
  assert.is(deep.truncated, true);
  assert.is(deep.counts.riscv64, 0);
});

test('[S3] says when time was up, with what was seen until then', async () => {
  const tree = repo(Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`d${i}/t+`, elfFile()])));
  const result = await scanned(tree, { limits: { timeMs: 0 } });
  assert.is(result.truncated, true);
  assert.is(result.scanError, null);
});

test('[S3] a missing folder is a fault, and says which', async () => {
  const result = await scanned({ 'workspace/other': '' });
  assert.is(result.scanError, 'there is no folder /workspace/pkg in the sandbox');
});

test('names that are not UTF-8 are read too', async () => {
  await withTempFolder(async (root) => {
    await put(root, repo({ 'x+': elfFile() }));
    const folder = Buffer.from(`${root}/workspace/pkg/`);
    const odd = Buffer.concat([folder, Buffer.from([0x66, 0xfc])]);
    await rename(join(root, 'workspace/pkg/x'), odd);
    const result = await scan(root);
    assert.equal(pathsOf(result.riscv64), ['f\ufffd']);
    assert.is(result.riscv64[0]?.sha256, createHash('sha256').update(elfFile()).digest('hex'));
  });
});

test('gives up when it is cancelled', async () => {
  await withTempFolder(async (root) => {
    await put(root, repo({ 'a+': elfFile() }));
    try {
      await scan(root, { signal: AbortSignal.abort() });
      assert.unreachable('it was not cancelled');
    } catch (error) {
      assert.instance(error, SandboxError);
      assert.is((error as SandboxError).code, 'cancelled');
    }
  });
});

test('leaves no file open', async () => {
  await withTempFolder(async (root) => {
    await put(
      root,
      repo({ 'a+': elfFile(), 'b/c/d.so': x8664Program(), 'b/e+': 'no', 'f/g.a': '!<arch>\n' }),
    );
    await scan(root);
    const before = (await readdir('/proc/self/fd')).length;
    await scan(root, { expectedArtifacts: ['nothing'] });
    assert.is((await readdir('/proc/self/fd')).length, before);
  });
});

test.run();
