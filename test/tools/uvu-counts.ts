import { stripVTControlCharacters } from 'node:util';

/** Counts that uvu prints at the end of a file's run. */
export interface TestCounts {
  total: number;
  passed: number;
  skipped: number;
}

/**
 * Adds up uvu's closing lines. Null when it printed none: the file died before its end, or never called `run()`
 * (uvu calls both a success).
 */
export const uvuCounts = (output: string): TestCounts | null => {
  const plain = stripVTControlCharacters(output);
  const sum = (label: string): number =>
    [...plain.matchAll(new RegExp(`^ {2}${label}:\\s+(\\d+)`, 'gm'))].reduce(
      (total, [, digits]) => total + Number(digits),
      0,
    );
  if (!/^ {2}Total:\s+\d+/m.test(plain)) return null;
  return { total: sum('Total'), passed: sum('Passed'), skipped: sum('Skipped') };
};
