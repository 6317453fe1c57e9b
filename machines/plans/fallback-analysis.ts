/** The analysis of the analyst when no model can write one. Source: upstream facts §16.4. */
import type { PackageAnalysis } from '../../events/records.ts';
import type { PlanFacts } from './facts.ts';

const librariesMax = 10;
const risksMax = 5;
/** Source: seed, caps of the analyst's answer. */
const artifactsMax = 10;
/** Confidence below which the default plan is not trusted. Source: upstream facts §16.4. */
const customPlanBelow = 0.5;

export function fallbackAnalysis(facts: PlanFacts, repoName: string): PackageAnalysis {
  const { type, confidence, primaryFile } = facts.buildSystem;
  return {
    purpose: `${repoName} (purpose not known: no model read the documentation)`,
    language: mainLanguage(facts.languages),
    buildSystem: type,
    buildSystemConfidence: confidence,
    buildSystemReasoning: primaryFile === '' ? 'nothing was recognised' : `the source has ${primaryFile}`,
    dependencies: facts.dependencies.libraries
      .slice(0, librariesMax)
      .map((name) => ({ name, reason: 'named in the build files' })),
    riscvRisks: facts.archFindings
      .slice(0, risksMax)
      .map(({ archType, file, line }) => `${archType.replaceAll('_', ' ')} in ${file}:${line}`),
    buildStrategy: '',
    // Beyond the seed, whose fallback expects nothing: the build files name what they build.
    expectedArtifacts: facts.expectedArtifacts.slice(0, artifactsMax),
    needsCustomPlan: confidence < customPlanBelow,
    complexity: 5,
    llmGrounded: false,
  };
}

function mainLanguage(languages: Readonly<Record<string, number>>): string {
  const [first] = Object.entries(languages).toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  return first?.[0] ?? 'unknown';
}
