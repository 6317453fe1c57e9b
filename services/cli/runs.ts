/** `atesor runs`: all runs, the newest first. */
import type { RunRow } from '../../events/log-types.ts';
import type { CommandLine } from './command-line.ts';
import { exitCodes } from './exit-codes.ts';
import { duration, oneLine, table, time } from './format.ts';
import { isMissingLog, withRecord } from './record.ts';
import type { Terminal } from './terminal.ts';

/** A run in machine-readable output (docs/schemas/runs.json). Times are epoch ms. */
export const runToJson = (row: RunRow) => ({
  runId: row.runId,
  source: row.source,
  repoName: row.repoName,
  platform: row.platform,
  status: row.status,
  verdict: row.verdict,
  exitCode: row.exitCode,
  startedAt: row.startedAt,
  endedAt: row.endedAt,
  events: row.events,
  costUsd: row.costUsd,
});

const rowText = (row: RunRow): string[] => [
  row.runId,
  time(row.startedAt),
  row.endedAt === null ? '' : duration(row.endedAt - row.startedAt),
  row.status === 'finished' ? (row.verdict ?? '') : row.status,
  row.exitCode === null ? '' : String(row.exitCode),
  oneLine(row.source),
];

export const runsCommand = async (line: CommandLine, terminal: Terminal): Promise<number> => {
  const rows = await withRecord((log) => log.listRuns()).catch((error: unknown) => {
    // Nothing was ever ported here: an empty list, not an error.
    if (isMissingLog(error)) return [];
    throw error;
  });
  if (line.json) terminal.out(`${JSON.stringify(rows.map(runToJson))}\n`);
  else if (rows.length === 0) terminal.out('no runs yet: start one with `atesor port SOURCE`\n');
  else
    terminal.out(
      table([['RUN', 'STARTED (UTC)', 'TOOK', 'VERDICT', 'EXIT', 'SOURCE'], ...rows.map(rowText)]),
    );
  return exitCodes.ok;
};
