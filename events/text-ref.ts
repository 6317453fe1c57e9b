/** Text of any length as an event carries it: whole when short, else its ends and the digest of the whole. */
import { PassThrough } from 'node:stream';
import type { BlobFolder, BlobReader } from './blobs.ts';
import type { TextRef } from './records.ts';

/** Text up to this many bytes stands whole in `head`. Source: design, Events: 8 KiB. */
export const wholeBytesMax = 8 * 1024;
/** Ends of longer text, bytes. Source: design §11, long output. */
export const headBytesMax = 2 * 1024;
export const tailBytesMax = 4 * 1024;

export interface TextRefWriter {
  /** Takes the next bytes. Wait for it: it holds back a source that is faster than the disk. */
  write(chunk: Uint8Array): Promise<void>;
  /** The reference, when everything is durable. @throws LogError `diskFull` */
  end(): Promise<TextRef>;
  /** Gives up and leaves nothing behind. */
  abort(): Promise<void>;
}

/**
 * Collects a stream of bytes into a `TextRef` in bounded memory (about 16 KiB and the compressor's window).
 * Bytes that are no UTF-8 are kept as they are in a blob, also when they are short; the ends show U+FFFD for them.
 */
export function textRefWriter(blobs: Pick<BlobFolder, 'putStream'>): TextRefWriter {
  let size = 0;
  let start: Buffer = Buffer.alloc(0);
  const end = lastBytes();
  let spill: Spill | null = null;

  const write = async (chunk: Uint8Array): Promise<void> => {
    size += chunk.length;
    end.take(chunk);
    if (spill !== null) return spill.write(chunk);
    start = Buffer.concat([start, chunk.subarray(0, wholeBytesMax + 1 - start.length)]);
    if (size <= wholeBytesMax) return;
    spill = openSpill(blobs);
    // `start` may hold the beginning of this chunk already.
    const before = size - chunk.length;
    await spill.write(start.subarray(0, before));
    await spill.write(chunk);
  };
  return {
    write,
    abort: async () => spill?.abort(),
    end: async () => {
      if (spill === null && isUtf8(start)) return { size, blob: null, head: start.toString(), tail: '' };
      spill ??= await spillOf(blobs, start);
      const blob = await spill.end();
      const rest = size - headBytesMax;
      return {
        size,
        blob,
        head: cutEnd(start.subarray(0, headBytesMax)),
        // The ends never overlap: what the head shows is not shown again.
        tail: rest <= 0 ? '' : cutStart(end.get(rest), rest > tailBytesMax),
      };
    },
  };
}

/** A `TextRef` of text or bytes that are at hand. */
export async function textRefOf(
  blobs: Pick<BlobFolder, 'putStream'>,
  text: string | Uint8Array,
): Promise<TextRef> {
  const writer = textRefWriter(blobs);
  await writer.write(typeof text === 'string' ? Buffer.from(text) : text);
  return writer.end();
}

/** The whole bytes of a reference. @throws LogError `blobMissing`, `blobCorrupt` */
export async function readTextRef(blobs: Pick<BlobReader, 'get'>, ref: TextRef): Promise<Uint8Array> {
  return ref.blob === null ? Buffer.from(ref.head) : blobs.get(ref.blob);
}

interface Spill {
  write(chunk: Uint8Array): Promise<void>;
  end(): Promise<string>;
  abort(): Promise<void>;
}

function openSpill(blobs: Pick<BlobFolder, 'putStream'>): Spill {
  const pipe = new PassThrough();
  const stored = blobs.putStream(pipe);
  // A failure is told by the next write or by `end`, never as an unhandled rejection.
  const failed = stored.then(
    () => undefined,
    (error: unknown) => error,
  );
  return {
    write: async (chunk) => {
      // Copied, because the caller may use its chunk again before it is written.
      if (chunk.length === 0 || pipe.write(Buffer.from(chunk))) return;
      const drained = new Promise<void>((resolve) => pipe.once('drain', () => resolve()));
      const error = await Promise.race([drained, failed]);
      if (error !== undefined) throw error;
    },
    end: async () => {
      pipe.end();
      return (await stored).digest;
    },
    abort: async () => {
      pipe.destroy(new Error('given up'));
      await failed;
    },
  };
}

async function spillOf(blobs: Pick<BlobFolder, 'putStream'>, bytes: Uint8Array): Promise<Spill> {
  const spill = openSpill(blobs);
  await spill.write(bytes);
  return spill;
}

/** Keeps the last `tailBytesMax` bytes of what it takes; copies at most twice per byte, however small the chunks. */
function lastBytes() {
  let kept: Buffer[] = [];
  let bytes = 0;
  const compact = () => {
    const all = Buffer.concat(kept);
    kept = [all.subarray(Math.max(0, all.length - tailBytesMax))];
    bytes = kept[0]?.length ?? 0;
  };
  return {
    take(chunk: Uint8Array): void {
      // Copied, because the caller may use its chunk again.
      const last = Buffer.from(chunk.subarray(Math.max(0, chunk.length - tailBytesMax)));
      kept.push(last);
      bytes += last.length;
      if (bytes > 4 * tailBytesMax) compact();
    },
    get(count: number): Buffer {
      compact();
      const all = kept[0] as Buffer;
      return all.subarray(Math.max(0, all.length - count));
    },
  };
}

const isUtf8 = (bytes: Buffer): boolean => Buffer.from(bytes.toString()).equals(bytes);

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** Text of bytes that go on: a character that is cut off at the end is left out. */
function cutEnd(bytes: Buffer): string {
  let lead = bytes.length - 1;
  // A character has at most 3 continuation bytes.
  for (let back = 0; back < 3 && isContinuation(bytes[lead]); back++) lead--;
  const first = bytes[lead] ?? 0;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return bytes.subarray(0, lead + length > bytes.length ? lead : bytes.length).toString();
}

/** Text of bytes that begin anywhere: the rest of a cut-off character at the start is left out. */
function cutStart(bytes: Buffer, cut: boolean): string {
  let from = 0;
  if (cut) for (let ahead = 0; ahead < 3 && isContinuation(bytes[from]); ahead++) from++;
  return bytes.subarray(from).toString();
}
