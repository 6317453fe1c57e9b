/** A run in memory. Nothing here but `owner` is not in the log: it can be dropped and folded again at any time. */
import type { LogReader } from '../../events/log-types.ts';
import type { HostedRun } from '../../machines/hosted-run.ts';
import { type Divergence, replayBodies } from '../../machines/replay.ts';

export interface DrivenRun {
  readonly runId: string;
  hosted: HostedRun;
  /** `at` of its last event, epoch ms: a run's time never goes back, whatever the clock does. */
  lastAt: number;
  /** The worker that does its effects; null when its process went away: nothing is asked until `resume`. */
  owner: string | null;
}

export const hasEnded = (run: DrivenRun): boolean =>
  run.hosted.status === 'finished' || run.hosted.status === 'cancelled';

/**
 * Folds a recorded run, comparing every derived event with the recorded one: a run that this code would have
 * decided differently is not gone on with. Linear in its events.
 */
export function recoverRun(log: LogReader, runId: string): DrivenRun | { diverged: Divergence } {
  let lastAt = 0;
  const bodies = function* () {
    for (const body of log.readBodies(runId)) {
      lastAt = Math.max(lastAt, body.at);
      yield body;
    }
  };
  const { run, diverged } = replayBodies(runId, bodies());
  return diverged ? { diverged } : { runId, hosted: run, lastAt, owner: null };
}

/** One line for a person. */
export function describeDivergence(runId: string, { seq, actor, field }: Divergence): string {
  return `this version would decide run ${runId} differently from event ${seq} on (${actor}, ${field}): see \`atesor replay ${runId}\``;
}
