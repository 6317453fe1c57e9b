/** The invariants R1 to R4 of `events/relay.ts`, with a real server that is killed and loses its store. */
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { NatsConnection } from 'nats';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openLog } from '../../events/log.ts';
import type { EventLog } from '../../events/log-types.ts';
import { followRun } from '../../events/read-stream.ts';
import { type Relay, type RelayOptions, startRelay } from '../../events/relay.ts';
import { checkServer, ensureStreams, eventHeaders, eventMaxAgeMs, eventStream } from '../../events/stream.ts';
import { StreamError, type StreamErrorCode } from '../../events/stream-error.ts';
import { type TestServer, withNatsServer } from '../support/nats-server.ts';
import { batchOf, finishedData, noteStep, startedData } from '../support/sample-events.ts';

/** How long anything here may take, ms. Measured well below 2 s; the machine may be loaded. */
const deadlineMs = 30_000;

interface Bench {
  server: TestServer;
  nc: NatsConnection;
  log: EventLog;
  path: string;
  epoch: number;
  relay(options?: RelayOptions): Relay;
}

const withBench = (work: (bench: Bench) => Promise<void>) => () =>
  withNatsServer(async (server, folder) => {
    const path = join(folder, 'log.db');
    const log = openLog(path);
    const relays: Relay[] = [];
    const nc = await server.connect();
    const relay = (options: RelayOptions = {}) => {
      // The sample events are of 1970: the clock must be too, or they would be too old for the stream.
      const started = startRelay(log, nc, { now: () => 0, ...options });
      relays.push(started);
      return started;
    };
    try {
      await work({ server, nc, log, path, epoch: log.acquireEpoch('test'), relay });
    } finally {
      for (const one of relays) await one.stop();
      log.close();
    }
  });

/** What the stream has: `runId-seq`, in its order. */
async function streamed(nc: NatsConnection): Promise<string[]> {
  const manager = await nc.jetstreamManager();
  const { state } = await manager.streams.info(eventStream);
  const ids: string[] = [];
  for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
    const message = await manager.streams.getMessage(eventStream, { seq });
    ids.push(message.header.get(eventHeaders.id));
  }
  return ids;
}

const wipe = (streams: string) => rmSync(streams, { recursive: true, force: true });

const idsOf = (runId: string, from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => `${runId}-${from + i}`);

function start(log: EventLog, epoch: number, runId: string, more = 0): void {
  log.append(
    batchOf(
      runId,
      0,
      epoch,
      ['run.started', startedData()],
      ...Array.from({ length: more }, () => noteStep()),
    ),
  );
}

const drained = async (relay: Relay) =>
  assert.ok(await relay.drained(deadlineMs), 'the outbox is empty in time');

test(
  '[R1] publishes each event once and in order, with its headers and its stored bytes',
  withBench(async ({ nc, log, epoch, relay }) => {
    start(log, epoch, 'r1', 2);
    const running = relay();
    await drained(running);
    log.append(batchOf('r1', 3, epoch, noteStep()));
    await drained(running);
    assert.equal(await streamed(nc), idsOf('r1', 1, 4));
    const manager = await nc.jetstreamManager();
    const last = await manager.streams.getMessage(eventStream, { last_by_subj: 'atesor.events.r1' });
    assert.equal(
      [last.header.get('Nats-Msg-Id'), last.header.get(eventHeaders.type), last.header.get(eventHeaders.seq)],
      ['r1-4', 'fix.declined', '4'],
    );
    assert.equal(JSON.parse(Buffer.from(last.data).toString()), [...log.readBodies('r1', 4)][0]);
    assert.is(log.outboxSize(), 0);
  }),
);

test(
  '[R1] publishes many runs side by side, each in order',
  withBench(async ({ nc, log, epoch, relay }) => {
    for (let run = 0; run < 40; run++) start(log, epoch, `r${run}`, 9);
    await drained(relay());
    const seen = await streamed(nc);
    assert.is(seen.length, 400);
    for (let run = 0; run < 40; run++)
      assert.equal(
        seen.filter((id) => id.startsWith(`r${run}-`)),
        idsOf(`r${run}`, 1, 10),
      );
  }),
);

test(
  '[R2] publishes nothing twice when it was stopped between publishing and noting it',
  withBench(async ({ nc, log, epoch, relay }) => {
    start(log, epoch, 'r1', 4);
    const first = relay();
    await drained(first);
    await first.stop();
    assert.is(log.requeue('r1', 1), 5, 'as if the process had been killed before it noted anything');
    log.append(batchOf('r1', 5, epoch, noteStep()));
    await drained(relay());
    assert.equal(await streamed(nc), idsOf('r1', 1, 6));
  }),
);

test(
  '[R1] two relays of one log do not interleave',
  withBench(async ({ server, nc, log, epoch, relay }) => {
    start(log, epoch, 'r1', 60);
    start(log, epoch, 'r2', 60);
    const other = startRelay(log, await server.connect(), { now: () => 0 });
    await Promise.all([drained(relay()), drained(other)]);
    await other.stop();
    const seen = await streamed(nc);
    assert.equal(
      seen.filter((id) => id.startsWith('r1-')),
      idsOf('r1', 1, 61),
    );
    assert.is(seen.length, 122);
  }),
);

test(
  '[R3] goes on after the server was killed while it published',
  withBench(async ({ server, nc, log, epoch, relay }) => {
    const faults: Error[] = [];
    const running = relay({ onFault: (error) => faults.push(error) });
    start(log, epoch, 'r1', 500);
    await server.killAndWait();
    start(log, epoch, 'r2', 5);
    await drained(running);
    const seen = await streamed(nc);
    assert.equal(
      seen.filter((id) => id.startsWith('r1-')),
      idsOf('r1', 1, 501),
    );
    assert.equal(
      seen.filter((id) => id.startsWith('r2-')),
      idsOf('r2', 1, 6),
    );
    assert.not.ok(faults.some((error) => error instanceof StreamError && error.code !== 'streamDown'));
  }),
);

test(
  '[R3] fills the stream again after the server lost its store',
  withBench(async ({ server, nc, log, epoch, relay }) => {
    start(log, epoch, 'r1', 9);
    const running = relay();
    await drained(running);
    await server.killAndWait(wipe);
    log.append(batchOf('r1', 10, epoch, noteStep()));
    await drained(running);
    // The reconnect may be noticed after the append was published: wait for the whole.
    await settles(async () => assert.equal(await streamed(nc), idsOf('r1', 1, 11)));
  }),
);

test(
  '[R3] fills the stream again at start, also when the message ids are still remembered',
  withBench(async ({ nc, log, epoch, relay }) => {
    start(log, epoch, 'r1', 9);
    const first = relay();
    await drained(first);
    await first.stop();
    const manager = await nc.jetstreamManager();
    await manager.streams.purge(eventStream, { filter: 'atesor.events.r1', keep: 0 });
    await drained(relay());
    assert.equal(await streamed(nc), idsOf('r1', 1, 10));
  }),
);

test(
  '[R3] publishes again what a server lost that came back with an older store',
  withBench(async ({ server, nc, log, epoch, relay }) => {
    start(log, epoch, 'r1', 6);
    const running = relay();
    await drained(running);
    const old = `${server.streams}.old`;
    await server.killAndWait((streams) => cpSync(streams, old, { recursive: true }));
    log.append(batchOf('r1', 7, epoch, noteStep(), noteStep()));
    start(log, epoch, 'r2', 2);
    await settles(async () => assert.is((await streamed(nc)).length, 12));
    await server.killAndWait((streams) => {
      wipe(streams);
      cpSync(old, streams, { recursive: true });
    });
    log.append(batchOf('r1', 9, epoch, noteStep()));
    await settles(async () => {
      const seen = await streamed(nc);
      assert.equal(
        seen.filter((id) => id.startsWith('r1-')),
        idsOf('r1', 1, 10),
      );
      assert.is(seen.length, 13);
    });
  }),
);

test(
  '[R3] notices at the next event that the stream was emptied, and publishes all again',
  withBench(async ({ nc, log, epoch, relay }) => {
    start(log, epoch, 'r1', 9);
    const running = relay();
    await drained(running);
    await (await nc.jetstreamManager()).streams.purge(eventStream);
    log.append(batchOf('r1', 10, epoch, noteStep()));
    await drained(running);
    assert.equal(await streamed(nc), idsOf('r1', 1, 11));
  }),
);

test(
  '[R3] leaves runs alone that are older than what the stream keeps',
  withBench(async ({ nc, log, epoch, relay }) => {
    start(log, epoch, 'r1', 2);
    const first = relay();
    await drained(first);
    await first.stop();
    await (await nc.jetstreamManager()).streams.purge(eventStream);
    await drained(relay({ now: () => eventMaxAgeMs + 1_000 }));
    assert.equal(await streamed(nc), []);
  }),
);

test(
  '[R4] names a stream that is ahead of the log, and one that differs; other runs go on',
  withBench(async ({ nc, log, epoch, relay, path }) => {
    start(log, epoch, 'r1', 4);
    start(log, epoch, 'r2', 4);
    const first = relay();
    await drained(first);
    await first.stop();
    // A log that was put back from a backup: shorter in one run, different in the other.
    const restored = openLog(`${path}.restored`);
    const restoredEpoch = restored.acquireEpoch('test');
    start(restored, restoredEpoch, 'r1', 2);
    start(restored, restoredEpoch, 'r2', 9);
    start(restored, restoredEpoch, 'r3', 1);
    const faults: Error[] = [];
    const second = startRelay(restored, nc, { now: () => 0, onFault: (error) => faults.push(error) });
    try {
      await drained(second);
      restored.append(batchOf('r2', 10, restoredEpoch, noteStep()));
      await drained(second);
    } finally {
      await second.stop();
      restored.close();
    }
    const codes = faults.map((fault) => (fault as StreamError).code);
    assert.ok(codes.includes('streamAhead'), codes.join());
    assert.ok(codes.includes('streamConflict'), codes.join());
    const ahead = faults.find((fault) => (fault as StreamError).code === 'streamAhead');
    assert.match(ahead?.message ?? '', /5 events of run r1, the log 3.*delete the stream/);
    assert.equal(
      (await streamed(nc)).filter((id) => id.startsWith('r3-')),
      idsOf('r3', 1, 2),
    );
  }),
);

test(
  'does not wait for ever for a server that is away',
  withBench(async ({ nc, log, epoch, relay }) => {
    const running = relay();
    await drained(running);
    await nc.close();
    start(log, epoch, 'r1');
    assert.is(await running.drained(200), false);
    assert.is(log.outboxSize(), 1);
  }),
);

test(
  'a reader follows a run from its recorded events to its end, over a loss of the server',
  withBench(async ({ server, log, epoch, relay }) => {
    start(log, epoch, 'r1', 3);
    start(log, epoch, 'r2', 3);
    const running = relay();
    await drained(running);
    const seen: number[] = [];
    const reading = (async () => {
      for await (const event of followRun(await server.connect(), 'r1')) {
        seen.push(event.seq);
        if (event.seq === 4) {
          await server.killAndWait();
          log.append(batchOf('r1', 4, epoch, noteStep(), ['run.finished', finishedData()]));
        }
      }
    })();
    await within(reading);
    assert.equal(seen, [1, 2, 3, 4, 5, 6]);
  }),
);

test(
  'a reader sees no event twice when the stream is filled again, and can start in the middle',
  withBench(async ({ server, log, epoch, relay }) => {
    start(log, epoch, 'r1', 3);
    const running = relay();
    await drained(running);
    const seen: number[] = [];
    const reading = (async () => {
      for await (const event of followRun(await server.connect(), 'r1', { fromSeq: 3 })) {
        seen.push(event.seq);
        if (event.seq === 4) {
          await server.killAndWait(wipe);
          log.append(batchOf('r1', 4, epoch, ['run.finished', finishedData()]));
        }
      }
    })();
    await within(reading);
    assert.equal(seen, [3, 4, 5]);
  }),
);

test(
  'a reader ends when it is told to, and says when nothing comes or something is missing',
  withBench(async ({ server, nc, log, epoch, relay }) => {
    await ensureStreams(nc);
    await fails('noEvents', () => collect(followRun(nc, 'nope', { firstEventMs: 300 })));
    const stop = new AbortController();
    stop.abort();
    assert.equal(await within(collect(followRun(nc, 'nope', { signal: stop.signal }))), []);
    start(log, epoch, 'r1', 3);
    await drained(relay());
    const later = new AbortController();
    const seen: number[] = [];
    for await (const event of followRun(nc, 'r1', { signal: later.signal })) {
      seen.push(event.seq);
      if (event.seq === 4) later.abort();
    }
    assert.equal(seen, [1, 2, 3, 4]);
    await (await nc.jetstreamManager()).streams.deleteMessage(eventStream, 2);
    await fails('streamGap', () => collect(followRun(nc, 'r1')));
    const other = await server.connect();
    const reading = followRun(other, 'r1', { fromSeq: 3 });
    assert.is((await reading.next()).value?.seq, 3);
    assert.is((await reading.next()).value?.seq, 4);
    const next = fails('streamDown', () => reading.next());
    await other.close();
    await next;
  }),
);

test(
  'makes the streams once, and brings one that differs to what is needed',
  withBench(async ({ nc }) => {
    const manager = await nc.jetstreamManager();
    await manager.streams.add({
      name: 'ATESOR_TASKS',
      subjects: ['atesor.tasks.old'],
      retention: 'workqueue' as never,
    });
    await Promise.all([ensureStreams(nc), ensureStreams(nc)]);
    await ensureStreams(nc, { replicas: 1 });
    assert.equal((await manager.streams.info('ATESOR_TASKS')).config.subjects, ['atesor.tasks.>']);
    assert.is((await manager.streams.info(eventStream)).config.max_age, 14 * 86_400 * 1e9);
    await manager.streams.delete('ATESOR_CMDS');
    await manager.streams.add({
      name: 'ATESOR_CMDS',
      subjects: ['atesor.cmds.>'],
      retention: 'limits' as never,
    });
    await fails('streamUnfit', () => ensureStreams(nc));
    await nc.close();
    await fails('streamDown', () => ensureStreams(nc));
  }),
);

test('refuses a server that is too old or has no JetStream', () => {
  const check = (version: string, jetstream = true) => {
    try {
      checkServer({ info: { version, jetstream } as never });
      return 'fine';
    } catch (error) {
      return (error as StreamError).code;
    }
  };
  assert.is(check('2.9.0'), 'fine');
  assert.is(check('2.10.1-beta.2'), 'fine');
  assert.is(check('3.0.0'), 'fine');
  assert.is(check('2.8.4'), 'serverTooOld');
  assert.is(check('what'), 'serverTooOld');
  assert.is(check('2.9.0', false), 'noJetStream');
  assert.throws(() => checkServer({} as never), /connection to NATS is closed/);
});

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

async function within<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done within ${deadlineMs} ms`)), deadlineMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

async function settles(check: () => Promise<void>): Promise<void> {
  const until = Date.now() + deadlineMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > until) throw error;
    }
  }
}

async function fails(code: StreamErrorCode, work: () => Promise<unknown>): Promise<void> {
  const error = await within(work()).then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.instance(error, StreamError);
  assert.is((error as StreamError).code, code);
}

test.run();
