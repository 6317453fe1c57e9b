/** How a run went, for `show`, `replay` and the summary: a fold over its events. Pure. */
import type { EventDataByType } from '../../events/catalogue.ts';
import type { AnyEvent, EventBody } from '../../events/envelope.ts';
import { type EventLine, linesOf } from './event-lines.ts';

export interface Decision {
  seq: number;
  from: string;
  to: string;
  /** The row of the routing table that decided. */
  row: string;
}

export interface StoryError {
  seq: number;
  category: string;
  severity: string;
  message: string;
  command: string | null;
}

export interface RunStory {
  started: EventDataByType['run.started'] | null;
  path: Array<{ node: string; visit: number }>;
  decisions: Decision[];
  errors: StoryError[];
  /** Lines about repairs: rules, fixes, installed packages. */
  repairs: EventLine[];
  outcome: EventDataByType['run.finished'] | null;
  reason: string | null;
  /** What a rule or fix switched off. */
  losses: string[];
  startedAt: number;
  lastAt: number;
}

const repairTypes = new Set([
  'build.heuristicApplied',
  'fix.applied',
  'fix.patchApplied',
  'fix.declined',
  'fix.planReplaced',
]);

const add = (story: RunStory, event: AnyEvent): void => {
  story.startedAt ||= event.at;
  story.lastAt = event.at;
  if (repairTypes.has(event.type)) story.repairs.push(...linesOf(event));
  switch (event.type) {
    case 'run.started':
      story.started = event.data;
      break;
    case 'actor.started':
      story.path.push({ node: event.data.node, visit: event.data.visit });
      break;
    case 'actor.routed':
      story.decisions.push({ seq: event.seq, ...event.data });
      break;
    case 'error.recorded': {
      const { category, severity, message, command } = event.data.error;
      story.errors.push({ seq: event.seq, category, severity, message, command });
      break;
    }
    case 'build.heuristicApplied':
      if (event.data.loss !== null) story.losses.push(event.data.loss);
      break;
    case 'run.outcomeDecided':
      story.reason = event.data.reason;
      break;
    case 'run.finished':
      story.outcome = event.data;
      break;
  }
};

export const storyOf = (events: Iterable<EventBody>): RunStory => {
  const story: RunStory = {
    started: null,
    path: [],
    decisions: [],
    errors: [],
    repairs: [],
    outcome: null,
    reason: null,
    losses: [],
    startedAt: 0,
    lastAt: 0,
  };
  for (const event of events) add(story, event as AnyEvent);
  return story;
};
