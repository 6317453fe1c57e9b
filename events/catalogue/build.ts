/** Facts of the build-fix subgraph: build, error, verify, fix. */
import {
  artifactVerificationSchema,
  buildPlanSchema,
  commandResultSchema,
  errorRecordSchema,
  fixAttemptSchema,
} from '../records.ts';
import { array, boolean, integer, nullable, object, oneOf, string } from '../schema.ts';

export const buildEvents = {
  'build.started': object({ resumesAfterPhase: integer() }),
  'build.phaseStarted': object({ phaseId: integer(), name: string() }),
  /** A phase at or below `last_successful_phase`, or a command with a cached success, was not run again. */
  'build.phaseSkipped': object({ phaseId: integer(), name: string() }),
  'build.commandSkipped': object({
    phaseId: integer(),
    command: string(),
    reason: oneOf(['cached', 'nothing to do']),
  }),
  'build.commandFinished': object({
    phaseId: integer(),
    phase: string(),
    /** The plan's command, what was run in its place, and the key its success is cached under. */
    command: string(),
    ran: string(),
    cacheKey: string(),
    /** The rule whose retry this was. */
    heuristic: nullable(string()),
    result: commandResultSchema,
  }),
  'build.heuristicApplied': object({
    heuristic: string(),
    seed: nullable(integer()),
    kind: oneOf(['rewrite', 'retry']),
    command: string(),
    becomes: array(string()),
    /** Key of a rule that may fire once. */
    retryKey: nullable(string()),
    loss: nullable(string()),
  }),
  'build.packagesInstalled': object({
    names: array(string()),
    installed: array(string()),
    alreadyThere: array(string()),
    missing: array(string()),
  }),
  'build.planChanged': object({
    phaseId: integer(),
    index: integer(),
    from: string(),
    to: string(),
    heuristic: string(),
  }),
  'build.phaseFinished': object({ phaseId: integer(), name: string() }),
  'build.succeeded': object({ phases: integer() }),
  'build.failed': object({ phaseId: nullable(integer()), command: nullable(string()) }),

  /** The only event that raises `attempt_count`. */
  'error.recorded': object({
    error: errorRecordSchema,
    /** A failed fixer counts an attempt but leaves `last_error` and the loop check alone (design: fixer). */
    keepsLastError: boolean(),
  }),

  'verify.outputsScanned': object({ verification: artifactVerificationSchema }),
  'verify.wrongArchFound': object({ files: array(string()) }),
  'verify.passed': object({ verified: boolean() }),

  'fix.started': object({ errorCategory: string() }),
  'fix.patchApplied': object({ patch: string(), files: array(string()) }),
  'fix.applied': object({ fix: fixAttemptSchema }),
  'fix.declined': object({ reason: string() }),
  /** The next build starts again after this phase, and cached successes from there are forgotten. */
  'fix.treeRewound': object({ lastSuccessfulPhase: integer(), forgottenKeys: array(string()) }),
  'fix.planReplaced': object({ plan: buildPlanSchema }),
};
