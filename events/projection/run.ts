/** Reducers of the run's own events and of the actors'. Effects and timers change nothing by themselves. */
import type { AgentRole, NodeName } from '../records.ts';
import { audited, type Reducer, reducer } from './reducer.ts';

/** Role label of a node's wrapper. Source: upstream facts §4.1; null where the seed's wrapper is not used. */
const roleOfNode: Record<NodeName, AgentRole | null> = {
  init_node: 'supervisor',
  cached_recipe_node: 'planner',
  analyst_node: 'planner',
  heuristic_plan_node: 'scout',
  scout_node: 'scout',
  supervisor_node: 'supervisor',
  build_fix_subgraph: null,
  finish_node: 'summarizer',
  optimize_node: 'builder',
  escalate_node: 'supervisor',
  build_node: 'builder',
  verify_node: 'builder',
  fix_node: 'fixer',
};

const phaseOfNode: Partial<Record<NodeName, string>> = {
  init_node: 'initialization',
  cached_recipe_node: 'planning',
  analyst_node: 'planning',
  heuristic_plan_node: 'planning',
  scout_node: 'scouting',
  build_node: 'building',
  verify_node: 'verification',
  fix_node: 'fixing',
  finish_node: 'finish',
  optimize_node: 'optimize',
  escalate_node: 'escalate',
};

export const runReducers: Record<string, Reducer> = {
  'actor.started': reducer(
    'actor.started',
    ['currentAgent', 'currentPhase', 'buildStatus'],
    (state, { data }) => ({
      currentAgent: roleOfNode[data.node] ?? state.currentAgent,
      currentPhase: phaseOfNode[data.node] ?? state.currentPhase,
      ...(data.node === 'scout_node' && state.buildStatus !== 'ESCALATED' ? { buildStatus: 'SCOUTING' } : {}),
      ...(data.node === 'analyst_node' && state.buildStatus === 'PENDING' ? { buildStatus: 'PLANNING' } : {}),
    }),
  ),
  'actor.routed': reducer('actor.routed', ['auditTrail', 'subgraphOutcome'], (state, event) => ({
    ...audited(state, event, 'decision', {
      agent: event.data.from,
      action: event.data.to,
      reason: event.data.row,
    }),
    ...(event.data.to === '__end__' && event.node === 'build_fix_subgraph'
      ? { subgraphOutcome: state.buildStatus }
      : {}),
  })),
  'actor.crashed': reducer(
    'actor.crashed',
    ['buildStatus', 'currentPhase', 'auditTrail'],
    (state, event) => ({
      ...(event.data.node === 'optimize_node'
        ? {}
        : { buildStatus: 'ESCALATED' as const, currentPhase: 'escalate' }),
      ...audited(state, event, 'decision', {
        agent: event.data.node ?? 'host',
        action: 'ESCALATE',
        reason: event.data.message,
      }),
    }),
  ),
  'actor.retryScheduled': reducer('actor.retryScheduled', ['auditTrail'], (state, event) =>
    audited(state, event, 'decision', {
      agent: event.data.node,
      action: 'RETRY',
      reason: event.data.reason,
      waitMs: event.data.waitMs,
    }),
  ),
  'run.pauseRequested': reducer('run.pauseRequested', ['x'], (state) => ({
    x: { ...state.x, pauseRequested: true },
  })),
  'run.resumeRequested': reducer('run.resumeRequested', ['x'], (state) => ({
    x: { ...state.x, pauseRequested: false },
  })),
  'run.cancelRequested': reducer('run.cancelRequested', ['x'], (state) => ({
    x: { ...state.x, cancelRequested: true },
  })),
  'run.outcomeDecided': reducer('run.outcomeDecided', ['x'], (state, { data }) => ({
    x: { ...state.x, outcome: { exitCode: data.exitCode, verdict: data.verdict, reason: data.reason } },
  })),
};
