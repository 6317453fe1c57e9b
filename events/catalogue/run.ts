/** Facts about a run as a whole, its effects, timers and actors. */

import { nodeNames, recipeCacheEntrySchema } from '../records.ts';
import { array, boolean, integer, json, map, nullable, object, oneOf, optional, string } from '../schema.ts';
import { effectNameSchema, failureSchema } from './common.ts';

export const runEvents = {
  /** The first event of a run: what was asked. Checked by `create_initial_state`'s rules before it is appended. */
  'run.started': object({
    source: string(),
    repoName: string(),
    platform: string(),
    maxAttempts: integer({ minimum: 1 }),
    strict: boolean(),
    force: boolean(),
    optimize: boolean(),
    emulateCpu: nullable(string()),
    /** A verified recipe cache entry; with `optimize` it becomes the plan, else the run ends with it. */
    cachedRecipe: nullable(recipeCacheEntrySchema),
    /** Seconds that package tests may take; 0 leaves them out. */
    packageTestTimeoutS: integer(),
    /** Versions of what decides: `machines` (code hash), `xstate`, `atesor`. */
    engine: map(string()),
  }),
  'run.pauseRequested': object({ by: string() }),
  'run.resumeRequested': object({ by: string() }),
  'run.cancelRequested': object({ by: string() }),
  'run.forked': object({
    parent: string(),
    atSeq: integer(),
    overrides: json<Record<string, unknown>>(),
    reason: string(),
  }),
  /** The graph has ended: exit code and verdict are decided, the outputs are still to be written. */
  'run.outcomeDecided': object({ exitCode: integer(), verdict: string(), reason: string() }),
  'run.finished': object({
    exitCode: integer(),
    verdict: string(),
    recipe: nullable(string()),
    report: nullable(string()),
    state: nullable(string()),
    artifacts: array(
      object({
        path: string(),
        type: string(),
        machine: string(),
        abi: string(),
        sha256: string(),
        source: string(),
      }),
    ),
  }),

  'effect.requested': object({
    name: effectNameSchema,
    capability: string(),
    input: json<Record<string, unknown>>(),
    /** Epoch ms; after it the effect counts as expired. */
    deadline: integer(),
    /** Invoke id inside the actor that asked. */
    invoke: string(),
  }),
  'effect.succeeded': object({
    effectId: string(),
    name: effectNameSchema,
    output: json<Record<string, unknown>>(),
    worker: optional(string()),
  }),
  'effect.failed': object({
    effectId: string(),
    name: effectNameSchema,
    error: failureSchema,
    worker: optional(string()),
  }),
  'effect.expired': object({ effectId: string(), name: effectNameSchema }),
  /** Nobody waits for it any more: its actor ended or was stopped. */
  'effect.cancelled': object({ effectId: string(), name: effectNameSchema, reason: string() }),

  'timer.set': object({ timerId: string(), due: integer(), reason: string() }),
  'timer.fired': object({ timerId: string() }),
  'timer.cancelled': object({ timerId: string() }),

  /** A run enters a node. `run` of the wrapper: 1, or 2 and 3 after a rate limit. */
  'actor.started': object({ node: oneOf(nodeNames), visit: integer(), attempt: integer() }),
  'actor.finished': object({ node: oneOf(nodeNames), visit: integer() }),
  /** A routing function chose. `row` names the row of its table. */
  'actor.routed': object({ from: oneOf(nodeNames), to: string(), row: string() }),
  /** A node could not go on; the wrapper's rule makes the run ESCALATED (`optimize_node` excepted). */
  'actor.crashed': object({ node: nullable(oneOf(nodeNames)), code: string(), message: string() }),
  /** A rate limit stopped a node; it runs again when the timer fires. */
  'actor.retryScheduled': object({
    node: oneOf(nodeNames),
    attempt: integer(),
    waitMs: integer(),
    reason: string(),
  }),
};
