import { join } from 'node:path';
import { LogError } from './log-error.ts';

/** Where a blob stands. @throws LogError `blobMissing` for a text that is no digest */
export function blobPath(folder: string, digest: string): string {
  // A digest comes out of events and messages: nothing else may ever become a path.
  if (!/^[0-9a-f]{64}$/.test(digest)) throw new LogError('blobMissing', `"${digest}" is no sha256 in hex`);
  return join(folder, 'sha256', digest.slice(0, 2), digest);
}
