/** What a port's state tells the planners; what was not found is empty. */
import type { AgentState, StateExtras } from '../../events/agent-state.ts';
import type { DependencyInfo } from '../../events/records.ts';
import { noSystem, type PlanFacts, type PlanOrigin } from './facts.ts';

export type PlanState = Pick<AgentState, 'buildSystemInfo' | 'dependencies' | 'archSpecificCode'> & {
  x: Pick<StateExtras, 'scan'>;
};

const noDependencies: DependencyInfo = {
  systemPackages: [],
  libraries: [],
  buildTools: [],
  riscVAvailable: {},
  installMethod: 'apt',
  versionConstraints: {},
};

export function factsOf(state: PlanState): PlanFacts {
  const { scan } = state.x;
  const buildSystem = state.buildSystemInfo ?? noSystem;
  return {
    buildSystem,
    candidates: scan?.candidates ?? [buildSystem],
    dependencies: state.dependencies ?? noDependencies,
    archFindings: state.archSpecificCode,
    goMain: scan?.goMain ?? null,
    debianBuildDepends: scan?.debianBuildDepends ?? [],
    expectedArtifacts: scan?.expectedArtifacts ?? [],
    languages: scan?.languages ?? {},
  };
}

export const originOf = (state: { repoName: string; x: Pick<StateExtras, 'source'> }): PlanOrigin => ({
  source: state.x.source,
  repoName: state.repoName,
});
