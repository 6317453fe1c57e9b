/** How a run ends: exit code, verdict and the answer that `run.finished` carries. Pure. */
import type { AgentState } from '../events/agent-state.ts';
import type { EventDataByType } from '../events/catalogue.ts';
import type { AnyFact } from '../events/envelope.ts';
import { fact } from './actor-kit.ts';
import type { EffectOutput } from './effects.ts';
import { escalationReason } from './routing-checks.ts';

/** Source: upstream facts §1.3. */
export const exitCodes = { verified: 0, failed: 1, notVerified: 3, interrupted: 130 } as const;

export function outcomeOf(state: AgentState): EventDataByType['run.outcomeDecided'] {
  if (state.x.outcome) return state.x.outcome;
  const scanned = state.artifactVerification?.status;
  if (state.x.cancelRequested) {
    return { exitCode: exitCodes.interrupted, verdict: 'cancelled', reason: 'Cancelled by a person' };
  }
  if (state.buildStatus === 'SUCCESS') {
    return scanned === 'verified'
      ? {
          exitCode: exitCodes.verified,
          verdict: 'verified',
          reason: state.artifactVerification?.reason ?? '',
        }
      : {
          exitCode: exitCodes.notVerified,
          verdict: 'unverified',
          reason: state.artifactVerification?.reason ?? 'No scan of the outputs was made',
        };
  }
  const reason = escalationReason(state) ?? state.lastError ?? 'The port was escalated';
  return { exitCode: exitCodes.failed, verdict: scanned === 'wrong_arch' ? 'wrong_arch' : 'failed', reason };
}

/** Data of `run.finished`. Outputs that could not be written make a success a failure: nothing would prove it. */
export function finishedOf(
  state: AgentState,
  outputs: EffectOutput<'writeOutputs'> | null,
): EventDataByType['run.finished'] {
  const outcome = outcomeOf(state);
  const verification = state.artifactVerification;
  return {
    exitCode:
      outputs === null && outcome.exitCode === exitCodes.verified ? exitCodes.failed : outcome.exitCode,
    verdict: outcome.verdict,
    recipe: outputs?.recipe ?? null,
    report: outputs?.report ?? null,
    state: outputs?.state ?? null,
    artifacts: state.x.collectedArtifacts.flatMap((collected) => {
      const elf = verification?.riscv64.find((file) => file.path === collected.path);
      return elf
        ? [
            {
              path: collected.hostPath,
              type: elf.type,
              machine: elf.machine,
              abi: elf.abi,
              sha256: collected.sha256,
              source: collected.path,
            },
          ]
        : [];
    }),
  };
}

/** The two facts of a run that the recipe cache answers. The entry's files are where its own run left them. */
export function servedFrom(state: AgentState): AnyFact[] {
  const entry = state.cachedRecipe;
  if (!entry) return [];
  const verified = entry.verification.status === 'verified';
  return [
    fact('cachedRecipe.served', { verified, lastBuilt: entry.lastBuilt, sourceCommit: entry.sourceCommit }),
    fact('run.finished', {
      exitCode: verified ? exitCodes.verified : exitCodes.notVerified,
      verdict: verified ? 'verified' : 'unverified',
      recipe: null,
      report: null,
      state: null,
      artifacts: entry.elf.map((file) => ({
        path: file.path,
        type: file.type,
        machine: file.machine,
        abi: file.abi,
        sha256: file.sha256,
        source: file.path,
      })),
    }),
  ];
}
