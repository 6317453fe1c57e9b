/** The facts and inputs of the finish node that need more than a line. Pure. */
import type { AgentState, StateExtras } from '../../events/agent-state.ts';
import type { AnyFact } from '../../events/envelope.ts';
import type { BuildPhase, PackageTests, RecipeCacheEntry } from '../../events/records.ts';
import { fact } from '../actor-kit.ts';
import type { EffectFailure } from '../effects.ts';

/** Artifacts that a cache entry keeps. Source: upstream facts §12. */
const cachedArtifactsMax = 20;

const noTests: PackageTests = {
  status: 'skipped',
  framework: null,
  command: null,
  exitCode: null,
  durationSeconds: 0,
  timeoutSeconds: 0,
  outputTail: '',
  reason: '',
};

export const skippedTests: AnyFact = fact('finish.testsFinished', {
  tests: { ...noTests, reason: 'package tests are switched off' },
});

export const testsError = (failure: EffectFailure): AnyFact =>
  fact('finish.testsFinished', {
    tests: { ...noTests, status: 'error', reason: `the tests could not be run: ${failure.message}` },
  });

/** Verified in one kind of build says nothing of the other: a strict build has a key of its own. */
export const sandboxKeyOf = (state: { x: Pick<StateExtras, 'strict' | 'platform'> }): string =>
  state.x.strict ? `${state.x.platform}-strict` : state.x.platform;

/** The entry holds what was run, so that it can be run again: rewrites and packages that rules added included. */
export function cacheEntryOf(
  state: AgentState,
  recipeMarkdown: string,
  collected: ReadonlyArray<{ path: string; hostPath: string }>,
): RecipeCacheEntry {
  const verification = state.artifactVerification;
  const roles = new Map(
    state.curatedArtifacts.map((artifact) => [artifact.filepath, artifact.role ?? 'secondary']),
  );
  const elf = (verification?.riscv64 ?? []).flatMap((file) => {
    const copy = collected.find((one) => one.path === file.path);
    return copy ? [{ ...file, path: copy.hostPath }] : [];
  });
  return {
    repoUrl: state.repoUrl,
    sourceCommit: state.x.sourceCommit,
    sourceVersion: state.x.sourceVersion,
    buildSystem: state.buildPlan?.buildSystem ?? 'unknown',
    architecture: 'riscv64',
    sandbox: sandboxKeyOf(state),
    // Epoch ms as text: a fold has no calendar. The store writes the calendar form for people.
    lastBuilt: String(state.lastUpdated),
    buildPlan: {
      phases: (state.buildPlan?.phases ?? []).map(({ name, commands }: BuildPhase) => ({ name, commands })),
    },
    dependencies: state.x.installedPackages,
    patches: state.patchesGenerated.slice(0, 10),
    artifacts: state.buildArtifacts.slice(0, cachedArtifactsMax).map((artifact) => ({
      type: artifact.type,
      path: artifact.filepath,
      role: roles.get(artifact.filepath) ?? 'secondary',
    })),
    buildDurationSeconds: Math.round((state.lastUpdated - state.executionStartTime) / 1000),
    recipeMarkdown,
    verification: {
      status: verification?.status ?? 'unverified',
      reason: verification?.reason ?? '',
      sourceCommit: verification?.sourceCommit ?? '',
    },
    elf,
    runId: state.x.runId,
  };
}

/** What the seed learns after a verified port: the plan, each successful fix, the phases. */
export function examplesOf(state: AgentState): Record<string, unknown>[] {
  const common = {
    build_system: state.buildPlan?.buildSystem ?? 'unknown',
    repo_name: state.repoName,
    sandbox: state.x.platform,
    source: 'auto',
  };
  const phases = (state.buildPlan?.phases ?? []).map(({ name, commands }) => ({ name, commands }));
  return [
    { agent: 'scout', ...common, tags: [common.build_system, state.repoName], plan: { phases } },
    { agent: 'builder', ...common, tags: [common.build_system, state.repoName], phases },
    ...state.fixesAttempted
      .filter((fix) => fix.success)
      .map((fix) => ({
        agent: 'fixer',
        ...common,
        tags: [common.build_system, 'auto-fix'],
        error: fix.errorMessage.slice(0, 80),
        fix: { strategy: fix.strategy, changes: fix.changesMade },
      })),
  ];
}

export function completedFact(state: AgentState): AnyFact {
  const verified = state.artifactVerification?.verified === true;
  const reason = state.artifactVerification?.reason ?? 'no output was scanned';
  return fact('finish.completed', { verified, reason });
}
