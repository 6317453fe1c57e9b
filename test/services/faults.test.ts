/** Faults of whole processes, with real NATS, SQLite and files. Effects are scripted and leave a line each. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { AgentState } from '../../events/agent-state.ts';
import type { EventBody } from '../../events/envelope.ts';
import { openLog } from '../../events/log.ts';
import { stateHash } from '../../events/state-hash.ts';
import { replayBodies } from '../../machines/replay.ts';
import type { RunEnd } from '../../services/engine.ts';
import { homeLayout } from '../../services/home.ts';
import { type Child, startChild } from '../support/child.ts';
import { eventsOf, processesOf, tempHome, workFile } from '../support/engine.ts';
import { drive } from '../support/scripted-run.ts';

const program = join(import.meta.dirname, '../support/engine-process.ts');
const engineProcess = (home: string, runId: string, mode: 'start' | 'resume', effectMs = 0): Child =>
  startChild(program, [home, runId, mode, `${effectMs}`]);

const undisturbed = stateHash(drive().run.state as AgentState);
const killsMin = 10;

const endOf = async (child: Child): Promise<RunEnd> =>
  (await child.line((line) => 'end' in line || 'error' in line)).end as RunEnd;

/** No gap, no duplicate, one answer an effect, nothing that the code would decide differently. */
async function assertSound(home: string, runId: string): Promise<EventBody[]> {
  const events = eventsOf(home, runId);
  assert.equal(
    events.map(({ seq }) => seq),
    events.map((_, index) => index + 1),
  );
  const answers = events.filter(({ type }) => /^effect\.(succeeded|failed|expired|cancelled)$/.test(type));
  const answered = answers.map(({ data }) => (data as { effectId: string }).effectId);
  assert.is(new Set(answered).size, answered.length, 'an effect has one answer');
  const requested = events.filter(({ type }) => type === 'effect.requested').map(({ id }) => id);
  assert.equal([...answered].sort(), [...requested].sort(), 'every effect has its answer');
  const log = openLog(homeLayout(home).log, { readonly: true });
  const audit = await log.audit(runId);
  log.close();
  assert.is(audit.firstBad, null);
  const replayed = replayBodies(runId, events);
  assert.is(replayed.diverged, null);
  assert.is(stateHash(replayed.run.state as AgentState), undisturbed);
  return events;
}

const workedOn = (home: string): string[] => readFileSync(workFile(home), 'utf8').trim().split('\n');

test('a run killed at ten or more moments goes on each time and ends as if nothing had been', async () => {
  const seed = Number(process.env.FAULT_SEED ?? Date.now() % 1_000_000);
  console.log(`seed ${seed}`);
  const random = mulberry(seed);
  const { home, remove } = tempHome();
  const runId = '01k0000000000000000faults1';
  let kills = 0;
  // Each life is to get a few events further than the one before, so that all parts of the run are met.
  for (let life = 0; kills < killsMin; life++) {
    const mode = life === 0 || !hasRun(home, runId) ? 'start' : 'resume';
    const child = engineProcess(home, runId, mode, 15);
    const target = 1 + Math.floor(((kills + random()) * 70) / killsMin);
    await child.line((line) => (line.seq as number) >= target || 'error' in line || 'end' in line);
    await new Promise((resolve) => setTimeout(resolve, random() * 12));
    child.kill('SIGKILL');
    const ended = await child.ended;
    if (ended === 'SIGKILL') kills += 1;
    assert.ok(life < 3 * killsMin, 'the run ended before it was killed often enough');
  }
  const last = engineProcess(home, runId, 'resume');
  const end = await endOf(last);
  assert.is(end?.status, 'finished', JSON.stringify(last.lines.slice(-3)));
  assert.is(await last.ended, 0);
  await assertSound(home, runId);
  assert.equal(processesOf(home), []);
  remove();
});

const hasRun = (home: string, runId: string): boolean => {
  try {
    return eventsOf(home, runId).length > 0;
  } catch {
    return false;
  }
};

test('two processes in one data folder: one hosts, the other follows, both end well', async () => {
  const { home, remove } = tempHome();
  const children = ['01k0000000000000000000twoa', '01k0000000000000000000twob'].map((runId) => ({
    runId,
    child: engineProcess(home, runId, 'start', 10),
  }));
  for (const { runId, child } of children) {
    assert.is((await endOf(child))?.status, 'finished', JSON.stringify(child.lines.slice(-3)));
    assert.is(await child.ended, 0);
    await assertSound(home, runId);
  }
  const roles = children.map(({ child }) => child.lines.find((line) => 'workerId' in line)?.role);
  assert.equal(roles.sort(), ['client', 'host']);
  assert.equal(processesOf(home), []);
  remove();
});

test('when the host is killed, a client takes over and its running effect is not begun a second time', async () => {
  const { home, remove } = tempHome();
  const [hostRun, clientRun] = ['01k0000000000000000000hosa', '01k0000000000000000000clia'];
  const host = engineProcess(home, hostRun, 'start', 1_500);
  await host.line((line) => line.role === 'host');
  const client = engineProcess(home, clientRun, 'start', 400);
  await client.line((line) => line.role === 'client');
  // Its third effect is at work: openSandbox and cloneRepository are done.
  await client.line((line) => line.type === 'init.repositoryCloned');
  host.kill('SIGKILL');
  await host.ended;
  assert.is((await endOf(client))?.status, 'finished', JSON.stringify(client.lines.slice(-3)));
  assert.is(await client.ended, 0);
  assert.ok(client.lines.some((line) => line.notice === 'becameHost'));
  await assertSound(home, clientRun);
  const begun = workedOn(home).filter((line) => line.startsWith(clientRun));
  assert.is(new Set(begun).size, begun.length, 'no effect of the client was begun twice');

  const resumed = engineProcess(home, hostRun, 'resume');
  assert.is((await endOf(resumed))?.status, 'finished');
  await resumed.ended;
  await assertSound(home, hostRun);
  assert.equal(processesOf(home), []);
  remove();
});

test('a run of a killed client waits, and is gone on with elsewhere', async () => {
  const { home, remove } = tempHome();
  const [hostRun, clientRun] = ['01k0000000000000000000hosb', '01k0000000000000000000clib'];
  const host = engineProcess(home, hostRun, 'start', 300);
  await host.line((line) => line.role === 'host');
  const client = engineProcess(home, clientRun, 'start', 50);
  await client.line((line) => line.type === 'init.repositoryCloned');
  client.kill('SIGKILL');
  await client.ended;
  const resumed = engineProcess(home, clientRun, 'resume');
  assert.is((await endOf(resumed))?.status, 'finished', JSON.stringify(resumed.lines.slice(-3)));
  assert.is((await endOf(host))?.status, 'finished');
  await Promise.all([resumed.ended, host.ended]);
  await assertSound(home, clientRun);
  await assertSound(home, hostRun);
  assert.equal(processesOf(home), []);
  remove();
});

test('a paused process leaves a run that goes on with resume, without a gap', async () => {
  const { home, remove } = tempHome();
  const runId = '01k0000000000000000000paus';
  const first = engineProcess(home, runId, 'start', 100);
  await first.line((line) => line.type === 'init.repositoryCloned');
  first.kill('SIGTERM');
  assert.is((await endOf(first))?.status, 'paused');
  assert.is(await first.ended, 0);
  const second = engineProcess(home, runId, 'resume');
  assert.is((await endOf(second))?.status, 'finished');
  await second.ended;
  const events = await assertSound(home, runId);
  assert.is(events.filter(({ type }) => type === 'run.resumeRequested').length, 1);
  remove();
});

/** A small generator of numbers in [0, 1): the same for the same seed. */
function mulberry(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

test.run();
