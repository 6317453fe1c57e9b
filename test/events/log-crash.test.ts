/** `kill -9` of a writer at random moments: what it said it committed is there, gapless and with a right chain. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openLog } from '../../events/log.ts';
import { withTempFolder } from '../support/temp-folder.ts';

const seed = Number(process.env.ATESOR_TEST_SEED ?? Date.now() % 1_000_000);
/** Kills in one test. */
const kills = 12;
/** Commits after which a writer is killed at the latest; a few milliseconds later on top. */
const commitsMax = 40;

/** mulberry32: a small seeded generator. */
function randomOf(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Lets a writer append on and on, kills it in the middle, and answers with the last version that it told. */
async function appendUntilKilled(path: string, commits: number, extraUs: number): Promise<number> {
  const writer = join(import.meta.dirname, '../support/log-writer.ts');
  const child = spawn(process.execPath, [writer, path, 'r1', 'free'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  let told = 0;
  let lines = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === 'ready') continue;
    told = Number(line);
    lines += 1;
    if (lines !== commits) continue;
    const until = process.hrtime.bigint() + BigInt(extraUs) * 1000n;
    while (process.hrtime.bigint() < until);
    child.kill('SIGKILL');
    // Lines that were on their way still count: they were said after their commit.
  }
  await exited;
  return told;
}

test(`[L1] [L2] a killed writer leaves whole commits only (ATESOR_TEST_SEED=${seed})`, () =>
  withTempFolder(async (folder) => {
    console.log(`seed ${seed}`);
    const path = join(folder, 'log.db');
    const random = randomOf(seed);
    for (let kill = 0; kill < kills; kill++) {
      const commits = 1 + Math.floor(random() * commitsMax);
      const told = await appendUntilKilled(path, commits, Math.floor(random() * 3_000));
      const reader = openLog(path, { readonly: true });
      const version = reader.version('r1');
      assert.ok(version >= told, `said ${told}, kept ${version}`);
      const seqs = [...reader.readBodies('r1')].map((body) => body.seq);
      assert.equal(
        seqs,
        Array.from({ length: version }, (_, i) => i + 1),
      );
      assert.is((await reader.audit('r1')).firstBad, null);
      reader.close();
    }
    const log = openLog(path);
    assert.is(log.currentEpoch(), kills);
    assert.is(log.outboxSize(), log.version('r1'), 'every event is still to be published');
    log.close();
  }));

test.run();
