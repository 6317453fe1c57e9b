/**
 * The rules around every node (seed: `@agent_node`).
 *
 * W1 a rate limit runs the node again, 3 runs at most, after `30 × 2^n` s and at most 15 s more.
 * W2 any other failure, and a third rate limit, records an error and makes the run ESCALATED.
 * W3 `optimize_node` never escalates a finished port and is never run a second time.
 * W4 a run enters nodes at most 120 times (seed: recursion limit of the graph); then it escalates.
 */
import type { AnyFact } from '../events/envelope.ts';
import type { ErrorCategory, NodeName } from '../events/records.ts';
import { fact } from './actor-kit.ts';
import type { EffectErrorCode, EffectFailure } from './effects.ts';
import type { HostedActor } from './host-work.ts';

/** Source: seed, architecture: a node runs 3 times at most. */
const runsMax = 3;
const firstWaitMs = 30_000;
const jitterMaxMs = 15_000;
/** Source: seed, `recursion_limit: 120`. */
const visitsMax = 120;

export const retryTimerReason = 'rate limit of a node';

/** Source: upstream facts §4.2, node wrapper. */
const rateLimitText =
  /rate limit|\b429\b|too many requests|quota exceeded|resource_exhausted|\b402\b|spend limit exceeded|usd spend limit/i;

const categoryOfCode: Record<EffectErrorCode, ErrorCategory> = {
  badSource: 'CONFIGURATION',
  sourceNotFound: 'CONFIGURATION',
  sourceUnreachable: 'NETWORK',
  sandboxUnavailable: 'UNKNOWN',
  sandboxLost: 'UNKNOWN',
  diskFull: 'DISK_SPACE',
  rebuildDiverged: 'UNKNOWN',
  rateLimited: 'RATE_LIMIT',
  timedOut: 'NETWORK',
  denied: 'PERMISSION',
  cancelled: 'UNKNOWN',
  internal: 'UNKNOWN',
};

export const categoryOfFailure = (code: EffectErrorCode): ErrorCategory => categoryOfCode[code] ?? 'UNKNOWN';

export const overVisitLimit = (visits: Partial<Record<NodeName, number>>): boolean =>
  Object.values(visits).reduce((sum, count) => sum + count, 0) >= visitsMax;

/** What follows from a node's failure: facts, and a wait when the node is to run again. */
export function afterFailure(
  runId: string,
  actor: HostedActor,
  failure: EffectFailure,
): { facts: AnyFact[]; waitMs: number | null } {
  const { node, attempt, path } = actor;
  const limited = failure.code === 'rateLimited' || rateLimitText.test(failure.message);
  if (node && limited && attempt < runsMax && node !== 'optimize_node') {
    const waitMs = firstWaitMs * 2 ** (attempt - 1) + jitterOf(`${runId}/${path}/${attempt}`);
    return {
      facts: [fact('actor.retryScheduled', { node, attempt, waitMs, reason: failure.message })],
      waitMs,
    };
  }
  const crashed = fact('actor.crashed', { node, code: failure.code, message: failure.message });
  if (node === 'optimize_node') {
    const optimization = { status: 'error' as const, reason: failure.message };
    return {
      facts: [crashed, fact('optimize.finished', { optimization, machineProfile: null })],
      waitMs: null,
    };
  }
  const category = limited ? 'RATE_LIMIT' : categoryOfFailure(failure.code);
  const error = {
    category,
    seedCategory: category,
    message: `${node ?? path} could not go on: ${failure.message}`,
    severity:
      category === 'DISK_SPACE' || category === 'PERMISSION' ? ('high' as const) : ('medium' as const),
    command: null,
    file: null,
    line: null,
    action: null,
    signature: `${category}|${failure.code}`,
  };
  return { facts: [crashed, fact('error.recorded', { error, keepsLastError: false })], waitMs: null };
}

/**
 * 0 to 15,000 ms, spread over runs and attempts and the same at every fold: FNV-1a of a name, not a die.
 */
function jitterOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < name.length; index += 1) {
    hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193) >>> 0;
  }
  return hash % (jitterMaxMs + 1);
}
