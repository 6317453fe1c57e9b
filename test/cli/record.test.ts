/** The commands that look at recorded runs, as programs of their own, on a real log. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import Database from 'better-sqlite3';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { agentStateToJson } from '../../events/agent-state-json.ts';
import { openBlobs } from '../../events/blobs.ts';
import { projectAll } from '../../events/projection.ts';
import { homeLayout } from '../../services/home.ts';
import { recordRuns } from '../support/recorded-home.ts';
import { runCli } from '../support/run-cli.ts';
import { commandResult, drive, failure, startData } from '../support/scripted-run.ts';

const home = mkdtempSync(join(tmpdir(), 'atesor-cli-record-'));
const goodId = '01hzzzzzzzzzzzzzzzzzzzzzz1';
const badId = '01hzzzzzzzzzzzzzzzzzzzzzz2';
const test = suite('record');

const ajv = new Ajv({ allErrors: true });
const assertFits = (schema: string, value: unknown): void => {
  const text = readFileSync(new URL(`../../docs/schemas/${schema}.json`, import.meta.url), 'utf8');
  const check = ajv.compile(JSON.parse(text));
  ajv.removeSchema();
  assert.ok(check(value), `${schema}: ${ajv.errorsText(check.errors)}`);
};

const run = (...args: string[]) => runCli(args, { home });

/** Every file of the data folder by path: what it holds and when it was changed. */
const fingerprint = (): string[] =>
  readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const hash = createHash('sha256').update(readFileSync(path)).digest('hex');
      return `${path} ${hash} ${statSync(path).mtimeMs}`;
    })
    .sort();

let good: ReturnType<typeof drive>;

test.before(async () => {
  const bundle = await openBlobs(homeLayout(home).blobs).put(Buffer.from('a bundle'));
  const cloned = {
    path: '/workspace/repos/hello',
    commit: 'c0ffee',
    branch: 'main',
    version: '1.0',
    fileCount: 2,
    bundle,
    recovery: null,
    notes: ['2.0 was skipped'],
    durationMs: 5,
  };
  good = drive({ cloneRepository: () => ({ output: cloned }) }, startData(), goodId);
  const bad = drive(
    {
      runCommand: () => ({ output: commandResult({ exitCode: 2, text: 'x.c:1: error: broken' }) as never }),
      cloneRepository: () => failure('sourceNotFound', 'HTTP 404'),
    },
    startData({ repoName: 'broken', source: 'https://example.org/team/broken.git' }),
    badId,
  );
  recordRuns(home, [good.bodies, bad.bodies]);
});
test.after(() => rmSync(home, { recursive: true, force: true }));

test('runs lists all runs, the newest first, and fits its schema', async () => {
  const { code, stdout } = await run('runs', '--json');
  assert.is(code, 0);
  const rows = JSON.parse(stdout) as Array<{ runId: string; exitCode: number }>;
  assertFits('runs', rows);
  assert.equal(new Set(rows.map(({ runId }) => runId)), new Set([goodId, badId]));
  const text = (await run('runs')).stdout;
  assert.match(text, 'VERDICT');
  assert.match(text, goodId);
});

test('a run is found by id, prefix, package name and last', async () => {
  for (const ref of [goodId, goodId.toUpperCase(), 'hello']) {
    const { stdout } = await run('show', ref, '--json');
    assert.is(JSON.parse(stdout).runId, goodId, ref);
  }
  assert.is((await run('show', 'last')).code, 0);
  const ambiguous = await run('show', goodId.slice(0, 10));
  assert.is(ambiguous.code, 1);
  assert.match(ambiguous.stderr, badId);
});

test('an unknown run is one line on standard error and exit code 1', async () => {
  const { code, stdout, stderr } = await run('show', 'nosuch');
  assert.is(code, 1);
  assert.is(stdout, '');
  assert.is(stderr.trim().split('\n').length, 1);
});

test('show tells path, decisions, errors and outputs, and fits its schema', async () => {
  const { stdout } = await run('show', goodId);
  for (const part of ['Path', 'init_node → analyst_node', 'Decisions', 'Artifacts', '/out/r.md', 'verified'])
    assert.match(stdout, part);
  assert.match((await run('show', badId)).stdout, 'Errors');
  assertFits('show', JSON.parse((await run('show', badId, '--json')).stdout));
  assertFits('show', JSON.parse((await run('show', goodId, '--json')).stdout));
});

test('events --json gives every envelope, each fitting its schema and chained to the one before', async () => {
  const lines = (await run('events', goodId, '--json')).stdout.trim().split('\n');
  const events = lines.map((line) => JSON.parse(line) as { seq: number; prevHash: string; hash: string });
  assert.is(events.length, good.bodies.length);
  let head = '0'.repeat(64);
  events.forEach((event, i) => {
    assertFits('event-envelope', event);
    assert.is(event.seq, i + 1);
    assert.is(event.prevHash, head);
    head = event.hash;
  });
});

test('events are filtered by type, by the beginning of a type, and by node', async () => {
  const typesOf = async (...flags: string[]): Promise<Set<string>> => {
    const { stdout } = await run('events', goodId, '--json', ...flags);
    return new Set(
      stdout
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { type: string }).type),
    );
  };
  assert.equal(await typesOf('--type', 'run.started'), new Set(['run.started']));
  assert.ok([...(await typesOf('--type', 'init'))].every((type) => type.startsWith('init.')));
  assert.ok((await typesOf('--node', 'verify_node')).has('verify.outputsScanned'));
});

test('state --at N is a fold of the first N events, for every N', async () => {
  const total = good.bodies.length;
  for (const n of [1, 2, 7, Math.floor(total / 2), total - 1, total]) {
    const { stdout } = await run('state', goodId, '--at', String(n), '--json');
    const state = projectAll(good.bodies.slice(0, n));
    assert.ok(state);
    assert.equal(JSON.parse(stdout), JSON.parse(JSON.stringify(agentStateToJson(state))), `at ${n}`);
  }
  const state = JSON.parse((await run('state', goodId, '--json')).stdout);
  assertFits('agent-state', state);
  assert.is(state.build_status, 'SUCCESS');
});

test('state beyond the end of a run says how many events there are', async () => {
  const { code, stderr } = await run('state', goodId, '--at', '9999');
  assert.is(code, 1);
  assert.match(stderr, `${good.bodies.length} events`);
});

test('replay compares every event, exits 0 and changes no byte of the data folder', async () => {
  const before = fingerprint();
  const { code, stdout } = await run('replay', goodId, '--json');
  assert.is(code, 0);
  const report = JSON.parse(stdout);
  assertFits('replay', report);
  assert.equal(report, {
    runId: goodId,
    events: good.bodies.length,
    compared: good.bodies.length,
    diverged: null,
  });
  const shown = await run('replay', badId);
  assert.is(shown.code, 0);
  assert.match(shown.stdout, 'no divergence');
  assert.match(shown.stdout, 'Errors');
  assert.equal(fingerprint(), before);
});

test('audit reads all events and stored outputs', async () => {
  const { code, stdout } = await run('audit', goodId, '--json');
  const report = JSON.parse(stdout);
  assertFits('audit', report);
  assert.is(report.firstBad, null);
  assert.is(report.blobs, 1);
  assert.is(code, 0);
});

test('an event that was changed in the log is found by audit, and by replay with exit code 4', async () => {
  const other = mkdtempSync(join(tmpdir(), 'atesor-cli-changed-'));
  try {
    recordRuns(other, [good.bodies]);
    await openBlobs(homeLayout(other).blobs).put(Buffer.from('a bundle'));
    const db = new Database(homeLayout(other).log);
    // The log refuses edits by triggers; somebody who wants to tamper takes them out.
    const triggers = db.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'").pluck().all();
    for (const name of triggers) db.exec(`DROP TRIGGER "${name}"`);
    const { seq, body } = db
      .prepare("SELECT seq, body FROM events WHERE type = 'actor.routed' ORDER BY seq LIMIT 1")
      .get() as { seq: number; body: string };
    db.prepare('UPDATE events SET body = ? WHERE seq = ?').run(
      body.replace('analyst_node', 'escalate_node'),
      seq,
    );
    db.close();
    const audit = await runCli(['audit', goodId, '--json'], { home: other });
    assert.is(audit.code, 1);
    assert.is(JSON.parse(audit.stdout).firstBad.seq, seq);
    const replay = await runCli(['replay', goodId, '--json'], { home: other });
    assert.is(replay.code, 4);
    const { diverged } = JSON.parse(replay.stdout);
    assertFits('replay', JSON.parse(replay.stdout));
    assert.is(diverged.seq, seq);
    assert.is(diverged.field, 'data.to');
    assert.is(diverged.expected, 'escalate_node');
    assert.is(diverged.actual, 'analyst_node');
    const text = await runCli(['replay', goodId], { home: other });
    assert.match(text.stdout, `diverged at event ${seq}`);
  } finally {
    rmSync(other, { recursive: true, force: true });
  }
});

test('a file that is no log is an error with a next step, not a stack', async () => {
  const other = mkdtempSync(join(tmpdir(), 'atesor-cli-nolog-'));
  writeFileSync(homeLayout(other).log, 'this is no database, just text that is long enough to be looked at');
  const { code, stderr } = await runCli(['runs'], { home: other });
  rmSync(other, { recursive: true, force: true });
  assert.is(code, 1);
  assert.not.match(stderr, '    at ');
  assert.match(stderr, 'log.db');
});

test('without any run: runs is empty, and replay says how to start', async () => {
  const other = mkdtempSync(join(tmpdir(), 'atesor-cli-empty-'));
  assert.is((await runCli(['runs', '--json'], { home: other })).stdout, '[]\n');
  const { code, stderr } = await runCli(['replay', 'last'], { home: other });
  assert.is(code, 1);
  assert.match(stderr, 'atesor port SOURCE');
  assert.equal(readdirSync(other), []);
  rmSync(other, { recursive: true, force: true });
});

test('doctor fits its schema, and its exit code says whether all is there', async () => {
  const { code, stdout } = await run('doctor', '--json');
  const report = JSON.parse(stdout);
  assertFits('doctor', report);
  assert.is(code, report.ok ? 0 : 1);
});

test('doctor on a machine without the programs says how to get each', async () => {
  const { code, stdout } = await runCli(['doctor', '--json'], { home, env: { PATH: '/nowhere' } });
  assert.is(code, 1);
  const git = (JSON.parse(stdout).needs as Array<{ name: string; present: boolean; get: string }>).find(
    ({ name }) => name === 'git',
  );
  assert.is(git?.present, false);
  assert.match(git?.get ?? '', 'apt-get install git');
});

test('a reader that goes away is no error', async () => {
  const { execFile } = await import('node:child_process');
  const main = new URL('../../services/cli/main.ts', import.meta.url).pathname;
  const { PATH = '' } = process.env;
  const stderr = await new Promise<string>((resolve) => {
    execFile(
      'sh',
      ['-c', `"${process.execPath}" "${main}" events last --json | head -n 1 >/dev/null`],
      { env: { PATH, ATESOR_HOME: home } },
      (_, __, errors) => resolve(errors),
    );
  });
  assert.is(stderr, '');
});

test('usage errors exit with 2 and print to standard error only', async () => {
  const { code, stdout, stderr } = await run('rnus');
  assert.is(code, 2);
  assert.is(stdout, '');
  assert.match(stderr, "did you mean 'runs'?");
});

test('--version and --help print to standard output and exit with 0', async () => {
  assert.match((await run('--version')).stdout, /^atesor \d+\.\d+\.\d+ /);
  const help = await run('port', '--help');
  assert.is(help.code, 0);
  assert.match(help.stdout, '--max-attempts');
});

test.run();
