/** Reducers of the build-fix subgraph: build, error, verify, fix. */
import type { AgentState } from '../agent-state.ts';
import type { ArtifactVerification, BuildArtifact } from '../records.ts';
import { audited, errorsMax, pushCapped, type Reducer, reducer, scriptedOp } from './reducer.ts';

/** Source: upstream facts §10.2: the state keeps at most 60 build artifacts. */
const buildArtifactsMax = 60;

export const buildReducers: Record<string, Reducer> = {
  'build.started': reducer('build.started', ['buildStatus'], () => ({ buildStatus: 'BUILDING' })),
  'build.phaseStarted': reducer('build.phaseStarted', ['currentPhase'], (_state, { data }) => ({
    currentPhase: data.name,
  })),
  'build.commandSkipped': reducer('build.commandSkipped', ['auditTrail'], (state, event) =>
    audited(state, event, 'decision', { agent: 'builder', action: 'SKIP', reason: event.data.reason }),
  ),
  'build.commandFinished': reducer(
    'build.commandFinished',
    ['commandResultsCache', 'x', 'auditTrail', 'scriptedOpsCount'],
    (state, event) => {
      const { data } = event;
      // A part of a command has no key: only the whole command's success may be taken from the cache.
      const succeeded = data.result.exitCode === 0 && data.cacheKey !== '';
      return {
        commandResultsCache: succeeded
          ? { ...state.commandResultsCache, [data.cacheKey]: { ...data.result, timestamp: event.at } }
          : state.commandResultsCache,
        x: {
          ...state.x,
          buildLog: [
            ...state.x.buildLog,
            {
              phase: data.phase,
              command: data.command,
              ran: data.ran,
              exitCode: data.result.exitCode,
              heuristic: data.heuristic,
            },
          ],
        },
        ...scriptedOp(state, event, data.heuristic ? 'retry_build_command' : 'execute_build_command', {
          command: data.ran,
          exitCode: data.result.exitCode,
          durationMs: data.result.durationMs,
        }),
      };
    },
  ),
  'build.heuristicApplied': reducer(
    'build.heuristicApplied',
    ['contextCache', 'x', 'auditTrail'],
    (state, event) => {
      const { retryKey, loss, heuristic } = event.data;
      return {
        contextCache: retryKey
          ? {
              ...state.contextCache,
              builderRetryKeys: [...(state.contextCache.builderRetryKeys ?? []), retryKey],
            }
          : state.contextCache,
        x: loss
          ? { ...state.x, losses: [...state.x.losses, { what: loss, because: `heuristic ${heuristic}` }] }
          : state.x,
        ...audited(state, event, 'decision', {
          agent: 'builder',
          action: 'HEURISTIC',
          reason: heuristic,
          becomes: event.data.becomes,
        }),
      };
    },
  ),
  'build.packagesInstalled': reducer(
    'build.packagesInstalled',
    ['x', 'auditTrail', 'scriptedOpsCount'],
    (state, event) => ({
      x: {
        ...state.x,
        installedPackages: [...new Set([...state.x.installedPackages, ...event.data.installed])],
      },
      ...scriptedOp(state, event, 'install_packages', {
        installed: event.data.installed,
        missing: event.data.missing,
      }),
    }),
  ),
  'build.planChanged': reducer('build.planChanged', ['buildPlan'], (state, { data }) => ({
    buildPlan: state.buildPlan && {
      ...state.buildPlan,
      phases: state.buildPlan.phases.map((phase) =>
        phase.id === data.phaseId
          ? {
              ...phase,
              commands: phase.commands.map((command, index) => (index === data.index ? data.to : command)),
            }
          : phase,
      ),
    },
  })),
  'build.phaseFinished': reducer('build.phaseFinished', ['lastSuccessfulPhase'], (state, { data }) => ({
    lastSuccessfulPhase: Math.max(state.lastSuccessfulPhase, data.phaseId),
  })),
  'build.succeeded': reducer('build.succeeded', ['buildStatus', 'fixesAttempted'], (state) => ({
    buildStatus: 'SUCCESS',
    fixesAttempted: state.fixesAttempted.map((fix) =>
      fix.success || fix.buildResult !== null ? fix : { ...fix, success: true, buildResult: 'success' },
    ),
  })),
  'build.failed': reducer('build.failed', ['buildStatus'], () => ({ buildStatus: 'FAILED' })),

  'error.recorded': reducer(
    'error.recorded',
    ['attemptCount', 'errorHistory', 'lastError', 'lastErrorCategory', 'lastErrorSeverity', 'x'],
    (state, event) => {
      const { error, keepsLastError } = event.data;
      const attemptCount = state.attemptCount + 1;
      const record = {
        ...error,
        timestamp: event.at,
        attemptNumber: attemptCount,
        outsideLoopCheck: keepsLastError,
      };
      return {
        attemptCount,
        errorHistory: pushCapped(state.errorHistory, record, errorsMax),
        ...(keepsLastError
          ? {}
          : {
              lastError: error.message,
              lastErrorCategory: error.category,
              lastErrorSeverity: error.severity,
              x: { ...state.x, seedErrorCategory: error.seedCategory },
            }),
      };
    },
  ),

  'verify.outputsScanned': reducer(
    'verify.outputsScanned',
    ['artifactVerification', 'buildArtifacts', 'auditTrail', 'scriptedOpsCount'],
    (state, event) => ({
      artifactVerification: event.data.verification,
      buildArtifacts: artifactsOf(event.data.verification, state),
      ...scriptedOp(state, event, 'scan_artifacts', { examined: event.data.verification.examined }),
    }),
  ),
  'verify.wrongArchFound': reducer('verify.wrongArchFound', ['buildStatus'], () => ({
    buildStatus: 'FAILED',
  })),
  'verify.passed': reducer('verify.passed', ['auditTrail'], (state, event) =>
    audited(state, event, 'decision', {
      agent: 'builder',
      action: 'FINISH',
      reason: event.data.verified ? 'verified' : 'not verified',
    }),
  ),

  'fix.started': reducer('fix.started', ['buildStatus'], () => ({ buildStatus: 'FIXING' })),
  'fix.patchApplied': reducer('fix.patchApplied', ['patchesGenerated', 'x'], (state, { data }) => ({
    patchesGenerated: [...state.patchesGenerated, data.patch],
    x: { ...state.x, treeVersion: state.x.treeVersion + 1 },
  })),
  'fix.applied': reducer('fix.applied', ['fixesAttempted', 'buildStatus', 'x'], (state, event) => ({
    fixesAttempted: [
      ...state.fixesAttempted,
      { ...event.data.fix, timestamp: event.at, success: false, buildResult: null },
    ],
    buildStatus: 'PENDING',
    x: { ...state.x, treeVersion: state.x.treeVersion + 1 },
  })),
  'fix.declined': reducer('fix.declined', ['buildStatus', 'auditTrail'], (state, event) => ({
    buildStatus: 'FAILED',
    ...audited(state, event, 'decision', { agent: 'fixer', action: 'DECLINE', reason: event.data.reason }),
  })),
  'fix.treeRewound': reducer(
    'fix.treeRewound',
    ['lastSuccessfulPhase', 'commandResultsCache'],
    (state, { data }) => ({
      lastSuccessfulPhase: data.lastSuccessfulPhase,
      commandResultsCache: Object.fromEntries(
        Object.entries(state.commandResultsCache).filter(([key]) => !data.forgottenKeys.includes(key)),
      ),
    }),
  ),
  'fix.planReplaced': reducer('fix.planReplaced', ['buildPlan'], (_state, { data }) => ({
    buildPlan: data.plan,
  })),
};

/** At most 60, expected names first (upstream facts §10.2). */
function artifactsOf(verification: ArtifactVerification, state: AgentState): BuildArtifact[] {
  const expected = state.packageAnalysis?.expectedArtifacts ?? [];
  const isExpected = (path: string) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    return expected.some((wanted) => name === wanted || name.startsWith(`${wanted}.`));
  };
  return verification.riscv64
    .map((file) => ({ filepath: file.path, type: file.type, architecture: file.machine }))
    .sort((a, b) => Number(isExpected(b.filepath)) - Number(isExpected(a.filepath)))
    .slice(0, buildArtifactsMax);
}
