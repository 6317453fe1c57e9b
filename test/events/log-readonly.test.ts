/** L6: a log opened read-only changes no byte in its folder, whatever state the folder is in. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sha256 } from '../../events/hash.ts';
import { openLog } from '../../events/log.ts';
import { LogError } from '../../events/log-error.ts';
import { batchOf, noteStep, startedData } from '../support/sample-events.ts';
import { withTempFolder } from '../support/temp-folder.ts';

/** Names, digests and times of change of all files: equal only when nothing was written. */
function pictureOf(folder: string): string[] {
  return readdirSync(folder)
    .sort()
    .map((name) => {
      const path = join(folder, name);
      return `${name} ${sha256(readFileSync(path))} ${statSync(path).mtimeMs}`;
    });
}

function readAll(path: string, runId = 'r1'): number {
  const log = openLog(path, { readonly: true });
  try {
    assert.is(log.findRun(runId).version, log.version(runId));
    return [...log.readBodies(runId)].length;
  } finally {
    log.close();
  }
}

function write(path: string, events: number): void {
  const log = openLog(path);
  const epoch = log.acquireEpoch('test');
  const from = log.version('r1');
  for (let seq = from; seq < from + events; seq++)
    log.append(batchOf('r1', seq, epoch, seq === 0 ? ['run.started', startedData()] : noteStep()));
  log.close();
}

/** A writer in a process of its own, which appends one event for each line it is sent and then answers. */
async function startWriter(path: string) {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../support/log-writer.ts'), path, 'r1'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const answers = child.stdout[Symbol.asyncIterator]();
  await answers.next();
  return {
    append: async () => {
      child.stdin.write('append\n');
      await answers.next();
    },
    kill: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
    end: async () => {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}

test('[L6] leaves no trace in the folder of a log that nobody writes', () =>
  withTempFolder(async (folder) => {
    const path = join(folder, 'log.db');
    write(path, 3);
    const before = pictureOf(folder);
    assert.is(before.length, 1, 'the writer took -wal and -shm away');
    assert.is(readAll(path), 3);
    assert.equal(pictureOf(folder), before);
  }));

test('[L6] reads a folder that it may not write', () =>
  withTempFolder(async (folder) => {
    const home = join(folder, 'with a blank, # and %');
    mkdirSync(home);
    const path = join(home, 'log.db');
    write(path, 2);
    chmodSync(path, 0o400);
    chmodSync(home, 0o500);
    assert.is(readAll(path), 2);
    chmodSync(home, 0o700);
  }));

test('[L6] leaves no trace in the folder of a writer that was killed, and reads what it committed', () =>
  withTempFolder(async (folder) => {
    const path = join(folder, 'log.db');
    const writer = await startWriter(path);
    for (let i = 0; i < 3; i++) await writer.append();
    await writer.kill();
    const before = pictureOf(folder);
    assert.is(before.length, 3, '-wal and -shm are left');
    assert.is(readAll(path), 3);
    assert.equal(pictureOf(folder), before);
    write(path, 1);
    assert.is(readAll(path), 4);
  }));

test('[L6] reads a copy of a killed writer’s folder without its -shm, and leaves nothing in the temporary folder', () =>
  withTempFolder(async (folder) => {
    const path = join(folder, 'log.db');
    const writer = await startWriter(path);
    for (let i = 0; i < 3; i++) await writer.append();
    await writer.kill();
    rmSync(`${path}-shm`);
    const before = pictureOf(folder);
    const copies = () => readdirSync(tmpdir()).filter((name) => name.startsWith('atesor-log-')).length;
    const copiesBefore = copies();
    assert.is(readAll(path), 3);
    assert.equal(pictureOf(folder), before);
    assert.is(copies(), copiesBefore);
  }));

test('[L6] leaves no trace while another process writes, and sees its latest commit', () =>
  withTempFolder(async (folder) => {
    const path = join(folder, 'log.db');
    const writer = await startWriter(path);
    for (let events = 1; events <= 5; events++) {
      await writer.append();
      const before = pictureOf(folder);
      assert.is(readAll(path), events);
      assert.equal(pictureOf(folder), before);
    }
    await writer.end();
    assert.is(readAll(path), 5);
    assert.not(existsSync(`${path}-wal`), 'no reader was in the way of the last checkpoint');
  }));

test('sees what a writer appends that came after it', () =>
  withTempFolder(async (folder) => {
    const path = join(folder, 'log.db');
    write(path, 1);
    const log = openLog(path, { readonly: true });
    assert.is(log.version('r1'), 1);
    write(path, 300);
    assert.is(log.version('r1'), 301, 'it came and went');
    const writer = await startWriter(path);
    await writer.append();
    assert.is(log.version('r1'), 302, 'it is still there');
    await writer.append();
    assert.is([...log.readBodies('r1')].length, 303);
    log.close();
    log.close();
    await writer.end();
  }));

test('lets a writer open the log in the same process, before and after', () =>
  withTempFolder(async (folder) => {
    const path = join(folder, 'log.db');
    const killed = await startWriter(path);
    await killed.append();
    await killed.kill();
    const reader = openLog(path, { readonly: true });
    assert.is(reader.version('r1'), 1);
    write(path, 2);
    assert.is(reader.version('r1'), 3);
    const log = openLog(path);
    const inside = openLog(path, { readonly: true });
    const epoch = log.acquireEpoch('test');
    log.append(batchOf('r1', 3, epoch, noteStep()));
    assert.is(inside.version('r1'), 4);
    inside.close();
    reader.close();
    log.append(batchOf('r1', 4, epoch, noteStep()));
    log.close();
    assert.is(readAll(path), 5);
  }));

test('says that there is no log yet, and makes none', () =>
  withTempFolder(async (folder) => {
    const path = join(folder, 'log.db');
    assert.throws(
      () => openLog(path, { readonly: true }),
      (error: unknown) => error instanceof LogError && error.code === 'missing',
    );
    assert.equal(readdirSync(folder), []);
  }));

test('reads a plain copy of the file', () =>
  withTempFolder(async (folder) => {
    const path = join(folder, 'log.db');
    write(path, 2);
    copyFileSync(path, join(folder, 'copy.db'));
    assert.is(readAll(join(folder, 'copy.db')), 2);
  }));

test.run();
