/** What a planner needs to know of a source: a part of the scan, so that tests and callers need no whole one. */
import type { ArchSpecificCode, BuildSystemInfo, DependencyInfo, GoMainInfo } from '../../events/records.ts';

export interface PlanFacts {
  buildSystem: BuildSystemInfo;
  candidates: readonly BuildSystemInfo[];
  dependencies: DependencyInfo;
  archFindings: readonly ArchSpecificCode[];
  goMain: GoMainInfo | null;
  debianBuildDepends: readonly string[];
  expectedArtifacts: readonly string[];
  languages: Readonly<Record<string, number>>;
}

/** Where the source came from: names a Go module that has no name of its own. */
export interface PlanOrigin {
  source: string;
  repoName: string;
}

/** What stands for a system that was not found. */
export const noSystem: BuildSystemInfo = {
  type: 'unknown',
  confidence: 0,
  primaryFile: '',
  additionalFiles: [],
  requiresConfiguration: false,
  moduleDir: '',
};

/** The scan's finding for a system; without one, a bare one at the root. */
export const systemOf = (facts: PlanFacts, type: string): BuildSystemInfo =>
  [facts.buildSystem, ...facts.candidates].find((found) => found.type === type) ?? noSystem;

/** True when the scan saw a file of that name beside the system's main file. */
export const hasFile = ({ primaryFile, additionalFiles }: BuildSystemInfo, name: string): boolean =>
  [primaryFile, ...additionalFiles].some((path) => path === name || path.endsWith(`/${name}`));
