/** Reducers of init, cached recipe, analyst, heuristic plan, scout and supervisor. */
import type { AgentState } from '../agent-state.ts';
import { audited, pushCapped, type Reducer, reducer, scriptedOp } from './reducer.ts';

/** Lines of `messages` that are kept; they are for people and no route reads them. */
const messagesMax = 200;

/** A new plan starts from its first phase and waits for the builder. */
const readyToBuild = (state: AgentState) =>
  state.buildStatus === 'ESCALATED' ? {} : { buildStatus: 'PENDING' as const };

export const planReducers: Record<string, Reducer> = {
  'init.sandboxOpened': reducer(
    'init.sandboxOpened',
    ['x', 'auditTrail', 'scriptedOpsCount'],
    (state, event) => ({
      x: { ...state.x, sandbox: event.data },
      ...scriptedOp(state, event, 'open_sandbox', { durationMs: event.data.durationMs }),
    }),
  ),
  'init.repositoryCloned': reducer(
    'init.repositoryCloned',
    ['x', 'repoPath', 'contextCache', 'auditTrail', 'scriptedOpsCount'],
    (state, event) => ({
      repoPath: event.data.path,
      x: {
        ...state.x,
        sourceCommit: event.data.commit,
        sourceVersion: event.data.version,
        sourceBundle: event.data.bundle,
        sourceNotes: event.data.notes,
      },
      contextCache: event.data.recovery
        ? { ...state.contextCache, cloneRecovery: event.data.recovery }
        : state.contextCache,
      ...scriptedOp(state, event, 'clone_or_update_repository', { durationMs: event.data.durationMs }),
    }),
  ),
  'init.cloneFailed': reducer('init.cloneFailed', ['buildStatus'], () => ({ buildStatus: 'FAILED' })),
  'init.repositoryScanned': reducer(
    'init.repositoryScanned',
    [
      'buildSystemInfo',
      'dependencies',
      'archSpecificCode',
      'repoTree',
      'fileContentCache',
      'contextCache',
      'x',
      'auditTrail',
      'scriptedOpsCount',
    ],
    (state, event) => {
      const { scan, missingTools } = event.data;
      return {
        buildSystemInfo: scan.buildSystem,
        dependencies: scan.dependencies,
        archSpecificCode: scan.archFindings,
        repoTree: scan.tree,
        fileContentCache: { ...state.fileContentCache, ...scan.documentation },
        contextCache: {
          ...state.contextCache,
          quickAnalysis: {
            buildSystem: scan.buildSystem.type,
            languages: scan.languages,
            fileCount: scan.fileCount,
          },
          archBuildFiles: scan.archFindings.map((finding) => finding.file),
          missingTools,
          ...(scan.goMain ? { goMainInfo: scan.goMain } : {}),
        },
        x: {
          ...state.x,
          scan: {
            candidates: scan.candidates,
            goMain: scan.goMain,
            expectedArtifacts: scan.expectedArtifacts,
            debianBuildDepends: scan.debianBuildDepends,
            languages: scan.languages,
            fileCount: scan.fileCount,
            hasSubmodules: scan.hasSubmodules,
          },
        },
        ...scriptedOp(state, event, 'quick_analysis', { durationMs: scan.durationMs }),
      };
    },
  ),

  'cachedRecipe.served': reducer(
    'cachedRecipe.served',
    ['buildStatus', 'portingRecipe', 'currentPhase', 'artifactVerification', 'buildArtifacts'],
    (state) => servedFromCache(state),
  ),
  'cachedRecipe.planWritten': reducer(
    'cachedRecipe.planWritten',
    ['buildPlan', 'packageAnalysis', 'contextCache', 'lastSuccessfulPhase', 'auditTrail', 'scriptedOpsCount'],
    (state, event) => ({
      buildPlan: event.data.plan,
      packageAnalysis: event.data.analysis,
      contextCache: { ...state.contextCache, packageAnalysis: event.data.analysis },
      lastSuccessfulPhase: 0,
      ...scriptedOp(state, event, 'cached_recipe_plan'),
    }),
  ),
  'cachedRecipe.patchApplied': reducer(
    'cachedRecipe.patchApplied',
    ['patchesGenerated', 'messages'],
    (state, { data }) => ({
      patchesGenerated: data.applied ? [...state.patchesGenerated, data.patch] : state.patchesGenerated,
      messages: data.applied
        ? state.messages
        : pushCapped(state.messages, `A cached patch did not apply: ${data.message}`, messagesMax),
    }),
  ),
  'cachedRecipe.commitDiffered': reducer('cachedRecipe.commitDiffered', ['messages'], (state, { data }) => ({
    messages: pushCapped(
      state.messages,
      `The cached recipe verified commit ${data.cached}; this run ports ${data.current}.`,
      messagesMax,
    ),
  })),
  'cachedRecipe.entryCleared': reducer(
    'cachedRecipe.entryCleared',
    ['cachedRecipe', 'messages'],
    (state, { data }) => ({
      cachedRecipe: null,
      messages: pushCapped(state.messages, `The cached recipe was left out: ${data.reason}`, messagesMax),
    }),
  ),

  'analyst.analysisWritten': reducer(
    'analyst.analysisWritten',
    ['packageAnalysis', 'contextCache', 'buildStatus', 'messages'],
    (state, { data }) => ({
      packageAnalysis: data.analysis,
      contextCache: { ...state.contextCache, packageAnalysis: data.analysis },
      ...(state.buildStatus === 'PLANNING' ? { buildStatus: 'PENDING' as const } : {}),
      messages: data.fallbackReason
        ? pushCapped(state.messages, `Analysis without a model: ${data.fallbackReason}`, messagesMax)
        : state.messages,
    }),
  ),

  'heuristicPlan.factsGathered': reducer(
    'heuristicPlan.factsGathered',
    ['scoutBuildSystemResult', 'scoutDepsResult', 'scoutArchIssuesResult', 'auditTrail', 'scriptedOpsCount'],
    (state, event) => ({
      scoutBuildSystemResult: event.data.buildSystem,
      scoutDepsResult: event.data.dependencies,
      scoutArchIssuesResult: event.data.archFindings,
      ...scriptedOp(state, event, 'heuristic_plan_facts'),
    }),
  ),
  'heuristicPlan.planWritten': reducer(
    'heuristicPlan.planWritten',
    ['buildPlan', 'buildStatus', 'lastSuccessfulPhase'],
    (state, { data }) => ({ buildPlan: data.plan, lastSuccessfulPhase: 0, ...readyToBuild(state) }),
  ),
  'heuristicPlan.planDeclined': reducer('heuristicPlan.planDeclined', ['messages'], (state, { data }) => ({
    messages: pushCapped(state.messages, `No default plan: ${data.reasons.join('; ')}`, messagesMax),
  })),

  'scout.replanStarted': reducer('scout.replanStarted', ['contextCache', 'auditTrail'], (state, event) => {
    const { signature } = event.data;
    const used = state.contextCache.replanAttemptsBySignature ?? {};
    return {
      contextCache: signature
        ? {
            ...state.contextCache,
            replanAttemptsBySignature: { ...used, [signature]: (used[signature] ?? 0) + 1 },
          }
        : state.contextCache,
      ...audited(state, event, 'decision', { agent: 'scout', action: 'SCOUT', reason: event.data.because }),
    };
  }),
  'scout.planWritten': reducer(
    'scout.planWritten',
    ['buildPlan', 'buildStatus', 'lastSuccessfulPhase', 'messages'],
    (state, { data }) => ({
      buildPlan: data.plan,
      lastSuccessfulPhase: 0,
      ...readyToBuild(state),
      messages: data.fallbackReason
        ? pushCapped(state.messages, `Plan without a model: ${data.fallbackReason}`, messagesMax)
        : state.messages,
    }),
  ),

  'supervisor.routed': reducer(
    'supervisor.routed',
    ['messages', 'auditTrail', 'scriptedOpsCount'],
    (state, event) => ({
      messages: pushCapped(state.messages, event.data.summary, messagesMax),
      ...scriptedOp(state, event, 'supervisor_eval', { action: event.data.to, reason: event.data.row }),
    }),
  ),
};

function servedFromCache(state: AgentState): Partial<AgentState> {
  const entry = state.cachedRecipe;
  if (!entry) return {};
  const verified = entry.verification.status === 'verified';
  return {
    buildStatus: 'SUCCESS',
    currentPhase: 'cached',
    portingRecipe: entry.recipeMarkdown,
    artifactVerification: {
      status: verified ? 'verified' : 'unverified',
      verified,
      reason: `${entry.verification.reason} (from the recipe cache, built ${entry.lastBuilt})`,
      sourceCommit: entry.verification.sourceCommit,
      counts: { riscv64: entry.elf.length, foreign: 0, prebuiltForeign: 0 },
      riscv64: entry.elf,
      foreign: [],
      prebuiltForeign: [],
      abiWarnings: [],
      examined: entry.elf.length,
      truncated: false,
      scanError: null,
      expectedMissing: [],
    },
    buildArtifacts: entry.artifacts.map((artifact) => ({
      filepath: artifact.path,
      type: artifact.type,
      architecture: entry.architecture,
    })),
  };
}
