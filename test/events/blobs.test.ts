import { existsSync, readdirSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { blobPath } from '../../events/blob-path.ts';
import { type BlobFolder, openBlobReader, openBlobs } from '../../events/blobs.ts';
import { sha256 } from '../../events/hash.ts';
import { LogError, type LogErrorCode } from '../../events/log-error.ts';
import type { BlobStore } from '../../services/effects/handler.ts';
import { withTempFolder } from '../support/temp-folder.ts';

const withBlobs = (work: (blobs: BlobFolder, folder: string) => Promise<void>) => () =>
  withTempFolder((folder) => work(openBlobs(join(folder, 'blobs')), join(folder, 'blobs')));

async function failsWith(code: LogErrorCode, work: () => Promise<unknown>): Promise<void> {
  const error = await work().then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.instance(error, LogError);
  assert.is((error as LogError).code, code);
}

const leftovers = (folder: string) => readdirSync(join(folder, 'tmp'));

test(
  'gives back what it was given, under the digest of the bytes',
  withBlobs(async (blobs, folder) => {
    const store: BlobStore = blobs;
    const bytes = Buffer.from('hello '.repeat(10_000));
    const digest = await store.put(bytes);
    assert.is(digest, sha256(bytes));
    assert.ok(store.has(digest));
    assert.equal(Buffer.from(await store.get(digest)), bytes);
    assert.is(await blobs.verify(digest), bytes.length);
    assert.ok(statSync(blobPath(folder, digest)).size < 1_000, 'it is compressed');
    assert.equal(leftovers(folder), []);
  }),
);

test(
  'stores nothing at all, too',
  withBlobs(async (blobs) => {
    assert.is((await blobs.get(await blobs.put(new Uint8Array()))).length, 0);
  }),
);

test(
  'stores the same twice once, also side by side',
  withBlobs(async (blobs, folder) => {
    const bytes = Buffer.from('same');
    const digests = await Promise.all(Array.from({ length: 8 }, () => blobs.put(bytes)));
    assert.is(new Set(digests).size, 1);
    assert.equal(leftovers(folder), []);
    assert.equal(Buffer.from(await blobs.get(digests[0] as string)), bytes);
  }),
);

test(
  'stores a file',
  withBlobs(async (blobs, folder) => {
    writeFileSync(join(folder, 'file'), 'of this');
    assert.is(await blobs.putFile(join(folder, 'file')), sha256('of this'));
    await failsWith('unwritable', () => blobs.putFile(join(folder, 'nothing')));
  }),
);

test(
  'stores a stream of 200 MB in bounded memory',
  withBlobs(async (blobs) => {
    const chunk = Buffer.alloc(1_000_000, 'x');
    global.gc?.();
    const before = process.memoryUsage().rss;
    let peak = 0;
    const stored = await blobs.putStream(
      (function* () {
        for (let i = 0; i < 200; i++) {
          peak = Math.max(peak, process.memoryUsage().rss);
          yield chunk;
        }
      })(),
    );
    assert.is(stored.size, 200_000_000);
    assert.ok(peak - before < 100_000_000, `grew by ${peak - before} bytes`);
    assert.is(await blobs.verify(stored.digest), 200_000_000);
  }),
);

test(
  'leaves nothing behind when the source fails',
  withBlobs(async (blobs, folder) => {
    const failing = (async function* () {
      yield Buffer.from('half');
      throw new Error('source gone');
    })();
    await failsWith('internal', () => blobs.putStream(failing));
    assert.equal(leftovers(folder), []);
  }),
);

test(
  'tells a missing blob and a digest that is none',
  withBlobs(async (blobs) => {
    const digest = 'a'.repeat(64);
    assert.not(blobs.has(digest));
    await failsWith('blobMissing', () => blobs.get(digest));
    assert.throws(() => blobs.stream(digest), /restore it from a backup/);
    assert.throws(() => blobs.has('../../etc/passwd'), /no sha256/);
  }),
);

test(
  'tells a blob that was cut off, overwritten, or exchanged',
  withBlobs(async (blobs, folder) => {
    const digest = await blobs.put(Buffer.from('hello '.repeat(10_000)));
    const path = blobPath(folder, digest);
    const size = statSync(path).size;
    writeFileSync(path, zstdCompressSync(Buffer.from('other')));
    await failsWith('blobCorrupt', () => blobs.get(digest));
    writeFileSync(path, 'no zstd at all');
    await failsWith('blobCorrupt', () => blobs.verify(digest));
    writeFileSync(path, zstdCompressSync(Buffer.from('hello '.repeat(10_000))));
    truncateSync(path, size - 5);
    await failsWith('blobCorrupt', () => blobs.get(digest));
  }),
);

test(
  'heals a damaged blob when the same bytes are stored again',
  withBlobs(async (blobs, folder) => {
    const bytes = Buffer.from('hello '.repeat(10_000));
    const digest = await blobs.put(bytes);
    truncateSync(blobPath(folder, digest), 0);
    await failsWith('blobCorrupt', () => blobs.verify(digest));
    await blobs.put(bytes);
    assert.is(await blobs.verify(digest), bytes.length);
  }),
);

test(
  'removes what killed writers left a day ago, and nothing younger',
  withBlobs(async (_, folder) => {
    for (const name of ['old', 'young']) writeFileSync(join(folder, 'tmp', name), 'half');
    const dayAgo = Date.now() / 1_000 - 25 * 3_600;
    utimesSync(join(folder, 'tmp', 'old'), dayAgo, dayAgo);
    openBlobs(folder);
    assert.equal(leftovers(folder), ['young']);
  }),
);

test('a reader makes nothing', () =>
  withTempFolder(async (folder) => {
    const reader = openBlobReader(join(folder, 'blobs'));
    assert.not(reader.has('a'.repeat(64)));
    assert.not(existsSync(join(folder, 'blobs')));
  }));

test('says that its folder cannot be made', () =>
  withTempFolder(async (folder) => {
    writeFileSync(join(folder, 'blobs'), 'a file');
    assert.throws(() => openBlobs(join(folder, 'blobs')), /check its folder/);
  }));

test.run();
