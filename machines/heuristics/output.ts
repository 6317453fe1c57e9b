/** What a failed command said, for rules that look for a message. Both streams: ninja prints errors on stdout. */
import type { CommandResult } from '../../events/records.ts';
import { lineCharsMax } from '../errors/evidence.ts';

/** The extracted lines, then the ends of both streams: at most 64 lines and 16 KiB. */
export function outputText(result: CommandResult): string {
  return [
    ...result.lines.map((line) => line.text),
    result.stderr.head,
    result.stderr.tail,
    result.stdout.head,
    result.stdout.tail,
  ]
    .join('\n')
    .split('\n')
    .map((line) => line.slice(0, lineCharsMax))
    .join('\n');
}

/** True when the command said nothing at all. */
export const wasSilent = (result: CommandResult): boolean =>
  result.lines.length === 0 && result.stderr.size === 0 && result.stdout.size === 0;

/** All first groups of a global pattern, without doubles, in order. */
export const allGroups = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].map((match) => match.slice(1).find((g) => g !== undefined) ?? '')),
];
