/** The questions that the routing functions ask of a state. Pure. Source: seed, agent state and architecture. */
import type { AgentState } from '../events/agent-state.ts';
import type { ErrorCategory } from '../events/records.ts';

/** USD that a run may cost before it escalates. Source: seed, `should_escalate`, check 4. */
export const costLimitUsd = 1.0;

/** Records with one signature in a row that make an error loop. Source: seed, `is_in_error_loop`. */
const loopLength = 3;

/** Source: seed, `should_escalate`, check 3. */
const fundamentalBlockers: readonly ErrorCategory[] = [
  'LICENSE_INCOMPATIBLE',
  'REQUIRES_HARDWARE',
  'ARCHITECTURE_IMPOSSIBLE',
  'PERMISSION',
  'DISK_SPACE',
];

/** Errors that ask for a new plan, once a run each. Source: seed, forced re-scout; names: upstream facts §4.2. */
const replanSignatures: ReadonlyArray<{ name: string; text: string }> = [
  { name: 'go_missing_module', text: 'no required module provides' },
  { name: 'go_output_dir_collision', text: 'already exists and is a directory' },
  { name: 'cmake_wrong_source_root', text: 'does not appear to contain cmakelists.txt' },
  { name: 'missing_package', text: 'unable to locate package' },
  { name: 'go_inconsistent_vendoring', text: 'inconsistent vendoring' },
  { name: 'missing_configure_script', text: './configure: no such file or directory' },
];

export const attemptsLeft = (state: AgentState): boolean => state.attemptCount < state.maxAttempts;

/** The last three recorded errors are the same one. A failed fixer's record is left out (design §11). */
export function isInErrorLoop(state: AgentState): boolean {
  const counted = state.errorHistory.filter((record) => !record.outsideLoopCheck).slice(-loopLength);
  return (
    counted.length === loopLength && counted.every((record) => record.signature === counted[0]?.signature)
  );
}

/** The first reason that holds, in the seed's order and words, or null. */
export function escalationReason(state: AgentState): string | null {
  if (!attemptsLeft(state)) return `Maximum attempts (${state.maxAttempts}) reached`;
  if (isInErrorLoop(state)) return 'Stuck in error loop with no progress';
  if (state.lastErrorCategory && fundamentalBlockers.includes(state.lastErrorCategory)) {
    return `Fundamental blocker: ${state.lastErrorCategory}`;
  }
  if (state.apiCostUsd > costLimitUsd) return `API cost limit ($${costLimitUsd.toFixed(1)}) exceeded`;
  return null;
}

/** The seed's `should_escalate(state)`. */
export const shouldEscalate = (state: AgentState): boolean => escalationReason(state) !== null;

/** Why a failed build needs a new plan: a category, or a signature that was not used yet; null when it does not. */
export function replanReason(state: AgentState): { signature: string | null; because: string } | null {
  if (state.lastErrorCategory === 'DEPENDENCY' || state.lastErrorCategory === 'MISSING_TOOLS') {
    return { signature: null, because: state.lastErrorCategory };
  }
  const text = (state.lastError ?? '').toLowerCase();
  const used = state.contextCache.replanAttemptsBySignature ?? {};
  const found = replanSignatures.find((entry) => text.includes(entry.text) && !used[entry.name]);
  return found ? { signature: found.name, because: found.text } : null;
}
