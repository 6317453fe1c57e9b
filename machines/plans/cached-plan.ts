/** A plan and an analysis out of a recipe cache entry. Source: seed, architecture, `cached_recipe_node`. */
import type { AgentState } from '../../events/agent-state.ts';
import type { BuildPlan, PackageAnalysis, RecipeCacheEntry } from '../../events/records.ts';

export const hasCommands = (entry: RecipeCacheEntry | null): boolean =>
  entry?.buildPlan.phases.some((phase) => phase.commands.some((command) => command.trim() !== '')) ?? false;

export function cachedPlan(entry: RecipeCacheEntry): BuildPlan {
  const phases = entry.buildPlan.phases
    .map(({ name, commands }) => ({ name, commands: commands.filter((command) => command.trim() !== '') }))
    .filter(({ commands }) => commands.length > 0);
  return {
    buildSystem: entry.buildSystem,
    buildSystemConfidence: 1,
    phases: phases.map(({ name, commands }, index) => ({
      id: index + 1,
      name,
      commands,
      canParallelize: false,
      expectedDuration: '',
      requiredDependencies: [],
      successCriteria: 'every command succeeds',
    })),
    totalEstimatedDuration: '',
    notes: [`From the recipe cache: built ${entry.lastBuilt} at commit ${entry.sourceCommit}.`],
  };
}

export function cachedAnalysis(entry: RecipeCacheEntry, state: AgentState): PackageAnalysis {
  const names = entry.artifacts.map(({ path }) => path.slice(path.lastIndexOf('/') + 1));
  return {
    purpose: `${state.repoName} (from the recipe cache)`,
    language: 'unknown',
    buildSystem: entry.buildSystem,
    buildSystemConfidence: 1,
    buildSystemReasoning: 'a verified recipe has built it',
    dependencies: entry.dependencies.map((name) => ({ name, reason: 'named in the cached recipe' })),
    riscvRisks: [],
    buildStrategy: 'Run the cached recipe again.',
    // Source: seed, at most 10 expected artifacts.
    expectedArtifacts: [...new Set(names)].slice(0, 10),
    needsCustomPlan: false,
    complexity: 1,
    llmGrounded: false,
  };
}
