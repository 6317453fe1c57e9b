/** How a blob gets onto the disk: temporary file → fsync → rename → fsync of the folder. */
import { createHash, type Hash, randomUUID } from 'node:crypto';
import { constants, createWriteStream } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress } from 'node:zlib';
import { blobPath } from './blob-path.ts';

/** Writes chunks into the store at `folder` in bounded memory. Leaves nothing behind when it fails. */
export async function writeBlob(
  folder: string,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<{ digest: string; size: number }> {
  const temporary = join(folder, 'tmp', randomUUID());
  const hash = createHash('sha256');
  const count = { bytes: 0 };
  try {
    await pipeline(
      hashed(chunks, hash, count),
      createZstdCompress(),
      createWriteStream(temporary, { flags: 'wx', flush: true }),
    );
    const digest = hash.digest('hex');
    // Also over one that is there: it may be damaged, or not yet synced by somebody else.
    await moveInto(blobPath(folder, digest), temporary);
    return { digest, size: count.bytes };
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function* hashed(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  hash: Hash,
  count: { bytes: number },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    hash.update(chunk);
    count.bytes += chunk.length;
    yield chunk;
  }
}

async function moveInto(path: string, temporary: string): Promise<void> {
  const folder = dirname(path);
  const fresh = await mkdir(folder, { recursive: true });
  await rename(temporary, path);
  await syncFolder(folder);
  // A folder that was just made is itself an entry that must survive.
  if (fresh !== undefined) await syncFolder(dirname(folder));
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
