/**
 * Writes state, recipe, report and patches of a run from the state as it was when they were asked for.
 *
 * Twice is harmless: names and contents come from the log up to the asking event, so the same files are written
 * again, each whole or not at all.
 */
import { join } from 'node:path';
import type { AgentState } from '../../events/agent-state.ts';
import { agentStateToJson } from '../../events/agent-state-json.ts';
import { openLog } from '../../events/log.ts';
import { project } from '../../events/projection.ts';
import { homeLayout } from '../home.ts';
import { outputNames, ownPath, writeWhole } from '../report/output-files.ts';
import { reportMarkdown } from '../report/report.ts';
import { EffectError, type EffectHandler } from './handler.ts';

/** The state at the event with this id, which is part of it, and that event's time. */
const stateAt = (logPath: string, runId: string, effectId: string): { state: AgentState; at: number } => {
  const log = openLog(logPath, { readonly: true });
  try {
    let state: AgentState | null = null;
    for (const event of log.readBodies(runId)) {
      state = project(state, event);
      if (event.id === effectId && state !== null) return { state, at: event.at };
    }
  } finally {
    log.close();
  }
  throw new EffectError('internal', `run ${runId} has no event ${effectId} that asks for outputs`);
};

const asEffectError = (error: unknown, folder: string): EffectError => {
  if (error instanceof EffectError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new EffectError('diskFull', `no space left for the outputs in ${folder}`, { cause: error });
  if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM')
    return new EffectError('denied', `the outputs cannot be written to ${folder} (${code})`, {
      cause: error,
    });
  return new EffectError('internal', `the outputs were not written: ${message}`, { cause: error });
};

/** @throws {EffectError} `diskFull`, `denied`, `internal` */
export const writeOutputs: EffectHandler<'writeOutputs'> = async (
  { exitCode },
  { home, runId, effectId },
) => {
  const { output, log } = homeLayout(home);
  try {
    const { state, at } = stateAt(log, runId, effectId);
    const names = outputNames(state.repoName, at);
    const write = (name: string, text: string): Promise<string> => writeWhole(join(output, name), text);

    const recipe = state.portingRecipe === null ? null : await write(names.recipe, state.portingRecipe);
    const patches: string[] = [];
    for (const [i, patch] of state.patchesGenerated.entries())
      patches.push(await write(names.patch(i + 1), patch));
    const own = (name: string): Promise<string> => ownPath(output, name, runId);
    const report = await writeWhole(await own(names.report), reportMarkdown({ state, exitCode, at }));
    const json = `${JSON.stringify(agentStateToJson(state), null, 2)}\n`;
    const stateFile = await writeWhole(await own(names.state), json);
    return { recipe, report, state: stateFile, patches };
  } catch (error) {
    throw asEffectError(error, output);
  }
};
