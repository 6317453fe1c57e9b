/** Live events come without their place in the hash chain; whoever has seen a run from its first can put it on. */
import { canonicalJson } from '../../events/canonical-json.ts';
import type { AnyEvent, EventEnvelope } from '../../events/envelope.ts';
import { chainHash, firstPrevHash } from '../../events/hash.ts';

/** Makes envelopes of one run's events, given in order from the first; the hashes are those of the log. */
export const envelopeMaker = (): ((event: AnyEvent) => EventEnvelope) => {
  let head = firstPrevHash;
  return (event) => {
    const prevHash = head;
    head = chainHash(prevHash, canonicalJson(event));
    return { ...event, prevHash, hash: head };
  };
};
