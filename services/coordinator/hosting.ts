/** The pure host that a coordinator folds with, and what it keeps of a run that is being driven. */
import type { InputEventType } from '../../events/catalogue.ts';
import type { EventBody } from '../../events/envelope.ts';
import type { HostedRun, RunInput } from '../../machines/hosted-run.ts';

/** `machines/host.ts`; given, so that a test may fold with other machines. */
export interface Hosting {
  newRun(runId: string): HostedRun;
  applyInput<T extends InputEventType>(
    run: HostedRun,
    input: RunInput<T>,
    epoch: number,
  ): { run: HostedRun; events: EventBody[] };
}

/** A run in memory. Nothing here but `owner` is not in the log: it can be dropped and folded again at any time. */
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
