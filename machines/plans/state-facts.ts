/** What the planners need, read from the agent state. */
import type { AgentState } from '../../events/agent-state.ts';
import type { RepositoryScan } from '../../events/records.ts';
import { noFactsScan } from './no-facts.ts';

/** The scan's part that planners and the fallback analysis read; empty facts before the source was analysed. */
export function factsOf(state: AgentState): RepositoryScan {
  return {
    ...noFactsScan,
    buildSystem: state.buildSystemInfo ?? noFactsScan.buildSystem,
    dependencies: state.dependencies ?? noFactsScan.dependencies,
    archFindings: state.archSpecificCode,
    ...state.x.scan,
  };
}

/** Where the source came from. */
export const originOf = (state: AgentState) => ({ source: state.x.source, repoName: state.repoName });
