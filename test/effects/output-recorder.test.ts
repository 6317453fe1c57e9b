import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openBlobs } from '../../events/blobs.ts';
import { readTextRef } from '../../events/text-ref.ts';
import { recordOutput } from '../../services/effects/output-recorder.ts';
import { redactedMark } from '../../services/redact.ts';
import { withTempFolder } from '../support/temp-folder.ts';

const secret = `ghp_${'a1B2'.repeat(9)}`;

test('cleans output that comes in any pieces, keeps the rest byte for byte, and picks the lines', async () => {
  await withTempFolder(async (folder) => {
    const blobs = openBlobs(folder);
    const live: string[] = [];
    const output = recordOutput({ blobs, emit: ({ text }) => void live.push(text) });
    const bytes = Buffer.from(`start ü ${secret} end\nmain.c:1:1: error: bad\nno line end`);
    for (const byte of bytes) output.onOutput('stderr', Uint8Array.of(byte));
    output.onOutput('stdout', Uint8Array.of(0xff, 0xfe, 0x0a));
    const { stdout, stderr, lines } = await output.end();
    assert.is(stderr.head, `start ü ${redactedMark} end\nmain.c:1:1: error: bad\nno line end`);
    assert.equal(Buffer.from(await readTextRef(blobs, stdout)), Buffer.of(0xff, 0xfe, 0x0a));
    assert.equal(lines, [{ line: 2, stream: 'stderr', tool: 'gcc', text: 'main.c:1:1: error: bad' }]);
    assert.ok(live.includes(`start ü ${redactedMark} end`));
  });
});

test('long output goes to the blob store without being held in memory', async () => {
  await withTempFolder(async (folder) => {
    const blobs = openBlobs(folder);
    const output = recordOutput({ blobs, emit: () => {} });
    const line = Buffer.from(`${'x'.repeat(99)}\n`);
    const piece = Buffer.concat(Array.from({ length: 1000 }, () => line));
    for (let n = 0; n < 200; n++) {
      output.onOutput('stdout', piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { stdout } = await output.end();
    assert.is(stdout.size, 20_000_000);
    assert.ok(stdout.blob !== null && blobs.has(stdout.blob));
    assert.ok(stdout.head.length <= 2048 && stdout.tail.length <= 4096);
  });
});

test('a line without end is taken in pieces', async () => {
  await withTempFolder(async (folder) => {
    const blobs = openBlobs(folder);
    const output = recordOutput({ blobs, emit: () => {} });
    output.onOutput('stdout', Buffer.alloc(300_000, 'y'));
    const { stdout } = await output.end();
    assert.is(stdout.size, 300_000);
  });
});

test.run();
