/** The hash chain that makes a run's log tamper-evident. */
import { createHash } from 'node:crypto';

/** `prevHash` of a run's first event. */
export const firstPrevHash = '0'.repeat(64);

/** sha256 in hex over `prevHash` and the stored bytes of the body (its text in UTF-8). */
export function chainHash(prevHash: string, body: string): string {
  return createHash('sha256').update(prevHash).update(body).digest('hex');
}

/** sha256 of bytes, in hex. */
export function sha256(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}
