import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openLog } from '../../events/log.ts';
import { LogError } from '../../events/log-error.ts';
import { forkDepthMax } from '../../events/log-read.ts';
import type { EventLog } from '../../events/log-types.ts';
import { batchOf, finishedData, noteStep, requestData, startedData } from '../support/sample-events.ts';
import { withTempFolder } from '../support/temp-folder.ts';

function withLog(work: (log: EventLog, epoch: number) => void | Promise<void>) {
  return () =>
    withTempFolder(async (folder) => {
      const log = openLog(join(folder, 'log.db'));
      try {
        await work(log, log.acquireEpoch('test'));
      } finally {
        log.close();
      }
    });
}

const codeOf = (work: () => unknown): string => {
  try {
    work();
    return 'none';
  } catch (error) {
    assert.instance(error, LogError);
    return (error as LogError).code;
  }
};

function start(log: EventLog, epoch: number, runId: string, at: number, repoName: string): void {
  const batch = batchOf(runId, 0, epoch, ['run.started', startedData(`deb:${repoName}`, repoName)]);
  log.append({ ...batch, bodies: batch.bodies.map((body) => ({ ...body, at })) });
}

test(
  'lists runs newest first with what their events say',
  withLog((log, epoch) => {
    start(log, epoch, '01a', 100, 'zlib');
    start(log, epoch, '01b', 200, 'lz4');
    log.append(
      batchOf('01a', 1, epoch, [
        'llm.callFinished',
        { role: 'fixer', model: 'm', costUsd: 0.25, tokensIn: 1, tokensOut: 1, calls: 1, estimated: false },
      ]),
    );
    log.append(batchOf('01a', 2, epoch, ['run.finished', finishedData()]));
    const [newest, oldest] = log.listRuns();
    assert.is(newest?.runId, '01b');
    assert.is(newest?.status, 'running');
    const { headHash, ...rest } = oldest as NonNullable<typeof oldest>;
    assert.match(headHash, /^[0-9a-f]{64}$/);
    assert.equal(rest, {
      runId: '01a',
      source: 'deb:zlib',
      repoName: 'zlib',
      platform: 'debian-riscv64',
      status: 'finished',
      verdict: 'verified',
      exitCode: 0,
      startedAt: 100,
      endedAt: 3,
      events: 3,
      costUsd: 0.25,
      version: 3,
      owner: 'test',
      parent: null,
      parentSeq: null,
      quarantineReason: null,
    });
  }),
);

test(
  'follows pause, resume, cancel and quarantine in the status',
  withLog((log, epoch) => {
    start(log, epoch, '01a', 1, 'zlib');
    const status = () => log.findRun('01a').status;
    log.append(batchOf('01a', 1, epoch, ['run.pauseRequested', { by: 'cli' }]));
    assert.is(status(), 'paused');
    log.append(batchOf('01a', 2, epoch, ['run.resumeRequested', { by: 'cli' }]));
    assert.is(status(), 'running');
    log.append(batchOf('01a', 3, epoch, ['run.finished', finishedData('cancelled')]));
    assert.is(status(), 'cancelled');
    log.quarantine('01a', 'diverged at 3');
    assert.is(status(), 'quarantined');
    assert.is(log.findRun('01a').quarantineReason, 'diverged at 3');
    assert.is(log.version('01a'), 4, 'quarantine is a row, not an event');
    assert.is(
      codeOf(() => log.quarantine('nope', 'x')),
      'runNotFound',
    );
  }),
);

test(
  'finds a run by id, unique prefix, last, and package name',
  withLog((log, epoch) => {
    assert.is(
      codeOf(() => log.findRun('last')),
      'runNotFound',
    );
    start(log, epoch, '01aa', 100, 'zlib');
    start(log, epoch, '01ab', 200, 'zlib');
    start(log, epoch, '02ab', 150, 'lz4');
    assert.is(log.findRun('01aa').runId, '01aa');
    assert.is(log.findRun('01AA').runId, '01aa');
    assert.is(log.findRun('last').runId, '01ab');
    assert.is(log.findRun('zlib').runId, '01ab', 'its last run');
    assert.is(log.findRun('02').runId, '02ab');
    assert.is(
      codeOf(() => log.findRun('')),
      'runNotFound',
    );
    assert.is(
      codeOf(() => log.findRun('%')),
      'runNotFound',
    );
    assert.is(
      codeOf(() => log.findRun('no-such')),
      'runNotFound',
    );
    assert.is(
      codeOf(() => log.findRun('01')),
      'ambiguousRun',
    );
    assert.throws(() => log.findRun('01'), /01ab \(zlib\), 01aa \(zlib\)/);
    for (let i = 0; i < 12; i++) start(log, epoch, `03x${i}`, 300, 'jo');
    assert.throws(() => log.findRun('03'), /, …$/);
  }),
);

test(
  'reads a range, and says so when there is no such run',
  withLog((log, epoch) => {
    start(log, epoch, '01a', 1, 'zlib');
    for (let seq = 1; seq < 300; seq++) log.append(batchOf('01a', seq, epoch, noteStep()));
    const seqs = (from?: number, to?: number) => [...log.readBodies('01a', from, to)].map((body) => body.seq);
    assert.equal(
      seqs(),
      Array.from({ length: 300 }, (_, i) => i + 1),
    );
    assert.equal(seqs(299), [299, 300]);
    assert.equal(seqs(-5, 2), [1, 2]);
    assert.equal(seqs(301), []);
    assert.is(
      codeOf(() => log.readBodies('nope').next()),
      'runNotFound',
    );
  }),
);

test(
  'a reader that began sees no event that was appended since',
  withLog((log, epoch) => {
    start(log, epoch, '01a', 1, 'zlib');
    const reading = log.readBodies('01a');
    assert.is(reading.next().value?.seq, 1);
    log.append(batchOf('01a', 1, epoch, noteStep()));
    assert.is(reading.next().done, true);
  }),
);

test(
  'a fork has its parent’s events by reference, one hash chain, and what was open at the cut',
  withLog(async (log, epoch) => {
    start(log, epoch, 'p', 1, 'zlib');
    log.append(
      batchOf(
        'p',
        1,
        epoch,
        ['effect.requested', requestData()],
        ['timer.set', { timerId: 't', due: 9, reason: '' }],
      ),
    );
    log.append(
      batchOf(
        'p',
        3,
        epoch,
        ['effect.succeeded', { effectId: 'p-2', name: 'cloneRepository', output: {} }],
        ['timer.cancelled', { timerId: 't' }],
      ),
    );
    const fork = (parent: string, atSeq: number) =>
      ['run.forked', { parent, atSeq, overrides: {}, reason: 'test' }] as const;
    log.append(batchOf('f', 3, epoch, [...fork('p', 3)], noteStep()));
    log.append(batchOf('g', 3, epoch, [...fork('f', 3)]));
    assert.equal(
      [...log.readBodies('f')].map((body) => body.id),
      ['p-1', 'p-2', 'p-3', 'f-4', 'f-5'],
    );
    assert.equal(
      [...log.readBodies('g')].map((body) => body.id),
      ['p-1', 'p-2', 'p-3', 'g-4'],
    );
    assert.is((await log.audit('f')).firstBad, null);
    assert.is((await log.audit('g')).firstBad, null);
    const row = log.findRun('f');
    assert.equal([row.parent, row.parentSeq, row.repoName, row.events], ['p', 3, 'zlib', 5]);
    assert.equal(
      log.openEffects('f').map((effect) => [effect.effectId, effect.token]),
      [['p-2', 0]],
    );
    assert.equal(
      log.openTimers('f').map((timer) => timer.timerId),
      ['t'],
    );
    assert.equal(log.openEffects('p'), []);
  }),
);

test(
  'refuses a cut inside a commit, behind the end, or of no run',
  withLog((log, epoch) => {
    start(log, epoch, 'p', 1, 'zlib');
    log.append(batchOf('p', 1, epoch, noteStep(), noteStep()));
    const fork = (parent: string, atSeq: number) =>
      codeOf(() =>
        log.append(batchOf('f', atSeq, epoch, ['run.forked', { parent, atSeq, overrides: {}, reason: '' }])),
      );
    assert.is(fork('p', 2), 'invalidEvent');
    assert.is(fork('p', 9), 'runNotFound');
    assert.is(fork('nope', 1), 'runNotFound');
    assert.is(fork('p', 3), 'none');
  }),
);

test(
  `refuses a fork over ${forkDepthMax} forks deep`,
  withLog((log, epoch) => {
    start(log, epoch, 'f0', 1, 'zlib');
    const fork = (depth: number) =>
      log.append(
        batchOf(`f${depth}`, 1, epoch, [
          'run.forked',
          { parent: `f${depth - 1}`, atSeq: 1, overrides: {}, reason: '' },
        ]),
      );
    for (let depth = 1; depth <= forkDepthMax; depth++) fork(depth);
    assert.is(
      codeOf(() => fork(forkDepthMax + 1)),
      'invalidEvent',
    );
    assert.is([...log.readBodies(`f${forkDepthMax}`)].length, 2);
  }),
);

test.run();
