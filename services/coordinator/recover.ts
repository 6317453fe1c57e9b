/**
 * Folds a recorded run again, so that it can go on. Every derived event is compared with the recorded one: a run
 * that the code would have decided differently is not gone on with.
 */
import { isDeepStrictEqual } from 'node:util';
import { type InputEventType, inputEventTypes } from '../../events/catalogue.ts';
import type { EventBody } from '../../events/envelope.ts';
import type { HostedRun } from '../../machines/hosted-run.ts';
import type { Hosting } from './hosting.ts';

export interface Divergence {
  seq: number;
  actor: string;
  expected: EventBody | null;
  actual: EventBody | null;
}

export type Recovered = { hosted: HostedRun; lastAt: number } | { diverged: Divergence };

/** Folds the bodies of one run, in order. Synchronous; linear in their number. */
export function foldRecorded(hosting: Hosting, runId: string, bodies: Iterable<EventBody>): Recovered {
  let hosted = hosting.newRun(runId);
  let lastAt = 0;
  let batch: EventBody[] = [];
  const close = (): Divergence | null => {
    const [input] = batch;
    if (!input) return null;
    let events: EventBody[];
    try {
      const applied = hosting.applyInput(
        hosted,
        { type: input.type as InputEventType, data: input.data as never, at: input.at },
        input.epoch,
      );
      ({ events } = applied);
      hosted = applied.run;
    } catch {
      // An input that is not taken any more is a difference like any other.
      return { seq: input.seq, actor: input.actor, expected: input, actual: null };
    }
    lastAt = input.at;
    return firstDifference(batch, events);
  };
  for (const body of bodies) {
    if (isInput(body)) {
      const diverged = close();
      if (diverged) return { diverged };
      batch = [];
    }
    batch.push(body);
  }
  const diverged = close();
  return diverged ? { diverged } : { hosted, lastAt };
}

const isInput = (body: EventBody): boolean => (inputEventTypes as readonly string[]).includes(body.type);

function firstDifference(recorded: EventBody[], folded: EventBody[]): Divergence | null {
  for (let index = 0; index < Math.max(recorded.length, folded.length); index++) {
    const expected = recorded[index] ?? null;
    const actual = folded[index] ?? null;
    if (expected && actual && isDeepStrictEqual(expected, plain(actual))) continue;
    const either = (expected ?? actual) as EventBody;
    return { seq: either.seq, actor: either.actor, expected, actual };
  }
  return null;
}

/** As it reads after storing: without undefined fields. */
const plain = (body: EventBody): EventBody => JSON.parse(JSON.stringify(body)) as EventBody;

/** One line for a person. */
export function describeDivergence(runId: string, diverged: Divergence): string {
  const { seq, actor, expected, actual } = diverged;
  const said = `recorded ${expected?.type ?? 'nothing'}, now ${actual?.type ?? 'nothing'}`;
  return `run ${runId} would be decided differently at event ${seq} (${actor}: ${said}): see \`atesor replay ${runId}\``;
}
