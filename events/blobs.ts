/**
 * Content-addressed store of what is too long for an event: `<folder>/sha256/ab/<digest>`, zstd-compressed.
 * The digest is of the bytes as given, so it says the same whatever the compression.
 *
 * A blob is written to a file of its own, synced, renamed into place and its folder synced, before its digest
 * is given out: an event never names a blob that a power cut can take away. Storing twice is harmless.
 */

import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';
import { blobPath } from './blob-path.ts';
import { writeBlob } from './blob-write.ts';
import { asLogError, LogError } from './log-error.ts';

/** Bytes that `get` holds in memory at most; longer blobs are for `stream`. 256 MiB: a source bundle fits. */
export const blobGetBytesMax = 256 * 1024 * 1024;

/** Age of a temporary file that its writer must have left behind, ms. */
const leftoverAgeMs = 24 * 3_600_000;

export interface BlobReader {
  has(digest: string): boolean;
  /** The bytes, checked against the digest. @throws LogError `blobMissing`, `blobCorrupt` */
  get(digest: string): Promise<Uint8Array>;
  /** The bytes as a stream, not checked: `verify` first where it matters. @throws LogError `blobMissing` */
  stream(digest: string): Readable;
  /** Reads the whole blob and checks it, in bounded memory; its size in bytes. @throws LogError */
  verify(digest: string): Promise<number>;
}

export interface BlobFolder extends BlobReader {
  /** Stores bytes and returns their sha256 in hex. Durable before it returns. @throws LogError `diskFull` */
  put(bytes: Uint8Array): Promise<string>;
  putFile(path: string): Promise<string>;
  /** Stores a stream in bounded memory. */
  putStream(
    chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): Promise<{ digest: string; size: number }>;
}

/** The store in `folder` for reading; nothing is made or changed. A folder that is not there holds nothing. */
export function openBlobReader(folder: string): BlobReader {
  const has = (digest: string) => existsSync(blobPath(folder, digest));
  const stream = (digest: string): Readable => {
    if (!has(digest)) throw missing(folder, digest);
    const file = createReadStream(blobPath(folder, digest));
    const plain = createZstdDecompress();
    pipeline(file, plain).catch((error: Error) => plain.destroy(error));
    return plain;
  };
  const consume = async (digest: string, take: (chunk: Buffer) => void): Promise<number> => {
    const hash = createHash('sha256');
    let size = 0;
    try {
      for await (const chunk of stream(digest) as AsyncIterable<Buffer>) {
        hash.update(chunk);
        size += chunk.length;
        take(chunk);
      }
    } catch (error) {
      if (error instanceof LogError) throw error;
      throw corrupt(folder, digest, (error as Error).message, error);
    }
    const actual = hash.digest('hex');
    if (actual !== digest) throw corrupt(folder, digest, `its bytes have the digest ${actual}`);
    return size;
  };
  return {
    has,
    stream,
    verify: (digest) => consume(digest, () => {}),
    get: async (digest) => {
      const parts: Buffer[] = [];
      let size = 0;
      await consume(digest, (chunk) => {
        size += chunk.length;
        if (size > blobGetBytesMax)
          throw new LogError(
            'blobCorrupt',
            `blob ${digest} is over ${blobGetBytesMax} bytes: read it as a stream`,
          );
        parts.push(chunk);
      });
      return Buffer.concat(parts);
    },
  };
}

/** The store in `folder` for reading and writing; makes the folder. @throws LogError `unwritable`, `diskFull` */
export function openBlobs(folder: string): BlobFolder {
  const reader = openBlobReader(folder);
  try {
    mkdirSync(join(folder, 'tmp'), { recursive: true });
    sweep(join(folder, 'tmp'));
  } catch (error) {
    throw asLogError(error, folder);
  }
  const putStream: BlobFolder['putStream'] = async (chunks) => {
    try {
      return await writeBlob(folder, chunks);
    } catch (error) {
      throw asLogError(error, folder);
    }
  };
  return {
    ...reader,
    putStream,
    put: async (bytes) => (await putStream([bytes])).digest,
    putFile: async (path) => {
      const file = await open(path, 'r').catch((error: unknown) => {
        throw asLogError(error, path);
      });
      // The stream closes the file, also when storing fails.
      return (await putStream(file.createReadStream())).digest;
    },
  };
}

/** Removes what writers left that were killed. A file this old belongs to nobody: no blob takes a day to write. */
function sweep(temporary: string): void {
  for (const name of readdirSync(temporary)) {
    const path = join(temporary, name);
    const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - written > leftoverAgeMs) rmSync(path, { force: true });
  }
}

const missing = (folder: string, digest: string) =>
  new LogError(
    'blobMissing',
    `blob ${digest} is not in ${folder}: restore it from a backup of the data folder`,
  );

const corrupt = (folder: string, digest: string, why: string, cause?: unknown) =>
  new LogError(
    'blobCorrupt',
    `blob ${digest} in ${folder} is damaged (${why}): restore it from a backup of the data folder`,
    { cause },
  );
