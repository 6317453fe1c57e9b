/** What the command line does with each event of the run it follows: fold it, print it, show it. */
import type { AgentState } from '../../events/agent-state.ts';
import type { AnyEvent } from '../../events/envelope.ts';
import { project } from '../../events/projection.ts';
import type { CommandLine } from './command-line.ts';
import { envelopeMaker } from './envelopes.ts';
import type { LiveView } from './live-view.ts';
import type { Terminal } from './terminal.ts';
import { withDeadline } from './with-deadline.ts';

/** The end of a run and its events come by different ways; the events are behind by moments, ms. */
const eventDeadlineMs = 5_000;

export interface RunFollower {
  onEvent(event: AnyEvent): void;
  /** Resolves when an event of this type has been seen, or after some seconds. */
  sawEvent(type: AnyEvent['type']): Promise<void>;
  /** The state after the last event seen; null before the first. */
  readonly state: AgentState | null;
  /** Time of the last event seen, epoch ms. */
  readonly lastAt: number;
}

/**
 * Follows a run from its first event on.
 * @param afterSeq events up to this one were shown before: they are folded, not printed
 */
export const followForPeople = (
  line: CommandLine,
  terminal: Terminal,
  view: LiveView,
  afterSeq: number,
): RunFollower => {
  const envelope = envelopeMaker();
  const seen = new Set<string>();
  let state: AgentState | null = null;
  let lastAt = 0;
  let wake = (): void => undefined;

  return {
    onEvent: (event) => {
      state = project(state, event);
      lastAt = event.at;
      const full = line.json ? envelope(event) : null;
      const isNew = event.seq > afterSeq;
      if (full !== null && isNew) terminal.out(`${JSON.stringify(full)}\n`);
      view.event(event, isNew);
      if (isNew) seen.add(event.type);
      wake();
    },
    sawEvent: (type) =>
      withDeadline(
        new Promise<void>((resolve) => {
          wake = () => {
            if (seen.has(type)) resolve();
          };
          wake();
        }),
        eventDeadlineMs,
      ),
    get state() {
      return state;
    },
    get lastAt() {
      return lastAt;
    },
  };
};
