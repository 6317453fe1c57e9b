/** What a failure showed, without the command's text or the place of the source: those decide nothing. */
import type { CommandResult, OutputLine, TextRef } from '../../events/records.ts';

export interface FailureEvidence {
  /** Null when no command ran (a clone, a scan, a fixer). */
  exitCode: number | null;
  signal: string | null;
  timedOut: boolean;
  /** By the kernel's counter; null when not known. */
  oomKilled: boolean | null;
  /** Lines worth deciding on, in order. */
  lines: readonly OutputLine[];
}

/** Lines kept of a text that no extractor has read. */
const linesMax = 400;

/** Characters of a line that rules look at: as many as an extractor keeps (events/records.ts, output line). */
export const lineCharsMax = 500;

/** From a command's result: the extracted lines, then those of the stored ends that the extractor left out. */
export function evidenceOf(result: CommandResult): FailureEvidence {
  const seen = new Set(result.lines.map((line) => line.text));
  const rest = [...refLines(result.stderr, 'stderr'), ...refLines(result.stdout, 'stdout')].filter(
    (line) => !seen.has(line.text),
  );
  return {
    exitCode: result.exitCode,
    signal: result.signal,
    timedOut: result.timedOut,
    oomKilled: result.oomKilled,
    lines: [...result.lines, ...rest].slice(0, linesMax),
  };
}

/** From a bare text, for failures that are no command's. */
export function evidenceOfText(text: string): FailureEvidence {
  return { exitCode: null, signal: null, timedOut: false, oomKilled: null, lines: textLines(text, 'stderr') };
}

const refLines = (ref: TextRef, stream: OutputLine['stream']): OutputLine[] => [
  ...textLines(ref.head, stream),
  // A whole text stands in `head` alone; of a longer one the last part of the head may be half a line.
  ...(ref.tail === '' || ref.tail === ref.head ? [] : textLines(ref.tail, stream)),
];

const textLines = (text: string, stream: OutputLine['stream']): OutputLine[] =>
  text
    .split(/\r?\n/)
    .map((line, index) => ({ line: index + 1, stream, tool: '', text: line.slice(0, lineCharsMax) }))
    .filter((line) => line.text.trim() !== '')
    .slice(0, linesMax);
