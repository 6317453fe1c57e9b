/**
 * How fast the log is, against the same inserts by a bare better-sqlite3 in the same minute on the same disk:
 * `node test/bench/log.ts [FOLDER]`. The ratio is what counts; wall figures fall up to 15 times under load
 * (stack notes, SQLite). CPU time per event does not depend on other load.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLog } from '../../events/log.ts';
import { openDatabase } from '../../events/sqlite.ts';
import { batchOf, noteStep, startedData } from '../support/sample-events.ts';

/** Rounds of each measurement, interleaved; the median is told. */
const rounds = 5;
/** Bytes of an event, about: the size that the stack notes measured with. */
const eventBytes = 1_000;

interface Figure {
  eventsPerS: number;
  cpuUs: number;
}

async function measure(events: number, work: () => unknown): Promise<Figure> {
  const cpu = process.cpuUsage();
  const start = process.hrtime.bigint();
  await work();
  const wallNs = Number(process.hrtime.bigint() - start);
  const used = process.cpuUsage(cpu);
  return { eventsPerS: (events * 1e9) / wallNs, cpuUs: (used.user + used.system) / events };
}

/** The least that a durable log of this shape does: one row, two indexes, WAL with FULL. */
function bareInsert(folder: string) {
  const db = openDatabase(join(folder, 'bare.db'));
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec(`CREATE TABLE IF NOT EXISTS events(gseq INTEGER PRIMARY KEY, run_id TEXT, seq INTEGER, body TEXT,
    UNIQUE(run_id, seq))`);
  const insert = db.prepare('INSERT INTO events(run_id, seq, body) VALUES (?, ?, ?)');
  let seq = (db.prepare('SELECT count(*) FROM events').pluck().get() as number) + 1;
  const body = 'x'.repeat(eventBytes);
  const many = db.transaction((count: number) => {
    for (let i = 0; i < count; i++) insert.run('r1', seq++, body);
  });
  return { many: (count: number) => many.immediate(count), close: () => db.close() };
}

function ours(folder: string) {
  const log = openLog(join(folder, 'log.db'));
  const epoch = log.acquireEpoch('bench');
  const started = (runId: string) => {
    if (log.version(runId) === 0) log.append(batchOf(runId, 0, epoch, ['run.started', startedData()]));
    return log.version(runId);
  };
  const note = noteStep(eventBytes - 250);
  return {
    log,
    one: (count: number) => {
      let version = started('r1');
      for (let i = 0; i < count; i++) version = log.append(batchOf('r1', version, epoch, note)).version;
    },
    batch: (count: number) => log.append(batchOf('r2', started('r2'), epoch, ...Array(count).fill(note))),
    queued: async (runs: number, each: number) => {
      const lanes = Array.from({ length: runs }, async (_, lane) => {
        const runId = `q${lane}`;
        let version = started(runId);
        for (let i = 0; i < each; i++)
          version = (await log.appendQueued(batchOf(runId, version, epoch, note))).version;
      });
      await Promise.all(lanes);
    },
    read: (runId: string) => {
      let count = 0;
      for (const _ of log.readBodies(runId)) count += 1;
      return count;
    },
  };
}

const folder = mkdtempSync(join(process.argv[2] ?? tmpdir(), 'atesor-bench-'));
const figures = new Map<string, Figure[]>();
const note = (name: string, figure: Figure) => figures.set(name, [...(figures.get(name) ?? []), figure]);
const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;

try {
  const bare = bareInsert(folder);
  const own = ours(folder);
  for (let round = 0; round < rounds; round++) {
    note('bare, 1 a transaction', await measure(300, () => Array.from({ length: 300 }, () => bare.many(1))));
    note('log.append, 1 event', await measure(300, () => own.one(300)));
    note(
      'bare, 64 a transaction',
      await measure(3_200, () => Array.from({ length: 50 }, () => bare.many(64))),
    );
    note(
      'log.append, 64 events',
      await measure(3_200, () => Array.from({ length: 50 }, () => own.batch(64))),
    );
    note('log.appendQueued, 64 runs', await measure(3_200, () => own.queued(64, 50)));
  }
  const events = own.log.version('r2');
  for (let round = 0; round < rounds; round++)
    note('log.readBodies', await measure(events, () => own.read('r2')));
  own.log.close();
  bare.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

for (const [name, measured] of figures) {
  const eventsPerS = Math.round(median(measured.map((figure) => figure.eventsPerS)));
  const cpuUs = median(measured.map((figure) => figure.cpuUs));
  console.log(
    `${name.padEnd(28)} ${String(eventsPerS).padStart(8)} events/s  ${cpuUs.toFixed(1).padStart(7)} us CPU/event`,
  );
}
const rate = (name: string) => median((figures.get(name) ?? []).map((figure) => figure.eventsPerS));
console.log(
  `ratio to bare: single ${(rate('log.append, 1 event') / rate('bare, 1 a transaction')).toFixed(2)}, ` +
    `batch ${(rate('log.append, 64 events') / rate('bare, 64 a transaction')).toFixed(2)}, ` +
    `queued ${(rate('log.appendQueued, 64 runs') / rate('bare, 64 a transaction')).toFixed(2)}`,
);
