/** `atesor resume RUN`: goes on with a run that was stopped, or whose process was killed. */
import { homePath, openHome } from '../home.ts';
import { openEngine } from '../wire.ts';
import type { CommandLine } from './command-line.ts';
import { engineOptions } from './engine-options.ts';
import { CliError } from './errors.ts';
import { withRecord } from './record.ts';
import type { Terminal } from './terminal.ts';
import { watchRun } from './watch-run.ts';

export const resumeCommand = async (line: CommandLine, terminal: Terminal): Promise<number> => {
  const row = await withRecord((log) => log.findRun(line.operand));
  if (row.status === 'finished')
    throw new CliError(
      `run ${row.runId} has finished (${row.verdict}); see it with: atesor show ${row.runId}`,
    );
  const home = openHome(homePath());
  return watchRun({
    line,
    terminal,
    runId: row.runId,
    afterSeq: row.version,
    open: (onNotice) => openEngine(engineOptions(home.root, process.env, onNotice)),
    begin: (engine) => engine.resume(row.runId),
  });
};
