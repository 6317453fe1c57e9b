/** `atesor show RUN`: how a run went. */
import type { CommandLine } from './command-line.ts';
import { exitCodes } from './exit-codes.ts';
import { count, duration, palette, time } from './format.ts';
import { withRecord } from './record.ts';
import { storyOf } from './run-story.ts';
import { runToJson } from './runs.ts';
import { outputsText, storyText } from './story-text.ts';
import type { Terminal } from './terminal.ts';

export const showCommand = (line: CommandLine, terminal: Terminal): Promise<number> =>
  withRecord((log) => {
    const row = log.findRun(line.operand);
    const story = storyOf(log.readBodies(row.runId));
    if (line.json) {
      const { path, decisions, errors, repairs, losses, reason, outcome } = story;
      const shown = { ...runToJson(row), reason, path, decisions, errors, repairs, losses, outcome };
      terminal.out(`${JSON.stringify(shown)}\n`);
      return exitCodes.ok;
    }
    const colours = palette(terminal.colourOut);
    const verdict = row.status === 'finished' ? `${row.verdict}, exit code ${row.exitCode}` : row.status;
    const took = duration((row.endedAt ?? story.lastAt) - row.startedAt);
    terminal.out(`${colours.strong(`${row.repoName}: ${verdict}`)}\n`);
    terminal.out(`  ${row.source} for ${row.platform}, run ${row.runId}\n`);
    terminal.out(`  started ${time(row.startedAt)} UTC, took ${took}, ${count(row.events, 'event')}\n`);
    if (story.reason) terminal.out(`  ${story.reason}\n`);
    if (row.quarantineReason) terminal.out(`  ${colours.bad(`quarantined: ${row.quarantineReason}`)}\n`);
    terminal.out(storyText(story, colours) + outputsText(story, colours));
    if (['running', 'paused'].includes(row.status))
      terminal.out(`\nGo on with it: atesor resume ${row.runId}\n`);
    return exitCodes.ok;
  });
