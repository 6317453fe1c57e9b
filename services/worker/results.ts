/** Publishes an outcome until the server has it, whatever happens to server and connection meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { NatsLink } from '../nats/link.ts';
import { encode, type ResultMessage } from '../protocol.ts';

const ackTimeoutMs = 2_000;
/** Between two tries, ms: doubled from the first to the last. */
const waitsMs = { first: 50, last: 2_000 };
/** Room in a message for what is around an answer, bytes. */
const envelopeBytes = 4_096;

/**
 * Settles when the result is stored or `signal` fires. `make` is called for each try: subject and token may change
 * when another process becomes the host.
 */
export async function publishResult(
  { link }: { link: NatsLink },
  make: () => { subject: string; result: ResultMessage },
  signal: AbortSignal,
): Promise<void> {
  for (let waitMs = waitsMs.first; !signal.aborted; waitMs = Math.min(waitMs * 2, waitsMs.last)) {
    const connection = link.current;
    if (connection) {
      const { subject, result } = make();
      try {
        const fitting = fit(result, connection.info?.max_payload ?? Number.POSITIVE_INFINITY);
        // No message id: one that the server had and lost must not be swallowed; the log drops what it has.
        await connection.jetstream().publish(subject, encode(fitting), { timeout: ackTimeoutMs });
        return;
      } catch {
        // no server, no stream or no answer in time: the next try finds out
      }
    }
    await sleep(waitMs, undefined, { signal }).catch(() => {});
  }
}

/** An answer that no message can hold is a fault of ours, and said as one rather than never. */
function fit(result: ResultMessage, payloadMax: number): ResultMessage {
  const bytes = encode(result).byteLength;
  if (bytes + envelopeBytes <= payloadMax) return result;
  const message = `the answer of ${result.name} has ${bytes} bytes, the server takes ${payloadMax}: raise max_payload`;
  return { ...result, outcome: { ok: false, error: { code: 'internal', message, retryable: false } } };
}
