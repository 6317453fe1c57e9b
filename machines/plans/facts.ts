/** What a planner needs to know of a source: a part of the scan, so that tests and callers need no whole one. */
import type { RepositoryScan } from '../../events/records.ts';

export type PlanFacts = Pick<
  RepositoryScan,
  'buildSystem' | 'dependencies' | 'archFindings' | 'goMain' | 'debianBuildDepends'
>;

/** True when the scan saw a file of that name beside the build system's main file. */
export function hasFile(facts: Pick<PlanFacts, 'buildSystem'>, name: string): boolean {
  const { primaryFile, additionalFiles } = facts.buildSystem;
  return [primaryFile, ...additionalFiles].some((path) => path === name || path.endsWith(`/${name}`));
}
