/**
 * `atesor replay RUN`: decides everything again from the recorded inputs and compares it with the record.
 * Opens the log read-only and nothing else: no network, no server, no sandbox, no file is written.
 */
import { replayBodies } from '../../machines/replay.ts';
import type { CommandLine } from './command-line.ts';
import { exitCodes } from './exit-codes.ts';
import { count, type Palette, palette } from './format.ts';
import { withRecord } from './record.ts';
import { storyOf } from './run-story.ts';
import { storyText } from './story-text.ts';
import type { Terminal } from './terminal.ts';

type Replayed = ReturnType<typeof replayBodies>;

/** Lines of a value shown side by side; beyond it the values differ in the large and `--json` has them whole. */
const valueLinesMax = 40;

const shown = (value: unknown): string[] =>
  (value === undefined ? '(nothing)' : JSON.stringify(value, null, 2)).split('\n').slice(0, valueLinesMax);

/** Two values beside each other, the differing lines marked. */
const sideBySide = (expected: unknown, actual: unknown, colours: Palette): string => {
  const left = shown(expected);
  const right = shown(actual);
  const width = Math.max('recorded'.length, ...left.map((line) => line.length));
  const rows = Array.from({ length: Math.max(left.length, right.length) }, (_, i) => {
    const [a, b] = [left[i] ?? '', right[i] ?? ''];
    return a === b ? `    ${a.padEnd(width)}   ${b}` : colours.warn(`  ! ${a.padEnd(width)}   ${b}`);
  });
  return [`    ${'recorded'.padEnd(width)}   decided now`, ...rows].join('\n');
};

const divergenceText = (diverged: NonNullable<Replayed['diverged']>, colours: Palette): string =>
  `\n${colours.bad(`diverged at event ${diverged.seq}`)} in ${diverged.actor}, field ${diverged.field}\n` +
  `${sideBySide(diverged.expected, diverged.actual, colours)}\n`;

export const replayCommand = (line: CommandLine, terminal: Terminal): Promise<number> =>
  withRecord((log) => {
    const row = log.findRun(line.operand);
    const bodies = [...log.readBodies(row.runId)];
    const { events, compared, diverged } = replayBodies(row.runId, bodies);
    if (line.json) terminal.out(`${JSON.stringify({ runId: row.runId, events, compared, diverged })}\n`);
    else {
      const colours = palette(terminal.colourOut);
      terminal.out(`${row.repoName}: replay of run ${row.runId}, ${count(events, 'event')}\n`);
      terminal.out(storyText(storyOf(bodies), colours));
      terminal.out(
        diverged === null
          ? `\n${colours.good('no divergence')}: ${count(compared, 'decision')} compared\n`
          : divergenceText(diverged, colours),
      );
    }
    return diverged === null ? exitCodes.ok : exitCodes.diverged;
  });
