/** kill -9 in the middle of a build, at many moments, and two ports at once in one data folder. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openBlobReader } from '../../events/blobs.ts';
import type { AnyEvent } from '../../events/envelope.ts';
import { openLog } from '../../events/log.ts';
import { replayBodies } from '../../machines/replay.ts';
import { runAtesor, startAtesor } from '../support/port-process.ts';
import { ownHome } from '../support/test-home.ts';

const home = ownHome('resume');
const source = join(import.meta.dirname, '../fixtures/many-files');
/** Moments of one run at which the process is killed. Source: the issue asks for 10 or more. */
const moments = 12;
/** After a kill the kernel ends the process's children; this is for a loaded machine, ms. */
const goneDeadlineMs = 10_000;

const seed = Number(process.env.ATESOR_TEST_SEED ?? Math.floor(Math.random() * 1e9));
console.log(`seed ${seed} (ATESOR_TEST_SEED repeats it)`);
/** xorshift32: the same moments for the same seed. */
let dice = seed || 1;
const random = (below: number): number => {
  dice ^= dice << 13;
  dice ^= dice >>> 17;
  dice ^= dice << 5;
  return (dice >>> 0) % below;
};

test('a process killed at any moment of a build leaves a run that resumes to the same verified end', async () => {
  const whole = await runAtesor(home, ['port', source, '--force', '--json']);
  assert.is(whole.exitCode, 0, whole.stderr);
  const length = whole.events.length;
  for (let moment = 0; moment < moments; moment += 1) {
    // Spread over the run, from its first events to its last but two, with some chance in each stretch.
    const at = 2 + Math.floor((moment * (length - 5)) / moments) + random(3);
    const afterMs = random(400);
    await killedAndResumed(at, afterMs, whole.result?.artifacts.map(({ sha256 }) => sha256) ?? []);
  }
});

async function killedAndResumed(seq: number, afterMs: number, expected: string[]): Promise<void> {
  const where = `killed ${afterMs} ms after event ${seq}`;
  const port = startAtesor(home, ['port', source, '--force', '--json'], 300_000);
  let timer: NodeJS.Timeout | undefined;
  port.onEvent = (event) => {
    if (event.seq === seq) timer = setTimeout(() => port.child.kill('SIGKILL'), afterMs);
  };
  const killed = await port.ended;
  clearTimeout(timer);
  const runId = killed.events[0]?.runId as string;
  await nothingLeft(where);
  if (killed.result) return; // it was faster than the kill
  assert.is(killed.signal, 'SIGKILL', where);
  const resumed = await runAtesor(home, ['resume', runId, '--json']);
  assert.is(resumed.exitCode, 0, `${where}: ${resumed.stderr}`);
  assert.is(resumed.result?.verdict, 'verified', where);
  assert.equal(
    resumed.result?.artifacts.map(({ sha256 }) => sha256),
    expected,
    where,
  );
  const log = openLog(join(home, 'log.db'), { readonly: true });
  const all = [...log.readEnvelopes(runId)].map(({ prevHash: _, hash: __, ...body }) => body) as AnyEvent[];
  const audited = await log.audit(runId, openBlobReader(join(home, 'blobs')));
  log.close();
  assert.equal(
    all.map((event) => event.seq),
    all.map((_, index) => index + 1),
    `${where}: a gap or a duplicate`,
  );
  onceEach(all, where);
  // What was printed before the kill is what the log has: an event that was told has happened.
  const told = killed.events.map(({ id }) => id);
  assert.equal(
    told,
    all.slice(0, told.length).map(({ id }) => id),
    where,
  );
  assert.is(audited.firstBad, null, where);
  assert.is(replayBodies(runId, all).diverged, null, where);
  await nothingLeft(`${where}, resumed`);
}

/** Every effect was asked once and answered once; every command of the plan has finished once. */
function onceEach(events: AnyEvent[], where: string): void {
  const asked = events.filter((event) => event.type === 'effect.requested').map((event) => event.id);
  const answered = events.flatMap((event) =>
    event.type === 'effect.succeeded' ? [event.data.effectId] : [],
  );
  assert.equal(answered.toSorted(), asked.toSorted(), where);
  const commands = events.flatMap((event) =>
    event.type === 'build.commandFinished' ? [event.data.cacheKey] : [],
  );
  assert.is(new Set(commands).size, commands.length, `${where}: a command was run twice`);
}

test('two ports at once in one data folder both end verified', async () => {
  const ports = await Promise.all(
    ['many-files', 'make-hello'].map((name) =>
      runAtesor(home, ['port', join(import.meta.dirname, '../fixtures', name), '--force', '--json']),
    ),
  );
  for (const port of ports) {
    assert.is(port.exitCode, 0, port.stderr);
    assert.is(port.result?.verdict, 'verified');
    assert.equal(
      port.events.map((event) => event.seq),
      port.events.map((_, index) => index + 1),
    );
    assert.ok(port.events.every((event) => event.runId === port.result?.runId));
  }
  await nothingLeft('two at once');
});

test('Ctrl-C stops a run so that it can be resumed, and says how', async () => {
  const port = startAtesor(home, ['port', source, '--force', '--json'], 300_000);
  port.onEvent = (event) => {
    if (event.type === 'build.phaseStarted') port.child.kill('SIGINT');
  };
  const stopped = await port.ended;
  assert.is(stopped.exitCode, 130, stopped.stderr);
  const runId = stopped.events[0]?.runId as string;
  assert.match(stopped.stderr, new RegExp(`resume ${runId}`));
  await nothingLeft('stopped by Ctrl-C');
  const resumed = await runAtesor(home, ['resume', runId, '--json']);
  assert.is(resumed.exitCode, 0, resumed.stderr);
});

/** No process of this data folder, no mount in this namespace, no server: waited for, with a deadline. */
async function nothingLeft(where: string): Promise<void> {
  const deadline = Date.now() + goneDeadlineMs;
  let left = leftovers();
  while (left.length > 0 && Date.now() < deadline) {
    await new Promise((resolve) => setImmediate(resolve));
    left = leftovers();
  }
  assert.equal(left, [], `${where}: left behind`);
}

function leftovers(): string[] {
  const processes = readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return [];
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      return command.includes(home) && !command.includes('.test.ts')
        ? [`process ${pid}: ${command.slice(0, 200)}`]
        : [];
    } catch {
      return []; // it has ended meanwhile
    }
  });
  const mounts = execFileSync('cat', ['/proc/self/mountinfo'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(`${home}/runs`));
  return [...processes, ...mounts];
}

test.run();
