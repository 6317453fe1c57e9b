/**
 * Replay: folds the recorded inputs of a run again and compares every derived event with the recorded one.
 * Pure: it has no log, network, sandbox or model to reach; it proves the code against the history.
 */
import { type InputEventType, inputEventTypes } from '../events/catalogue.ts';
import type { EventBody } from '../events/envelope.ts';
import { withoutTheWorld } from './determinism.ts';
import { firstDifference } from './first-difference.ts';
import { applyInput, newRun } from './host.ts';
import type { HostedRun, RunInput } from './hosted-run.ts';

/** The first event that this code would not have recorded. */
export interface Divergence {
  seq: number;
  actor: string;
  /** Path of the first differing field, such as `data.to`; `event` when one of the two is missing. */
  field: string;
  expected: unknown;
  actual: unknown;
}

export interface ReplayReport {
  /** The run as far as it was folded. */
  run: HostedRun;
  /** Events read, and events that were compared and are equal. */
  events: number;
  compared: number;
  diverged: Divergence | null;
}

/**
 * Replays a run from its first event. Stops at the first difference.
 *
 * @param bodies the run's events in order of seq, cut (if at all) at the end of a commit
 */
export function replayBodies(runId: string, bodies: Iterable<EventBody>): ReplayReport {
  let run = newRun(runId);
  let events = 0;
  let compared = 0;
  for (const commit of commitsOf(bodies)) {
    events += commit.length;
    const next = replayCommit(run, commit);
    compared += next.compared;
    if (next.diverged) return { run, events, compared, diverged: next.diverged };
    run = next.run;
  }
  return { run, events, compared, diverged: null };
}

/** Folds one commit: its input, compared with all that was recorded after it. */
export function replayCommit(
  run: HostedRun,
  commit: readonly EventBody[],
): { run: HostedRun; compared: number; diverged: Divergence | null } {
  const [input] = commit as [EventBody];
  const { seq, actor } = input;
  if (input.seq !== run.seq + 1) {
    return { run, compared: 0, diverged: { seq, actor, field: 'seq', expected: run.seq + 1, actual: seq } };
  }
  let folded: ReturnType<typeof applyInput>;
  try {
    const { type, data, at, epoch } = input;
    folded = withoutTheWorld(() => applyInput(run, { type, data, at } as RunInput, epoch));
  } catch (cause) {
    const actual = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
    return { run, compared: 0, diverged: { seq, actor, field: 'fold', expected: input.type, actual } };
  }
  const length = Math.max(commit.length, folded.events.length);
  for (let index = 0; index < length; index += 1) {
    const expected = commit[index];
    const actual = folded.events[index];
    if (!expected || !actual) {
      const there = (expected ?? actual) as EventBody;
      return {
        run,
        compared: index,
        diverged: {
          seq: there.seq,
          actor: there.actor,
          field: 'event',
          expected: expected?.type ?? null,
          actual: actual?.type ?? null,
        },
      };
    }
    // `commit` says only how many events follow: compared first, it would hide which of them differs.
    const difference = firstDifference({ ...expected, commit: actual.commit }, actual);
    if (difference) {
      return { run, compared: index, diverged: { seq: expected.seq, actor: expected.actor, ...difference } };
    }
  }
  const misplaced = commit.find((event) => event.commit !== commit.at(-1)?.seq);
  if (misplaced) {
    const { seq: at, actor: who, commit: expected } = misplaced;
    const diverged = { seq: at, actor: who, field: 'commit', expected, actual: commit.at(-1)?.seq };
    return { run, compared: misplaced.seq - seq, diverged };
  }
  return { run: folded.run, compared: commit.length, diverged: null };
}

/** Groups events into commits: an input and what was recorded after it. */
export function* commitsOf(bodies: Iterable<EventBody>): Generator<EventBody[]> {
  let commit: EventBody[] = [];
  for (const body of bodies) {
    if (isInput(body) && commit.length > 0) {
      yield commit;
      commit = [];
    }
    commit.push(body);
  }
  if (commit.length > 0) yield commit;
}

const isInput = (body: EventBody): boolean => inputEventTypes.includes(body.type as InputEventType);
