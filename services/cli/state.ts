/** `atesor state RUN [--at N]`: the agent state, a fold over the run's first N events. */
import type { AgentState } from '../../events/agent-state.ts';
import { project } from '../../events/projection.ts';
import type { CommandLine } from './command-line.ts';
import { CliError } from './errors.ts';
import { exitCodes } from './exit-codes.ts';
import { cut, oneLine, table } from './format.ts';
import { withRecord } from './record.ts';
import type { Terminal } from './terminal.ts';

/** Columns of a value in the table; `--json` has it whole. */
const valueChars = 90;

const valueText = (value: unknown): string => {
  if (typeof value === 'string') return oneLine(value.split('\n')[0] ?? '');
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `${value.length}: ${JSON.stringify(value)}`;
  return JSON.stringify(value);
};

export const stateCommand = (line: CommandLine, terminal: Terminal): Promise<number> =>
  withRecord(async (log) => {
    const { runId, events } = log.findRun(line.operand);
    const at = line.at ?? events;
    if (at > events) throw new CliError(`run ${runId} has ${events} events; --at ${at} is beyond its end`);
    let state: AgentState | null = null;
    for (const event of log.readBodies(runId, 1, at)) state = project(state, event);
    if (state === null) throw new CliError(`run ${runId} has no state after event ${at}`);

    const { agentStateToJson } = await import('../../events/agent-state-json.ts');
    const json = agentStateToJson(state);
    if (line.json) terminal.out(`${JSON.stringify(json, null, 2)}\n`);
    else {
      terminal.out(`state of run ${runId} after event ${at} of ${events}\n`);
      terminal.out(
        table(Object.entries(json).map(([name, value]) => [name, cut(valueText(value), valueChars)])),
      );
    }
    return exitCodes.ok;
  });
