/**
 * Follows one run to its end, for `port` and `resume`: the live view or event lines, Ctrl-C, the summary.
 *
 * W1 every event of the run is folded here too, so the summary needs no file of the run.
 * W2 a first Ctrl-C is recorded as a pause, so the run can be resumed; nothing is lost by the second.
 */
import type { AgentState } from '../../events/agent-state.ts';
import type { AnyEvent } from '../../events/envelope.ts';
import { project } from '../../events/projection.ts';
import type { Engine, Notice, RunEnd } from '../engine.ts';
import type { CommandLine } from './command-line.ts';
import { envelopeMaker } from './envelopes.ts';
import { exitCodes } from './exit-codes.ts';
import { palette } from './format.ts';
import { openLiveView } from './live-view.ts';
import { watchStopSignals } from './stop-signals.ts';
import { type Finished, quietText, resultJson, summaryText } from './summary.ts';
import type { Terminal } from './terminal.ts';

/** How long the pause of a run may take to be recorded before the program leaves all the same, ms. */
const pauseDeadlineMs = 15_000;

/** Notices that a person has to know; the others are for `--verbose`. */
const loudNotices = new Set<Notice['code']>(['natsDown', 'natsBack', 'ownerLost', 'runQuarantined', 'fault']);

export interface Watching {
  line: CommandLine;
  terminal: Terminal;
  /** Opens the engine; its notices go to the view. */
  open(onNotice: (notice: Notice) => void): Promise<Engine>;
  runId: string;
  /** Starts or resumes the run. */
  begin(engine: Engine): Promise<unknown>;
  /** May add to a run's outcome what this process did for it. */
  completed?(outcome: Finished['outcome']): Finished['outcome'] | Promise<Finished['outcome']>;
  /** Prints only events after this seq; they were printed before. */
  afterSeq?: number;
}

const withDeadline = async (work: Promise<unknown>, ms: number): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work.catch(() => undefined), late]);
  clearTimeout(timer);
};

const endText = (end: RunEnd): string => {
  if (end.status === 'quarantined')
    return `run ${end.runId} was set aside: this version decides differently from its record${end.reason ? ` (${end.reason})` : ''}. See: atesor replay ${end.runId}`;
  return `run ${end.runId} is ${end.status}${end.reason ? `: ${end.reason}` : ''}. Go on with it: atesor resume ${end.runId}`;
};

/** Runs to the end of the run, or to a stop; answers with the program's exit code. */
export const watchRun = async (watching: Watching): Promise<number> => {
  const { line, terminal, runId } = watching;
  const view = openLiveView(terminal, { verbose: line.verbose, quiet: line.quiet || line.json });
  const signals = watchStopSignals();
  const envelope = envelopeMaker();
  let state: AgentState | null = null;
  let endedAt = 0;

  const onEvent = (event: AnyEvent): void => {
    state = project(state, event);
    endedAt = event.at;
    const full = line.json ? envelope(event) : null;
    if (event.seq <= (watching.afterSeq ?? 0)) return;
    if (full !== null) terminal.out(`${JSON.stringify(full)}\n`);
    view.event(event);
  };
  const finish = (outcome: Finished['outcome']): number => {
    if (line.json) terminal.out(`${resultJson(runId, outcome)}\n`);
    else if (state !== null) {
      const finished = { runId, outcome, state, endedAt };
      terminal.out(line.quiet ? quietText(finished) : summaryText(finished, palette(terminal.colourOut)));
    }
    return outcome.exitCode;
  };

  let engine: Engine | null = null;
  try {
    engine = await watching.open(({ code, message }) => {
      if (loudNotices.has(code) || line.verbose) view.say(message);
    });
    await watching.begin(engine);
    const following = engine.follow(runId, { onEvent, onOutput: view.output });
    const ended = await Promise.race([engine.finished(runId), signals.first]);
    if (typeof ended === 'number') {
      view.say('stopping; Ctrl-C again ends at once');
      await withDeadline(engine.pause(runId, 'interrupt'), pauseDeadlineMs);
    }
    following.stop();
    view.stop();
    if (typeof ended === 'number') {
      terminal.err(`stopped. Go on with it: atesor resume ${runId}\n`);
      return ended;
    }
    if (ended.outcome !== null)
      return finish(watching.completed ? await watching.completed(ended.outcome) : ended.outcome);
    terminal.err(`atesor: ${endText(ended)}\n`);
    return ended.status === 'paused' || ended.status === 'cancelled'
      ? exitCodes.interrupted
      : exitCodes.failed;
  } finally {
    view.stop();
    await engine?.close();
    signals.release();
  }
};
