/** Facts of the nodes before the build: init, cached recipe, analyst, heuristic plan, scout, supervisor. */
import {
  archSpecificCodeSchema,
  buildPlanSchema,
  buildSystemInfoSchema,
  dependencyInfoSchema,
  packageAnalysisSchema,
  repositoryScanSchema,
} from '../records.ts';
import { array, boolean, integer, map, nullable, number, object, string } from '../schema.ts';

export const planEvents = {
  'init.sandboxOpened': object({
    driver: string(),
    platform: string(),
    accelerated: boolean(),
    rootDigest: string(),
    toolVersions: map(string()),
    limits: map(string()),
    durationMs: number(),
  }),
  'init.repositoryCloned': object({
    path: string(),
    commit: string(),
    branch: string(),
    version: string(),
    fileCount: integer(),
    bundle: string(),
    recovery: nullable(object({ originalUrl: string(), successUrl: string(), attempted: array(string()) })),
    notes: array(string()),
    durationMs: number(),
  }),
  /** The clone failed; an `error.recorded` with severity high goes with it. */
  'init.cloneFailed': object({ code: string(), message: string() }),
  'init.repositoryScanned': object({ scan: repositoryScanSchema, missingTools: array(string()) }),

  /** The recipe cache answered before the graph: the run ends with the cached recipe. */
  'cachedRecipe.served': object({ verified: boolean(), lastBuilt: string(), sourceCommit: string() }),
  'cachedRecipe.planWritten': object({ plan: buildPlanSchema, analysis: packageAnalysisSchema }),
  'cachedRecipe.patchApplied': object({ patch: string(), applied: boolean(), message: string() }),
  'cachedRecipe.commitDiffered': object({ cached: string(), current: string() }),
  'cachedRecipe.entryCleared': object({ reason: string() }),

  /** `fallbackReason` says why no model wrote it; null when one did. */
  'analyst.analysisWritten': object({ analysis: packageAnalysisSchema, fallbackReason: nullable(string()) }),

  'heuristicPlan.factsGathered': object({
    buildSystem: buildSystemInfoSchema,
    dependencies: dependencyInfoSchema,
    archFindings: array(archSpecificCodeSchema),
  }),
  'heuristicPlan.planWritten': object({ plan: buildPlanSchema }),
  'heuristicPlan.planDeclined': object({ reasons: array(string()) }),

  /** The scout begins because a build failed and a new plan is needed; `signature` null for a category. */
  'scout.replanStarted': object({ signature: nullable(string()), because: string() }),
  'scout.planWritten': object({ plan: buildPlanSchema, fallbackReason: nullable(string()) }),

  /** What the supervisor saw and where its routing function sends the run. */
  'supervisor.routed': object({ to: string(), row: string(), summary: string() }),
};
