/** Facts of the nodes after the build: finish, optimize, escalate; model calls and the sandbox. */
import { agentRoles, buildArtifactSchema, optimizationSchema, packageTestsSchema } from '../records.ts';
import { array, boolean, integer, json, nullable, number, object, oneOf, string } from '../schema.ts';

export const finishEvents = {
  'finish.testsFinished': object({ tests: packageTestsSchema }),
  'finish.recipeWritten': object({ recipe: string(), fallbackReason: nullable(string()) }),
  'finish.artifactsCurated': object({ artifacts: array(buildArtifactSchema), dropped: integer() }),
  'finish.artifactsCollected': object({
    folder: string(),
    files: array(object({ path: string(), hostPath: string(), sha256: string(), size: integer() })),
  }),
  'finish.recipeCached': object({ stored: boolean(), sandboxKey: string() }),
  'finish.examplesSaved': object({ saved: integer() }),
  'finish.completed': object({ verified: boolean(), reason: string() }),

  'optimize.finished': object({
    optimization: optimizationSchema,
    machineProfile: nullable(json<Record<string, unknown>>()),
  }),

  'escalate.reportWritten': object({ report: string(), recommendation: string() }),

  'llm.callFinished': object({
    role: oneOf(agentRoles),
    model: string(),
    costUsd: number(),
    tokensIn: integer(),
    tokensOut: integer(),
    calls: integer(),
    estimated: boolean(),
  }),

  'sandbox.closed': object({ closed: boolean() }),
  /** A recorded command ended differently when it was executed again. */
  'sandbox.rebuildDiverged': object({ command: string(), expected: string(), actual: string() }),
};
