/** What stands at the end of a port: verdict, outputs, losses, and the next step. Pure. */
import type { AgentState } from '../../events/agent-state.ts';
import type { EventDataByType } from '../../events/catalogue.ts';
import { exitCodes } from './exit-codes.ts';
import { cut, duration, oneLine, type Palette, table, time } from './format.ts';

type Outcome = EventDataByType['run.finished'];

/** Source: upstream facts §1.1: what is printed of the last error, characters, and how many audit events. */
const lastErrorChars = 500;
const auditEventsShown = 10;
/** Artifacts listed by name; the report has all. */
const artifactsShown = 20;

const verdictText = (outcome: Outcome, colours: Palette): string => {
  if (outcome.exitCode === exitCodes.ok) return colours.good(`${outcome.verdict}: proven riscv64`);
  if (outcome.exitCode === exitCodes.unproven)
    return colours.warn(`${outcome.verdict}: built, but no riscv64 output was proven`);
  return colours.bad(outcome.verdict);
};

const artifactLines = (outcome: Outcome): string[] => {
  const shown = outcome.artifacts.slice(0, artifactsShown);
  const more = outcome.artifacts.length - shown.length;
  return [
    ...shown.map(({ path, machine, abi }) => `  ${path}  ${machine} ${abi}`.trimEnd()),
    ...(more > 0 ? [`  and ${more} more, see the report`] : []),
  ];
};

/** The last error with category and severity, then the last audit events: what the existing system prints at exit 1. */
const failureText = (state: AgentState, colours: Palette): string => {
  const error =
    state.lastError === null
      ? ''
      : `\n${colours.strong('Last error')} (${state.lastErrorCategory ?? 'UNKNOWN'}, severity ${state.lastErrorSeverity ?? 'medium'})\n` +
        `${cut(state.lastError, lastErrorChars)}\n`;
  const audit = state.auditTrail
    .slice(-auditEventsShown)
    .map(({ timestamp, agent, event, data }) => [
      `  ${time(timestamp)}`,
      agent,
      event,
      cut(oneLine(JSON.stringify(data)), 100),
    ]);
  return `${error}${audit.length === 0 ? '' : `\n${colours.strong('Last audit events')}\n${table(audit)}`}`;
};

export interface Finished {
  runId: string;
  outcome: Outcome;
  state: AgentState;
  /** Epoch ms of the run's last event. */
  endedAt: number;
}

/** The summary of a finished run, for standard output. */
export const summaryText = ({ runId, outcome, state, endedAt }: Finished, colours: Palette): string => {
  const took = duration(endedAt - state.executionStartTime);
  const reason = state.x.outcome?.reason ?? state.artifactVerification?.reason ?? '';
  const files = (['recipe', 'report', 'state'] as const).flatMap((name) =>
    outcome[name] === null ? [] : [[name, outcome[name]]],
  );
  const rows = [
    ...files,
    ...state.x.losses.map(({ what, because }) => ['lost', `${what} (${oneLine(because)})`]),
    ['run', `${runId}, took ${took}`],
    ['replay', `atesor replay ${runId}`],
  ];
  return (
    `${colours.strong(state.repoName)}  ${verdictText(outcome, colours)}\n` +
    (reason === '' ? '' : `${oneLine(reason)}\n`) +
    artifactLines(outcome)
      .map((line) => `${line}\n`)
      .join('') +
    table(rows) +
    (outcome.exitCode === exitCodes.failed ? failureText(state, colours) : '')
  );
};

/** One line for `--quiet`: the verdict and where the recipe, or at a failure the report, is. */
export const quietText = ({ outcome, state }: Finished): string =>
  `${state.repoName}: ${outcome.verdict}${(outcome.recipe ?? outcome.report) ? `, ${outcome.recipe ?? outcome.report}` : ''}\n`;

/** The last line of `--json` (docs/schemas/port-result.json). */
export const resultJson = (runId: string, outcome: Outcome): string =>
  JSON.stringify({
    runId,
    exitCode: outcome.exitCode,
    verdict: outcome.verdict,
    recipe: outcome.recipe,
    report: outcome.report,
    state: outcome.state,
    artifacts: outcome.artifacts.map(({ path, type, machine, abi, sha256 }) => ({
      path,
      type,
      machine,
      abi,
      sha256,
    })),
  });
