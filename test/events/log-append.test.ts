/** The invariants L1 to L5 of `events/log.ts`. */
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { EventBody } from '../../events/envelope.ts';
import { chainHash, firstPrevHash } from '../../events/hash.ts';
import { openLog } from '../../events/log.ts';
import { eventBytesMax } from '../../events/log-append.ts';
import { LogError, type LogErrorCode } from '../../events/log-error.ts';
import type { EventLog } from '../../events/log-types.ts';
import { openDatabase } from '../../events/sqlite.ts';
import { batchOf, finishedData, noteStep, requestData, startedData } from '../support/sample-events.ts';
import { withTempFolder } from '../support/temp-folder.ts';

function withLog(work: (log: EventLog, epoch: number, path: string) => void | Promise<void>) {
  return () =>
    withTempFolder(async (folder) => {
      const path = join(folder, 'log.db');
      const log = openLog(path);
      try {
        await work(log, log.acquireEpoch('test'), path);
      } finally {
        log.close();
      }
    });
}

const failsWith = (code: LogErrorCode, work: () => unknown) =>
  assert.throws(work, (error: unknown) => error instanceof LogError && error.code === code, code);

test(
  '[L1] fills in commit and epoch and keeps what it was given',
  withLog((log, epoch) => {
    const batch = batchOf(
      'r1',
      0,
      epoch,
      ['run.started', startedData()],
      ['effect.requested', requestData()],
    );
    const result = log.append(batch);
    assert.is(result.version, 2);
    assert.is(result.duplicate, false);
    const expected = batch.bodies.map((body) => ({ ...body, commit: 2, epoch }));
    assert.equal(result.events, expected as EventBody[]);
    assert.equal([...log.readBodies('r1')], expected as EventBody[]);
    assert.is(batch.bodies[0]?.commit, 0, 'the caller keeps its own objects');
  }),
);

test(
  '[L1] appends nothing of a batch with one bad event',
  withLog((log, epoch) => {
    failsWith('invalidEvent', () =>
      log.append(batchOf('r1', 0, epoch, ['run.started', startedData()], ['fix.declined', {} as never])),
    );
    assert.is(log.version('r1'), 0);
    assert.equal(log.listRuns(), []);
    assert.is(log.outboxSize(), 0);
    failsWith('invalidEvent', () => log.append(batchOf('r1', 0, epoch)));
  }),
);

test(
  '[L2] chains the hashes of the stored bytes',
  withLog((log, epoch, path) => {
    log.append(batchOf('r1', 0, epoch, ['run.started', startedData()]));
    log.append(batchOf('r1', 1, epoch, noteStep(), noteStep()));
    const db = openDatabase(path, { readonly: true });
    const rows = db.prepare('SELECT body, prev_hash, hash FROM events ORDER BY seq').all() as Array<{
      body: string;
      prev_hash: string;
      hash: string;
    }>;
    db.close();
    let prev = firstPrevHash;
    for (const row of rows) {
      assert.is(row.prev_hash, prev);
      assert.is(row.hash, chainHash(prev, row.body));
      prev = row.hash;
    }
    assert.is(log.findRun('r1').headHash, prev);
    assert.equal(
      [...log.readEnvelopes('r1', 2, 2)].map((event) => [event.seq, event.hash]),
      [[2, rows[1]?.hash]],
    );
  }),
);

test(
  '[L3] refuses the version that somebody else has moved on from',
  withLog((log, epoch) => {
    log.append(batchOf('r1', 0, epoch, ['run.started', startedData()]));
    failsWith('versionConflict', () => log.append(batchOf('r1', 0, epoch, ['run.started', startedData()])));
    failsWith('versionConflict', () => log.append(batchOf('r1', 5, epoch, noteStep())));
    assert.is(log.version('r1'), 1);
  }),
);

test(
  '[L3] refuses the writer before the latest, and one that never acquired',
  withLog((log, epoch, path) => {
    const other = openLog(path);
    assert.is(other.acquireEpoch('stand-by'), epoch + 1);
    failsWith('staleEpoch', () => log.append(batchOf('r1', 0, epoch, ['run.started', startedData()])));
    failsWith('staleEpoch', () => log.append(batchOf('r1', 0, 0, ['run.started', startedData()])));
    other.append(batchOf('r1', 0, epoch + 1, ['run.started', startedData()]));
    assert.is(log.findRun('r1').owner, 'stand-by');
    assert.is(log.currentEpoch(), epoch + 1);
    other.close();
  }),
);

test(
  '[L3] appends the input of one message once',
  withLog((log, epoch) => {
    const first = log.append({ ...batchOf('r1', 0, epoch, ['run.started', startedData()]), inboxId: 'm1' });
    const again = log.append({ ...batchOf('r1', 0, epoch, ['run.started', startedData()]), inboxId: 'm1' });
    assert.equal(again, { ...first, duplicate: true, events: [] });
    assert.is(log.version('r1'), 1);
  }),
);

test(
  '[L4] takes one answer for an effect, under its current token',
  withLog((log, epoch) => {
    log.append(batchOf('r1', 0, epoch, ['run.started', startedData()], ['effect.requested', requestData()]));
    const answer = ['effect.succeeded', { effectId: 'r1-2', name: 'cloneRepository', output: {} }] as const;
    assert.is(log.grantEffect('r1', 'r1-2', 'worker-a'), 1);
    assert.is(log.grantEffect('r1', 'r1-2', 'worker-b'), 2);
    failsWith('staleAnswer', () => log.append({ ...batchOf('r1', 2, epoch, [...answer]), token: 1 }));
    assert.is(log.findEffect('r1', 'r1-2')?.worker, 'worker-b');
    log.append({ ...batchOf('r1', 2, epoch, [...answer]), token: 2 });
    assert.is(log.findEffect('r1', 'r1-2')?.state, 'done');
    assert.equal(log.openEffects('r1'), []);
    failsWith('staleAnswer', () => log.append({ ...batchOf('r1', 3, epoch, [...answer]), token: 2 }));
    failsWith('staleAnswer', () => log.grantEffect('r1', 'r1-2', 'worker-c'));
    const unknown = { effectId: 'r1-99', name: 'cloneRepository' };
    failsWith('staleAnswer', () => log.append(batchOf('r1', 3, epoch, ['effect.expired', unknown])));
    assert.is(log.findEffect('r1', 'r1-99'), null);
  }),
);

test(
  '[L4] keeps expired and cancelled effects apart, and late answers for audit',
  withLog((log, epoch) => {
    const request = ['effect.requested', requestData()] as const;
    log.append(batchOf('r1', 0, epoch, ['run.started', startedData()], [...request], [...request]));
    assert.equal(
      log.openEffects().map((effect) => effect.effectId),
      ['r1-2', 'r1-3'],
    );
    const effect = (effectId: string) => ({ effectId, name: 'cloneRepository' });
    log.append(
      batchOf(
        'r1',
        3,
        epoch,
        ['effect.expired', effect('r1-2')],
        ['effect.cancelled', { ...effect('r1-3'), reason: 'stopped' }],
      ),
    );
    assert.is(log.findEffect('r1', 'r1-2')?.state, 'expired');
    assert.is(log.findEffect('r1', 'r1-3')?.state, 'cancelled');
    const late = {
      runId: 'r1',
      effectId: 'r1-2',
      token: 1,
      worker: 'w',
      at: 5,
      reason: 'expired',
      answer: '{}',
    };
    log.storeLateResult(late);
    assert.equal(log.lateResults('r1'), [late]);
  }),
);

test(
  '[L5] refuses to edit or delete an event, whoever asks',
  withLog((log, epoch, path) => {
    log.append(batchOf('r1', 0, epoch, ['run.started', startedData()]));
    const db = openDatabase(path);
    assert.throws(() => db.exec("UPDATE events SET type = 'x'"), /never edited/);
    assert.throws(() => db.exec('DELETE FROM events'), /never deleted/);
    db.close();
  }),
);

test(
  'refuses an event that is too long for a message, and says what to do',
  withLog((log, epoch) => {
    log.append(batchOf('r1', 0, epoch, ['run.started', startedData()]));
    log.append(batchOf('r1', 1, epoch, noteStep(eventBytesMax - 1024)));
    assert.throws(() => log.append(batchOf('r1', 2, epoch, noteStep(eventBytesMax))), /into the blob store/);
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    const step = ['effect.requested', { ...requestData(), input: cyclic }] as const;
    failsWith('invalidEvent', () => log.append(batchOf('r1', 2, epoch, [...step])));
  }),
);

test(
  'keeps timers by due time until they fire or are cancelled',
  withLog((log, epoch) => {
    const timer = (timerId: string, due: number) => ['timer.set', { timerId, due, reason: 'wait' }] as const;
    log.append(
      batchOf(
        'r1',
        0,
        epoch,
        ['run.started', startedData()],
        [...timer('a', 30)],
        [...timer('b', 10)],
        [...timer('c', 20)],
      ),
    );
    assert.equal(
      log.openTimers().map((row) => row.timerId),
      ['b', 'c', 'a'],
    );
    log.append(
      batchOf('r1', 4, epoch, ['timer.fired', { timerId: 'b' }], ['timer.cancelled', { timerId: 'c' }]),
    );
    assert.equal(log.openTimers('r1'), [{ timerId: 'a', runId: 'r1', due: 30 }]);
    assert.equal(log.openTimers('r2'), []);
    failsWith('staleAnswer', () => log.append(batchOf('r1', 6, epoch, ['timer.fired', { timerId: 'b' }])));
  }),
);

test(
  'commits what is queued in one turn together, and one bad batch stops no other',
  withLog(async (log, epoch) => {
    const told: number[] = [];
    const forget = log.onAppend((events) => told.push(events.length));
    const outcomes = await Promise.allSettled([
      log.appendQueued(batchOf('r1', 0, epoch, ['run.started', startedData()])),
      log.appendQueued(batchOf('r2', 0, epoch, ['fix.declined', { reason: 7 as never }])),
      log.appendQueued(batchOf('r1', 1, epoch, noteStep(), noteStep())),
      log.appendQueued(batchOf('r1', 1, epoch, noteStep())),
      log.appendQueued(batchOf('r3', 0, epoch, ['run.started', startedData()])),
    ]);
    assert.equal(
      outcomes.map((outcome) =>
        outcome.status === 'fulfilled' ? outcome.value.version : (outcome.reason as LogError).code,
      ),
      [1, 'invalidEvent', 3, 'versionConflict', 1],
    );
    assert.equal(told, [1, 2, 1]);
    assert.is(log.version('r2'), 0);
    forget();
    await log.appendQueued(batchOf('r3', 1, epoch, noteStep()));
    assert.is(told.length, 3);
  }),
);

test(
  'commits more batches than fit into one transaction, in order',
  withLog(async (log, epoch) => {
    await log.appendQueued(batchOf('r1', 0, epoch, ['run.started', startedData()]));
    const all = Array.from({ length: 600 }, (_, i) =>
      log.appendQueued(batchOf('r1', 1 + i, epoch, noteStep())),
    );
    assert.is((await Promise.all(all)).at(-1)?.version, 601);
  }),
);

test(
  'a listener that fails does not make a committed append fail',
  withLog(async (log, epoch) => {
    const thrown = new Promise<Error>((resolve) => process.once('uncaughtException', resolve));
    const forget = log.onAppend(() => {
      throw new Error('listener at fault');
    });
    assert.is(log.append(batchOf('r1', 0, epoch, ['run.started', startedData()])).version, 1);
    assert.is((await thrown).message, 'listener at fault');
    forget();
  }),
);

test('flushes what is queued when it is closed', () =>
  withTempFolder(async (folder) => {
    const path = join(folder, 'log.db');
    const log = openLog(path);
    const epoch = log.acquireEpoch('test');
    const queued = log.appendQueued(batchOf('r1', 0, epoch, ['run.started', startedData()]));
    log.close();
    assert.is((await queued).version, 1);
    const reader = openLog(path, { readonly: true });
    assert.is(reader.version('r1'), 1);
    reader.close();
  }));

test(
  'refuses what is appended after it was closed',
  withLog(async (log, epoch) => {
    log.close();
    const batch = batchOf('r1', 0, epoch, ['run.started', startedData()]);
    failsWith('internal', () => log.append(batch));
    const [queued] = await Promise.allSettled([log.appendQueued(batch)]);
    assert.is(queued?.status, 'rejected');
  }),
);

test(
  'refuses events that contradict what is there',
  withLog((log, epoch) => {
    const timer = ['timer.set', { timerId: 'a', due: 1, reason: '' }] as const;
    const twice = batchOf('r1', 0, epoch, ['run.started', startedData()], [...timer], [...timer]);
    failsWith('invalidEvent', () => log.append(twice));
    assert.is(log.version('r1'), 0);
  }),
);

test(
  'gives the outbox in order, and puts back what the stream lost',
  withLog((log, epoch) => {
    log.append(
      batchOf('r1', 0, epoch, ['run.started', startedData()], noteStep(), ['run.finished', finishedData()]),
    );
    const rows = log.outboxBatch(2);
    assert.equal(
      rows.map((row) => [row.seq, row.id, row.type]),
      [
        [1, 'r1-1', 'run.started'],
        [2, 'r1-2', 'fix.declined'],
      ],
    );
    log.markPublished(rows.map((row) => row.gseq));
    assert.is(log.outboxSize(), 1);
    assert.is(log.requeue('r1', 2), 1);
    assert.equal(
      log.outboxBatch(10).map((row) => row.seq),
      [2, 3],
    );
  }),
);

test.run();
