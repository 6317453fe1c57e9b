import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type BlobFolder, openBlobs } from '../../events/blobs.ts';
import type { TextRef } from '../../events/records.ts';
import {
  headBytesMax,
  readTextRef,
  tailBytesMax,
  textRefOf,
  textRefWriter,
  wholeBytesMax,
} from '../../events/text-ref.ts';
import { withTempFolder } from '../support/temp-folder.ts';

const withBlobs = (work: (blobs: BlobFolder, folder: string) => Promise<void>) => () =>
  withTempFolder((folder) => work(openBlobs(join(folder, 'blobs')), join(folder, 'blobs')));

/** Feeds `bytes` in pieces of the given sizes, over and over. */
async function refInPieces(blobs: BlobFolder, bytes: Buffer, sizes: number[]): Promise<TextRef> {
  const writer = textRefWriter(blobs);
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] as number;
    // The same buffer again and again, as a pipe's reader may do.
    await writer.write(Buffer.from(bytes.subarray(at, at + size)));
    at += size;
  }
  return writer.end();
}

const sizes = fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1, maxLength: 5 });
/** Text with characters of 1 to 4 bytes, up to about 30 KiB. */
const text = fc
  .tuple(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }), fc.integer({ min: 1, max: 100 }))
  .map(([part, times]) => part.repeat(times).toWellFormed());

test(
  'keeps every byte of text, whatever pieces it comes in',
  withBlobs((blobs) =>
    fc.assert(
      fc.asyncProperty(text, sizes, async (whole, pieces) => {
        const bytes = Buffer.from(whole);
        const ref = await refInPieces(blobs, bytes, pieces);
        assert.is(ref.size, bytes.length);
        assert.equal(Buffer.from(await readTextRef(blobs, ref)), bytes);
        if (bytes.length <= wholeBytesMax) {
          assert.equal(ref, { size: bytes.length, blob: null, head: whole, tail: '' });
          return;
        }
        assert.ok(whole.startsWith(ref.head), 'head begins it');
        assert.ok(whole.endsWith(ref.tail), 'tail ends it');
        const cuts = [headBytesMax - Buffer.byteLength(ref.head), tailBytesMax - Buffer.byteLength(ref.tail)];
        for (const cut of cuts) assert.ok(cut >= 0 && cut <= 3, `cut off ${cut} bytes`);
      }),
      { numRuns: 60 },
    ),
  ),
);

test(
  'keeps every byte that is no text, too',
  withBlobs((blobs) =>
    fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 20_000 }), sizes, async (array, pieces) => {
        const bytes = Buffer.from(array);
        const ref = await refInPieces(blobs, bytes, pieces);
        assert.is(ref.size, bytes.length);
        assert.equal(Buffer.from(await readTextRef(blobs, ref)), bytes);
      }),
      { numRuns: 60 },
    ),
  ),
);

test(
  'tells the limit apart to the byte',
  withBlobs(async (blobs) => {
    assert.is((await textRefOf(blobs, 'x'.repeat(wholeBytesMax))).blob, null);
    const longer = await textRefOf(blobs, 'x'.repeat(wholeBytesMax + 1));
    assert.equal([longer.head.length, longer.tail.length], [headBytesMax, tailBytesMax]);
    assert.equal(await textRefOf(blobs, ''), { size: 0, blob: null, head: '', tail: '' });
    const short = await textRefOf(blobs, Buffer.from([0xff, 0x41]));
    assert.equal([short.head, short.tail, short.size], ['\ufffdA', '', 2]);
    assert.ok(short.blob !== null);
  }),
);

test(
  'leaves nothing behind when it is given up',
  withBlobs(async (blobs, folder) => {
    const unused = textRefWriter(blobs);
    await unused.abort();
    const writer = textRefWriter(blobs);
    await writer.write(Buffer.alloc(100_000, 'x'));
    await writer.abort();
    assert.equal(readdirSync(join(folder, 'tmp')), []);
  }),
);

test('tells a store that fails, at a write or at the end', async () => {
  const failing = { putStream: async () => Promise.reject(new Error('no space')) };
  const writer = textRefWriter(failing);
  const write = async () => {
    for (let i = 0; i < 100; i++) await writer.write(Buffer.alloc(100_000));
    await writer.end();
  };
  const error = await write().then(
    () => null,
    (reason: Error) => reason,
  );
  assert.is(error?.message, 'no space');
});

test.run();
