/**
 * Every event there is: type → schema of its data. The TypeScript type comes from the same schema.
 * A type name is `prefix.factInPast`; the prefixes are a closed list. Schemas only grow; a breaking change is
 * `version + 1` with an upcaster.
 */
import { buildEvents } from './catalogue/build.ts';
import { finishEvents } from './catalogue/finish.ts';
import { planEvents } from './catalogue/plan.ts';
import { runEvents } from './catalogue/run.ts';
import type { Static } from './schema.ts';

export const eventSchemas = { ...runEvents, ...planEvents, ...buildEvents, ...finishEvents };

export type EventType = keyof typeof eventSchemas;
export type EventDataByType = { [T in EventType]: Static<(typeof eventSchemas)[T]> };

/** The only events that come from outside a fold (design §11). All others are derived. */
export const inputEventTypes = [
  'run.started',
  'run.pauseRequested',
  'run.resumeRequested',
  'run.cancelRequested',
  'run.forked',
  'effect.succeeded',
  'effect.failed',
  'effect.expired',
  'timer.fired',
] as const satisfies readonly EventType[];
export type InputEventType = (typeof inputEventTypes)[number];

/** Version of a type's schema; 1 unless it stands here. */
export const eventVersions: Partial<Record<EventType, number>> = {};

export const eventPrefixes = [
  'init',
  'cachedRecipe',
  'analyst',
  'heuristicPlan',
  'scout',
  'supervisor',
  'buildFix',
  'build',
  'verify',
  'fix',
  'finish',
  'optimize',
  'escalate',
  'run',
  'effect',
  'timer',
  'error',
  'llm',
  'sandbox',
  'fork',
  'actor',
] as const;
