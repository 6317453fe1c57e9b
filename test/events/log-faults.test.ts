/** What can be wrong with the file: each is told by its code, with the next step, and nothing is half written. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  openSync,
  readFileSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openBlobs } from '../../events/blobs.ts';
import { sha256 } from '../../events/hash.ts';
import { openLog } from '../../events/log.ts';
import { asLogError, LogError, type LogErrorCode } from '../../events/log-error.ts';
import type { EventLog } from '../../events/log-types.ts';
import { batchOf, noteStep, startedData } from '../support/sample-events.ts';
import { withTempFolder } from '../support/temp-folder.ts';

const fails = (code: LogErrorCode, message: RegExp) => (error: unknown) => {
  assert.instance(error, LogError);
  assert.is((error as LogError).code, code);
  assert.match((error as LogError).message, message);
  return true;
};

/** A closed log of many pages. */
function makeLog(folder: string, events = 200): string {
  const path = join(folder, 'log.db');
  const log = openLog(path);
  const epoch = log.acquireEpoch('test');
  log.append(batchOf('r1', 0, epoch, ['run.started', startedData()]));
  for (let seq = 1; seq < events; seq++) log.append(batchOf('r1', seq, epoch, noteStep(1_000)));
  log.close();
  return path;
}

const readAll = (path: string): number => {
  const log = openLog(path, { readonly: true });
  try {
    return [...log.readBodies('r1')].length;
  } finally {
    log.close();
  }
};

test('tells a truncated log, for readers and writers', () =>
  withTempFolder(async (folder) => {
    const path = makeLog(folder);
    truncateSync(path, Math.floor(readFileSync(path).length / 2));
    assert.throws(() => readAll(path), fails('corrupt', /keep a copy/));
    assert.throws(() => openLog(path), fails('corrupt', /keep a copy/));
  }));

test('tells a log with overwritten pages', () =>
  withTempFolder(async (folder) => {
    const path = makeLog(folder);
    const fd = openSync(path, 'r+');
    for (let page = 2; page < 40; page++) writeSync(fd, Buffer.alloc(4_096, 0xa5), 0, 4_096, page * 4_096);
    closeSync(fd);
    assert.throws(() => readAll(path), fails('corrupt', /is damaged/));
  }));

test('tells a file that is no database, and one of another program', () =>
  withTempFolder(async (folder) => {
    const text = join(folder, 'text.db');
    writeFileSync(text, 'dear diary '.repeat(100));
    assert.throws(() => openLog(text), fails('corrupt', /not a database/));
    assert.throws(() => openLog(text, { readonly: true }), fails('corrupt', /not a database/));
    const other = join(folder, 'other.db');
    const db = new Database(other);
    db.exec('CREATE TABLE t(x)');
    db.close();
    const before = readFileSync(other);
    assert.throws(() => openLog(other), fails('corrupt', /no log of atesor/));
    assert.throws(() => openLog(other, { readonly: true }), fails('corrupt', /no log of atesor/));
    assert.equal(readFileSync(other), before, 'it stays as it was');
    writeFileSync(join(folder, 'empty.db'), '');
    assert.throws(() => openLog(join(folder, 'empty.db'), { readonly: true }), fails('missing', /no log/));
  }));

test('refuses a log with a newer schema', () =>
  withTempFolder(async (folder) => {
    const path = makeLog(folder, 1);
    const db = new Database(path);
    db.pragma('user_version = 99');
    db.close();
    assert.throws(() => openLog(path), fails('unknownVersion', /schema 99/));
    assert.throws(() => readAll(path), fails('unknownVersion', /newer atesor/));
  }));

test('says that the folder is missing, or that the file may not be written', () =>
  withTempFolder(async (folder) => {
    assert.throws(() => openLog(join(folder, 'no', 'log.db')), fails('unwritable', /does not exist/));
    assert.throws(() => openLog(folder), fails('unwritable', /check its folder/));
    if (process.getuid?.() === 0) return; // root may write everything
    const path = makeLog(folder, 1);
    chmodSync(path, 0o400);
    assert.throws(() => openLog(path), fails('unwritable', /permissions/));
  }));

test('says that another process holds the log, after the busy timeout', () =>
  withTempFolder(async (folder) => {
    const path = makeLog(folder, 1);
    const holder = spawn(
      process.execPath,
      [
        '-e',
        `const db = require('better-sqlite3')(process.argv[1]); db.exec('BEGIN IMMEDIATE'); console.log('held'); process.stdin.resume()`,
        path,
      ],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    await once(holder.stdout, 'data');
    const log = openLog(path);
    assert.throws(() => log.acquireEpoch('second'), fails('locked', /another process holds/));
    holder.kill();
    await once(holder, 'exit');
    assert.is(log.acquireEpoch('second'), 2);
    log.close();
  }));

test('tells a full disk, keeps what was committed, and goes on when there is space again', () =>
  withTempFolder(async (folder) => {
    const script = join(import.meta.dirname, '../support/fill-disk.ts');
    const command = `mount -t tmpfs -o size=1m tmpfs "$0" && exec "$1" "$2" "$0"`;
    const map = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
    const run = spawnSync(
      'unshare',
      [...map, '--mount', 'sh', '-c', command, folder, process.execPath, script],
      { encoding: 'utf8', timeout: 60_000 },
    );
    assert.is(run.status, 0, run.stderr);
    const told = JSON.parse(run.stdout) as Record<string, unknown>;
    assert.is(told.appendCode, 'diskFull');
    assert.is(told.queuedCode, 'diskFull');
    assert.is(told.blobCode, 'diskFull');
    assert.is(told.blobLeftovers, 0);
    assert.is(told.versionAfter, told.versionBefore, 'no half-written batch');
    assert.is(told.firstBad, null);
    assert.is(told.versionWithSpace, (told.versionBefore as number) + 1);
  }));

test('gives each failure of the system its code', () => {
  const code = (error: unknown) => asLogError(error, 'log.db').code;
  assert.is(code({ code: 'SQLITE_FULL' }), 'diskFull');
  assert.is(code({ code: 'EDQUOT' }), 'diskFull');
  assert.is(code({ code: 'SQLITE_BUSY_RECOVERY' }), 'locked');
  assert.is(code({ code: 'SQLITE_IOERR_WRITE' }), 'unwritable');
  assert.is(code({ code: 'EROFS' }), 'unwritable');
  assert.is(code('what?'), 'internal');
  assert.is(code(null), 'internal');
  const own = new LogError('blobMissing', 'x');
  assert.is(asLogError(own, 'log.db'), own);
});

/** A log of three events that somebody changed from outside. */
async function auditOfChanged(sql: string, blobs = false): Promise<string> {
  return withTempFolder(async (folder) => {
    const path = makeLog(folder, 3);
    const db = new Database(path);
    db.exec('DROP TRIGGER events_are_never_edited; DROP TRIGGER events_are_never_deleted');
    db.exec(sql);
    db.close();
    const log = openLog(path, { readonly: true });
    try {
      const report = await log.audit('r1', blobs ? openBlobs(join(folder, 'blobs')) : undefined);
      return report.firstBad === null ? 'good' : `${report.firstBad.seq}: ${report.firstBad.problem}`;
    } finally {
      log.close();
    }
  });
}

test('audit finds nothing wrong with a log that nobody changed', async () => {
  assert.is(await auditOfChanged('SELECT 1', true), 'good');
});

test('audit names the first event that was changed, and how it shows', async () => {
  const body = `(SELECT replace(body, 'xxx', 'xyx') FROM events WHERE seq = 2)`;
  assert.match(
    await auditOfChanged(`UPDATE events SET body = ${body} WHERE seq = 2`),
    /^2: hash does not fit/,
  );
  assert.match(
    await auditOfChanged(`UPDATE events SET hash = prev_hash WHERE seq = 2`),
    /^2: hash does not fit/,
  );
  assert.match(await auditOfChanged(`UPDATE events SET prev_hash = hash WHERE seq = 3`), /^3: prevHash/);
  assert.match(
    await auditOfChanged(`UPDATE runs SET head_hash = 'x'`),
    /^3: the run list says 3 events with head x/,
  );
  assert.match(await auditOfChanged(`UPDATE runs SET version = 2`), /^2: the run list says/);
});

test('audit finds an event whose hash was made to fit', async () => {
  const forge = (body: string) => {
    const hash = sha256(`${'0'.repeat(64)}${body}`);
    return `UPDATE events SET body = '${body}', hash = '${hash}' WHERE seq = 1;`;
  };
  assert.match(await auditOfChanged(forge('{"no json')), /^1: body cannot be read/);
  assert.match(
    await auditOfChanged(forge('{"type":"run.started","version":1}')),
    /^1: seq must be 1|^1: runId/,
  );
});

test('a missing event is damage, also for readers', async () => {
  await withTempFolder(async (folder) => {
    const path = makeLog(folder, 3);
    const db = new Database(path);
    db.exec('DROP TRIGGER events_are_never_deleted; DELETE FROM events WHERE seq = 2');
    db.close();
    assert.throws(() => readAll(path), fails('corrupt', /has 2 of the events 1 to 3/));
  });
});

test('an event that is no JSON is damage', async () => {
  await withTempFolder(async (folder) => {
    const path = makeLog(folder, 2);
    const db = new Database(path);
    db.exec(`DROP TRIGGER events_are_never_edited; UPDATE events SET body = '{' WHERE seq = 2`);
    db.close();
    assert.throws(() => readAll(path), fails('corrupt', /event 2 of run r1/));
  });
});

test('a run that is its own parent is damage, and no endless loop', async () => {
  await withTempFolder(async (folder) => {
    const path = makeLog(folder, 2);
    const db = new Database(path);
    db.exec(`UPDATE runs SET parent = 'r1', parent_seq = 1`);
    db.close();
    assert.throws(() => readAll(path), fails('corrupt', /fork of over/));
  });
});

test('audit checks the blobs that events name', () =>
  withTempFolder(async (folder) => {
    const blobs = openBlobs(join(folder, 'blobs'));
    const digest = await blobs.put(Buffer.from('output'));
    const log: EventLog = openLog(join(folder, 'log.db'));
    const epoch = log.acquireEpoch('test');
    const output = (blob: string) => ({
      stdout: { blob, size: 6, head: '', tail: '' },
      list: [{ bundle: digest }],
    });
    const answer = (effectId: string, blob: string) =>
      ['effect.succeeded', { effectId, name: 'runCommand', output: output(blob) }] as const;
    const request = [
      'effect.requested',
      { name: 'runCommand', capability: 'build', input: {}, deadline: 1, invoke: 'c' },
    ] as const;
    log.append(batchOf('r1', 0, epoch, ['run.started', startedData()], [...request], [...request]));
    log.append(batchOf('r1', 3, epoch, [...answer('r1-2', digest)]));
    const good = await log.audit('r1', blobs);
    assert.equal([good.firstBad, good.blobs, good.events], [null, 1, 4]);
    log.append(batchOf('r1', 4, epoch, [...answer('r1-3', 'f'.repeat(64))]));
    const bad = await log.audit('r1', blobs);
    assert.is(bad.firstBad?.seq, 5);
    assert.match(bad.firstBad?.problem ?? '', /blob f+ is not in/);
    assert.is((await log.audit('r1')).firstBad, null, 'without a blob store only the log is checked');
    log.close();
  }));

test.run();
