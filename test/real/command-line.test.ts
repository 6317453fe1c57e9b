/** The command line at its edges: its contract, bad input, a full disk, an unwritable folder. Real ports. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type CliResult, runCli } from '../support/run-cli.ts';
import { testHome } from '../support/test-home.ts';

const source = join(import.meta.dirname, '../fixtures/make-hello');
const scratch = mkdtempSync(join(tmpdir(), 'atesor-cli-real-'));
/** A data folder of its own; only the riscv64 root is shared with other tests. */
const roots = join(testHome(), 'roots');
const makeHome = (path: string): string => {
  mkdirSync(roots, { recursive: true });
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o755);
  symlinkSync(roots, join(path, 'roots'));
  return path;
};
chmodSync(scratch, 0o755);
const home = makeHome(join(scratch, 'home'));
/** A port of a small program, with the riscv64 root to be made first, on a loaded machine, ms. */
const portTimeoutMs = 900_000;

const ajv = new Ajv({ allErrors: true });
const fits = (schema: string, value: unknown): void => {
  const text = readFileSync(new URL(`../../docs/schemas/${schema}.json`, import.meta.url), 'utf8');
  const check = ajv.compile(JSON.parse(text));
  ajv.removeSchema();
  assert.ok(check(value), `${schema}: ${ajv.errorsText(check.errors)}`);
};

const port = (
  args: string[],
  options: { home?: string; env?: Record<string, string> } = {},
): Promise<CliResult> =>
  runCli(['port', ...args], {
    home: options.home ?? home,
    timeoutMs: portTimeoutMs,
    // The test machine's certificates and proxies, if it has any.
    env: { ...(process.env as Record<string, string>), ATESOR_HOME: options.home ?? home, ...options.env },
  });

test.after(() => rmSync(scratch, { recursive: true, force: true }));

test('port --json prints envelopes and then one result, both as their schemas say, and events --json the same', async () => {
  const { code, stdout, stderr } = await port([source, '--force', '--json']);
  assert.is(code, 0, stderr);
  assert.is(stderr, '');
  const lines = stdout.trim().split('\n');
  const result = JSON.parse(lines.pop() ?? '') as { runId: string; exitCode: number; artifacts: unknown[] };
  fits('port-result', result);
  assert.is(result.exitCode, 0);
  assert.is(result.artifacts.length, 1);
  for (const line of lines) fits('event-envelope', JSON.parse(line));
  const recorded = await runCli(['events', result.runId, '--json'], { home });
  assert.equal(
    lines.map((line) => JSON.parse(line)),
    recorded.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  );
  for (const command of ['runs', 'state', 'show', 'audit', 'replay']) {
    const args = command === 'runs' ? [command, '--json'] : [command, result.runId, '--json'];
    const answer = await runCli(args, { home });
    assert.is(answer.code, 0, `${command}: ${answer.stdout.slice(0, 2000)}`);
    fits(command === 'state' ? 'agent-state' : command, JSON.parse(answer.stdout));
  }
});

test('a port of what was ported before is answered by the recipe cache: three events, same verdict', async () => {
  const { code, stdout } = await port([source, '--json']);
  assert.is(code, 0);
  const lines = stdout.trim().split('\n');
  const result = JSON.parse(lines.pop() ?? '');
  assert.equal(
    lines.map((line) => JSON.parse(line).type),
    ['run.started', 'cachedRecipe.served', 'run.finished'],
  );
  fits('port-result', result);
  assert.match(readFileSync(result.recipe, 'utf8'), 'make-hello');
  assert.is((await runCli(['replay', result.runId], { home })).code, 0);
});

test('a source that has changed since is built anew', async () => {
  const changed = join(scratch, 'changed');
  execFileSync('cp', ['-r', source, changed]);
  const first = await port([changed, '--json']);
  assert.is(first.code, 0, first.stderr);
  writeFileSync(join(changed, 'NEWS'), 'something new\n');
  const second = await port([changed, '--json']);
  assert.is(second.code, 0);
  assert.not.match(second.stdout, 'cachedRecipe.served');
});

test('a source that is none is refused before anything is recorded', async () => {
  const empty = join(scratch, 'empty-home');
  for (const bad of [
    'git@host:x',
    'file:///etc',
    'ftp://h/x',
    'zlib',
    join(scratch, 'nothere'),
    'http://u:p@h/x',
  ]) {
    const { code, stdout, stderr } = await port([bad], { home: empty });
    assert.is(code, 1, bad);
    assert.is(stdout, '');
    assert.is(stderr.trim().split('\n').length, 1, stderr);
  }
  assert.is((await runCli(['runs', '--json'], { home: empty })).stdout, '[]\n');
});

test('a data folder that cannot be written is named, with what to do', async () => {
  const file = join(scratch, 'a-file');
  writeFileSync(file, '');
  for (const unwritable of [join(file, 'home'), '/proc/atesor', '/sys/atesor']) {
    const { code, stderr } = await port([source], { home: unwritable });
    assert.is(code, 1);
    assert.match(stderr, unwritable);
    assert.match(stderr, 'ATESOR_HOME');
    assert.not.match(stderr, '    at ');
  }
});

test('a disk that is full ends a port with a clear error and a record that is whole', async () => {
  for (const size of ['64k', '300k', '2m', '40m']) {
    const full = join(scratch, `full-${size}`);
    mkdirSync(full);
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', full]);
    try {
      makeHome(full);
      const { code, stdout, stderr } = await port([source, '--force'], { home: full });
      assert.is(code, 1, `${size}: ${stderr}`);
      assert.ok(/no space|free/.test(stdout + stderr), `${size}: ${stdout}${stderr}`);
      assert.not.match(stderr, '    at ', size);
      const rows = JSON.parse((await runCli(['runs', '--json'], { home: full })).stdout) as Array<{
        runId: string;
      }>;
      for (const { runId } of rows) assert.is((await runCli(['audit', runId], { home: full })).code, 0, size);
    } finally {
      execFileSync('umount', ['-l', full]);
    }
  }
});

test.run();
