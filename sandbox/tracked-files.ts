/** Which files of a work tree came with the source, and whether they still are what they were. */
import { createHash, type Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path/posix';
import { SandboxError } from './driver.ts';
import { parseGitIndex, type TrackedFiles } from './git-index.ts';
import { openFileInside, toByteName } from './open-inside.ts';

/** An index of 100,000 files has about 10 MB; a larger one than this is not read. */
const indexBytesMax = 256 * 1024 * 1024;

/**
 * The tracked files of the work tree `repoPath` (absolute inside the tree at the host path `root`), by its git
 * index. null when it has none that can be read: then nothing is known to have come with the source.
 */
export async function readTrackedFiles(root: string, repoPath: string): Promise<TrackedFiles | null> {
  const opened = await openFileInside(root, toByteName(join(repoPath, '.git', 'index')));
  if (opened === null) return null;
  try {
    if (opened.stats.size > indexBytesMax) return null;
    return parseGitIndex(await opened.file.readFile());
  } finally {
    await opened.file.close();
  }
}

export interface FileDigests {
  sha256: string;
  /** Its content is that of the blob asked for. */
  isBlob: boolean;
}

const chunkBytes = 256 * 1024;

/**
 * Reads a file once, as a stream, and says its sha256 and whether it is the blob `blobId` (null: not asked).
 * @throws SandboxError `cancelled` when the signal fires
 */
export async function digestsOf(
  file: FileHandle,
  size: number,
  blobId: string | null,
  signal?: AbortSignal,
): Promise<FileDigests> {
  const sha256 = createHash('sha256');
  const blob = blobId === null ? null : createHash(blobId.length === 64 ? 'sha256' : 'sha1');
  blob?.update(`blob ${size}\0`); // a file that changes meanwhile has another length, and so another id
  const hashes: Hash[] = blob === null ? [sha256] : [sha256, blob];
  const buffer = Buffer.allocUnsafe(chunkBytes);
  for (let offset = 0; offset < size; ) {
    if (signal?.aborted) throw new SandboxError('cancelled', 'reading the built files was stopped');
    const { bytesRead } = await file.read(buffer, 0, Math.min(chunkBytes, size - offset), offset);
    if (bytesRead === 0) break;
    for (const hash of hashes) hash.update(buffer.subarray(0, bytesRead));
    offset += bytesRead;
  }
  return { sha256: sha256.digest('hex'), isBlob: blob !== null && blob.digest('hex') === blobId };
}
