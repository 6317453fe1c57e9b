/** Reducers of finish, optimize, escalate, model calls and the sandbox. */
import { audited, type Reducer, reducer, scriptedOp } from './reducer.ts';

export const finishReducers: Record<string, Reducer> = {
  'finish.testsFinished': reducer(
    'finish.testsFinished',
    ['packageTests', 'testsRun', 'auditTrail', 'scriptedOpsCount'],
    (state, event) => ({
      packageTests: event.data.tests,
      testsRun: event.data.tests.status !== 'skipped',
      ...scriptedOp(state, event, 'package_tests', { status: event.data.tests.status }),
    }),
  ),
  'finish.recipeWritten': reducer('finish.recipeWritten', ['portingRecipe'], (_state, { data }) => ({
    portingRecipe: data.recipe,
  })),
  'finish.artifactsCurated': reducer('finish.artifactsCurated', ['curatedArtifacts'], (_state, { data }) => ({
    curatedArtifacts: data.artifacts,
  })),
  'finish.artifactsCollected': reducer('finish.artifactsCollected', ['x'], (state, { data }) => ({
    x: { ...state.x, collectedArtifacts: data.files },
  })),
  'finish.completed': reducer(
    'finish.completed',
    ['buildStatus', 'currentPhase', 'auditTrail'],
    (state, event) => ({
      buildStatus: 'SUCCESS',
      currentPhase: 'finish',
      ...audited(state, event, 'decision', {
        agent: 'summarizer',
        action: 'FINISH',
        reason: event.data.reason,
      }),
    }),
  ),

  'optimize.finished': reducer(
    'optimize.finished',
    ['optimization', 'machineProfile'],
    (_state, { data }) => ({
      optimization: data.optimization,
      machineProfile: data.machineProfile,
    }),
  ),

  'escalate.reportWritten': reducer(
    'escalate.reportWritten',
    ['buildStatus', 'currentPhase', 'contextCache', 'auditTrail'],
    (state, event) => ({
      buildStatus: 'ESCALATED',
      currentPhase: 'escalate',
      contextCache: { ...state.contextCache, escalationReport: event.data.report },
      ...audited(state, event, 'decision', {
        agent: 'supervisor',
        action: 'ESCALATE',
        reason: event.data.recommendation,
      }),
    }),
  ),

  'llm.callFinished': reducer(
    'llm.callFinished',
    ['apiCallsMade', 'apiCostUsd', 'apiTokensIn', 'apiTokensOut', 'auditTrail'],
    (state, event) => ({
      apiCallsMade: state.apiCallsMade + event.data.calls,
      apiCostUsd: state.apiCostUsd + event.data.costUsd,
      apiTokensIn: state.apiTokensIn + event.data.tokensIn,
      apiTokensOut: state.apiTokensOut + event.data.tokensOut,
      ...audited(state, event, 'llm_call', { role: event.data.role, model: event.data.model }),
    }),
  ),

  'sandbox.rebuildDiverged': reducer('sandbox.rebuildDiverged', ['auditTrail'], (state, event) =>
    audited(state, event, 'decision', {
      agent: 'host',
      action: 'REFUSE',
      reason: `${event.data.command} ended differently: ${event.data.actual}, was ${event.data.expected}`,
    }),
  ),
};
