/**
 * Takes one run to its end, for `port` and `resume`: the live view or event lines, Ctrl-C, the summary.
 *
 * W1 every event of the run is folded here too, so the summary needs no file of the run.
 * W2 a first Ctrl-C is recorded as a pause, so the run can be resumed; nothing is lost by the second.
 * W3 with `--json` the last line is the result, however the run ended.
 */
import type { Engine, Notice, RunEnd } from '../engine.ts';
import type { CommandLine } from './command-line.ts';
import { exitCodes } from './exit-codes.ts';
import { palette } from './format.ts';
import { openLiveView } from './live-view.ts';
import { followForPeople, type RunFollower } from './run-follower.ts';
import { watchStopSignals } from './stop-signals.ts';
import { type Finished, quietText, resultJson, summaryText } from './summary.ts';
import type { Terminal } from './terminal.ts';
import { withDeadline } from './with-deadline.ts';

/** How long the pause of a run may take to be recorded before the program leaves all the same, ms. */
const pauseDeadlineMs = 15_000;

/** Notices that a person has to know; the others are for `--verbose`. */
const loudNotices = new Set<Notice['code']>(['natsDown', 'natsBack', 'ownerLost', 'runQuarantined', 'fault']);

type Outcome = Finished['outcome'];

export interface Watching {
  line: CommandLine;
  terminal: Terminal;
  runId: string;
  /** Opens the engine; its notices go to the view. */
  open(onNotice: (notice: Notice) => void): Promise<Engine>;
  /** Starts or resumes the run. */
  begin(engine: Engine): Promise<unknown>;
  /** May add to a run's outcome what this process did for it. */
  completed?(outcome: Outcome): Outcome | Promise<Outcome>;
  /** Prints only events after this seq; they were printed before. */
  afterSeq?: number;
}

/** Runs to the end of the run, or to a stop; answers with the program's exit code. */
export const watchRun = async (watching: Watching): Promise<number> => {
  const { line, terminal, runId } = watching;
  const view = openLiveView(terminal, { verbose: line.verbose, quiet: line.quiet || line.json });
  const follower = followForPeople(line, terminal, view, watching.afterSeq ?? 0);
  const signals = watchStopSignals();
  let engine: Engine | null = null;
  try {
    engine = await watching.open(({ code, message }) => {
      if (loudNotices.has(code) || line.verbose) view.say(message);
    });
    await watching.begin(engine);
    const following = engine.follow(runId, { onEvent: follower.onEvent, onOutput: view.output });
    const ended = await Promise.race([engine.finished(runId), signals.first]);
    if (typeof ended === 'number') {
      view.say('stopping; Ctrl-C again ends at once');
      await withDeadline(engine.pause(runId, 'interrupt'), pauseDeadlineMs);
      await follower.sawEvent('run.pauseRequested');
    } else if (ended.outcome !== null) await follower.sawEvent('run.finished');
    following.stop();
    view.stop();
    if (typeof ended === 'number')
      return leave(watching, 'stopped', ended, `stopped. Go on with it: atesor resume ${runId}`);
    if (ended.outcome === null) return leaveUnfinished(watching, ended);
    const outcome = (await watching.completed?.(ended.outcome)) ?? ended.outcome;
    return finish(watching, outcome, follower);
  } finally {
    view.stop();
    await engine?.close();
    signals.release();
  }
};

const finish = ({ line, terminal, runId }: Watching, outcome: Outcome, follower: RunFollower): number => {
  const { state, lastAt } = follower;
  if (line.json) terminal.out(`${resultJson(runId, outcome)}\n`);
  else if (state !== null) {
    const finished = { runId, outcome, state, endedAt: lastAt };
    terminal.out(line.quiet ? quietText(finished) : summaryText(finished, palette(terminal.colourOut)));
  }
  return outcome.exitCode;
};

/** A run that has not finished has no outputs. */
const leave = (
  { line, terminal, runId }: Watching,
  verdict: string,
  exitCode: number,
  text: string,
): number => {
  const outcome = { exitCode, verdict, recipe: null, report: null, state: null, artifacts: [] };
  if (line.json) terminal.out(`${resultJson(runId, outcome)}\n`);
  terminal.err(`${text}\n`);
  return exitCode;
};

const leaveUnfinished = (watching: Watching, { runId, status, reason }: RunEnd): number => {
  const because = reason === null ? '' : `: ${reason}`;
  if (status === 'quarantined') {
    const text = `atesor: run ${runId} was set aside, for this version decides differently from its record${because}. See: atesor replay ${runId}`;
    return leave(watching, status, exitCodes.failed, text);
  }
  const byPerson = status === 'paused' || status === 'cancelled';
  const text = `atesor: run ${runId} is ${status}${because}. Go on with it: atesor resume ${runId}`;
  return leave(watching, status, byPerson ? exitCodes.interrupted : exitCodes.failed, text);
};
