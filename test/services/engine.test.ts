/** The engine in one process: real NATS, real SQLite, scripted effects. */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'nats';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { EventBody } from '../../events/envelope.ts';
import { openLog } from '../../events/log.ts';
import { applyInput, newRun } from '../../machines/host.ts';
import { hostFilePath, readHostFile } from '../../services/coordinator/host-file.ts';
import type { EngineError, Notice } from '../../services/engine.ts';
import { homeLayout, openHome } from '../../services/home.ts';
import { encode, type ResultMessage, subjects } from '../../services/protocol.ts';
import { eventsOf, openScripted, processesOf, tempHome, workFile } from '../support/engine.ts';
import { startData } from '../support/scripted-run.ts';

const runId = '01k000000000000000000engin';
const deadlineMs = 30_000;

/** Resolves with the first event of the type. */
const eventOf = (
  engine: Awaited<ReturnType<typeof openScripted>>,
  id: string,
  type: string,
): Promise<EventBody> =>
  new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`no ${type} in ${deadlineMs} ms`)), deadlineMs);
    const following = engine.follow(id, {
      onEvent: (event) => {
        if (event.type !== type) return;
        clearTimeout(late);
        following.stop();
        resolve(event);
      },
    });
  });

const codeOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error) => (error as EngineError).code ?? String(error),
  );

test('a run is recorded, followed from its first event and ends; nothing is left behind', async () => {
  const { home, remove } = tempHome();
  const engine = await openScripted({ home });
  assert.is(engine.role, 'host');
  assert.is(statSync(hostFilePath(home)).mode & 0o777, 0o600);
  await engine.start(runId, startData());
  await engine.start(runId, startData()); // the same run
  const seen: number[] = [];
  const texts: string[] = [];
  engine.follow(runId, {
    onEvent: ({ seq }) => void seen.push(seq),
    onOutput: ({ text }) => void texts.push(text),
  });
  const end = await engine.finished(runId);
  assert.is(end.status, 'finished');
  assert.is(end.outcome?.exitCode, 0);
  const events = eventsOf(home, runId);
  assert.equal(
    seen,
    events.map(({ seq }) => seq),
  );
  // Live output is not stored: what the last effect printed may come after the end.
  assert.ok(texts.includes('doing runCommand'), texts.join());
  assert.is(events.filter(({ type }) => type === 'run.started').length, 1);

  assert.is(await codeOf(engine.resume(runId)), 'runEnded');
  assert.is(await codeOf(engine.resume('01k00000000000000000000none')), 'runNotFound');
  await engine.close();
  await engine.close();
  assert.is(await codeOf(engine.start('01k0000000000000000000more', startData())), 'engineClosed');
  assert.equal(processesOf(home), []);
  assert.is(readHostFile(home), null);
  remove();
});

test('data that the schema refuses are refused, and nothing is recorded', async () => {
  const { home, remove } = tempHome();
  const engine = await openScripted({ home });
  assert.is(await codeOf(engine.start(runId, { ...startData(), maxAttempts: 0 })), 'badRequest');
  await engine.close();
  assert.is(openLog(homeLayout(home).log, { readonly: true }).version(runId), 0);
  remove();
});

test('a cancelled run stops its running effect, closes its sandbox and keeps the late answer apart', async () => {
  const { home, remove } = tempHome();
  const engine = await openScripted({ home }, { script: { scanRepository: () => 'expire' } });
  await engine.start(runId, startData());
  await eventOf(engine, runId, 'init.repositoryCloned');
  await engine.cancel(runId, 'test');
  const end = await engine.finished(runId);
  assert.is(end.status, 'cancelled');
  assert.is(end.outcome?.exitCode, 130);
  const types = eventsOf(home, runId).map(({ type }) => type);
  assert.ok(types.includes('effect.cancelled'));
  assert.ok(types.includes('sandbox.closed'));
  await engine.close();
  remove();
});

test('an answer under an old token changes nothing and is kept apart', async () => {
  const { home, remove } = tempHome();
  const engine = await openScripted({ home }, { effectMs: 100 });
  await engine.start(runId, startData());
  const asked = await eventOf(engine, runId, 'effect.requested');
  const host = readHostFile(home);
  const connection = await connect({ servers: host?.natsUrl ?? '', token: host?.token ?? '' });
  const stale: ResultMessage = {
    runId,
    effectId: asked.id,
    name: 'openSandbox',
    token: 99,
    worker: 'zombie',
    outcome: { ok: false, error: { code: 'internal', message: 'zombie', retryable: false } },
  };
  await connection.jetstream().publish(subjects.results(host?.folder ?? ''), encode(stale));
  await connection.close();
  assert.is((await engine.finished(runId)).outcome?.exitCode, 0);
  await engine.close();
  const log = openLog(homeLayout(home).log, { readonly: true });
  assert.equal(
    log.lateResults(runId).map(({ worker, token }) => ({ worker, token })),
    [{ worker: 'zombie', token: 99 }],
  );
  log.close();
  remove();
});

test('a killed nats-server is started again, and the run goes on as if nothing had been', async () => {
  const { home, remove } = tempHome();
  const notices: Notice[] = [];
  const engine = await openScripted(
    { home, onNotice: (notice) => void notices.push(notice) },
    { effectMs: 60 },
  );
  await engine.start(runId, startData());
  for (const type of ['init.repositoryCloned', 'build.phaseStarted', 'verify.passed']) {
    await eventOf(engine, runId, type);
    for (const pid of processesOf(home)) process.kill(Number(pid), 'SIGKILL');
  }
  assert.is((await engine.finished(runId)).outcome?.exitCode, 0);
  assert.ok(notices.some(({ code }) => code === 'natsRestarted'));
  await engine.close();
  const begun = execFileSync('sort', [workFile(home)], { encoding: 'utf8' })
    .trim()
    .split('\n');
  assert.is(new Set(begun).size, begun.length, 'no effect was begun twice');
  assert.equal(processesOf(home), []);
  remove();
});

test('a run whose record this code would not make is quarantined, and nothing is appended', async () => {
  const { home, remove } = tempHome();
  const layout = openHome(home);
  const log = openLog(layout.log);
  const epoch = log.acquireEpoch('test');
  const { events } = applyInput(
    newRun(runId),
    { type: 'run.started', data: startData(), at: 1_790_000_000_000 },
    epoch,
  );
  const bodies = events.map((event) =>
    event.type === 'actor.started' ? { ...event, data: { ...event.data, visit: 7 } } : event,
  );
  log.append({ runId, expectedSeq: 0, epoch, bodies });
  log.close();
  const engine = await openScripted({ home });
  assert.is(await codeOf(engine.resume(runId)), 'runQuarantined');
  assert.is((await engine.finished(runId)).status, 'quarantined');
  assert.is(await codeOf(engine.resume(runId)), 'runQuarantined');
  await engine.close();
  assert.is(eventsOf(home, runId).length, bodies.length);
  remove();
});

test('a full disk is a clear error, the log stays whole, and the run goes on when there is space', async () => {
  const { home, remove } = tempHome();
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', home]);
  try {
    const ballast = join(home, 'ballast');
    const engine = await openScripted({ home }, { effectMs: 100 });
    await engine.start(runId, startData());
    await eventOf(engine, runId, 'init.repositoryCloned');
    // dd ends with an error when the disk is full: that is what it is for.
    assert.throws(() => execFileSync('dd', ['if=/dev/zero', `of=${ballast}`, 'bs=4k'], { stdio: 'ignore' }));
    assert.is(await codeOf(engine.finished(runId)), 'diskFull');
    await engine.close();
    execFileSync('rm', [ballast]);
    const again = await openScripted({ home });
    await again.resume(runId);
    assert.is((await again.finished(runId)).outcome?.exitCode, 0);
    await again.close();
    const events = eventsOf(home, runId);
    assert.equal(
      events.map(({ seq }) => seq),
      events.map((_, index) => index + 1),
    );
  } finally {
    execFileSync('umount', ['-l', home]);
    remove();
  }
});

test('a data folder that cannot be had is a clear error', async () => {
  const { home, remove } = tempHome();
  const file = join(home, 'file');
  execFileSync('touch', [file]);
  assert.is(await codeOf(openScripted({ home: file })), 'homeUnwritable');
  const readonly = join(home, 'readonly');
  mkdirSync(readonly);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro,size=1m', 'tmpfs', readonly]);
  try {
    assert.is(await codeOf(openScripted({ home: readonly })), 'homeUnwritable');
  } finally {
    execFileSync('umount', [readonly]);
  }
  remove();
});

test('a server that is given is used, and one that is not there is named without its password', async () => {
  const { home, remove } = tempHome();
  const failure = await openScripted({ home, natsUrl: 'nats://someone:hunter2hunter2@127.0.0.1:1' }).catch(
    (error) => error,
  );
  assert.is(failure.code, 'natsUnusable');
  assert.match(failure.message, '127.0.0.1:1');
  assert.not.match(failure.message, 'hunter2');

  const first = tempHome();
  const server = await openScripted({ home: first.home });
  const { natsUrl = '', token } = readHostFile(first.home) ?? {};
  const engine = await openScripted({ home, natsUrl: natsUrl.replace('//', `//${token}@`) });
  assert.is(engine.role, 'host');
  await Promise.all([
    engine.start(runId, startData()),
    server.start(runId.replace('engin', 'other'), startData()),
  ]);
  assert.is((await engine.finished(runId)).outcome?.exitCode, 0);
  assert.is((await server.finished(runId.replace('engin', 'other'))).outcome?.exitCode, 0);
  await engine.close();
  await server.close();
  first.remove();
  remove();
});

test('looking at the log of a living host changes no byte of it', async () => {
  const { home, remove } = tempHome();
  const engine = await openScripted({ home });
  await engine.start(runId, startData());
  await engine.finished(runId);
  const digest = () =>
    createHash('sha256')
      .update(execFileSync('cat', [homeLayout(home).log]))
      .digest('hex');
  const before = digest();
  eventsOf(home, runId);
  assert.is(digest(), before);
  await engine.close();
  remove();
});

test.run();
