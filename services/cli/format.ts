/** Words for people: durations, counts, cut lines, colours. Pure. */
import { stripVTControlCharacters } from 'node:util';

/** `0.4 s`, `12 s`, `3 min 05 s`, `1 h 02 min`. */
export const duration = (ms: number): string => {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${String(whole % 60).padStart(2, '0')} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
};

/** `1 file`, `3 files`. */
export const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

/** Takes out what could move the cursor, change colours or turn the writing direction. */
const harmless = (text: string): string =>
  stripVTControlCharacters(text).replace(/[^\P{Cc}\n\t]|\p{Bidi_Control}/gu, '');

/** The last line of a text, harmless to a terminal; of parts separated by `\r` the last, as a terminal shows it. */
export const oneLine = (text: string): string => {
  const line = text.trimEnd().split('\n').at(-1) ?? '';
  return harmless(line.split('\r').at(-1) ?? '').replaceAll('\t', ' ');
};

/** A text of several lines, harmless to a terminal. */
export const cleaned = (text: string): string => harmless(text.replaceAll('\r\n', '\n'));

/** Columns that one character takes on a terminal: East Asian wide and emoji take two. */
const columnsOf = (char: string): number =>
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u.test(
    char,
  )
    ? 2
    : /\p{Mark}/u.test(char)
      ? 0
      : 1;

/** Cuts a line to a width in columns; a cut line ends in `…`. */
export const cut = (text: string, width: number): string => {
  let used = 0;
  let kept = '';
  for (const char of text) {
    const next = used + columnsOf(char);
    if (next > width) {
      while (used > width - 1) {
        const last = [...kept].at(-1) ?? '';
        kept = kept.slice(0, kept.length - last.length);
        used -= columnsOf(last) || 1;
      }
      return `${kept}…`;
    }
    used = next;
    kept += char;
  }
  return kept;
};

/** Time of an event in UTC, `2026-01-31 12:00:00`. */
export const time = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ');

export interface Palette {
  good(text: string): string;
  bad(text: string): string;
  warn(text: string): string;
  faint(text: string): string;
  strong(text: string): string;
}

const sgr = (code: number) => (text: string) => `\u001b[${code}m${text}\u001b[0m`;
const plain = (text: string): string => text;

export const palette = (coloured: boolean): Palette =>
  coloured
    ? { good: sgr(32), bad: sgr(31), warn: sgr(33), faint: sgr(2), strong: sgr(1) }
    : { good: plain, bad: plain, warn: plain, faint: plain, strong: plain };

/** Rows as columns, each as wide as its widest cell, two blanks between; the last column is not padded. */
export const table = (rows: readonly (readonly string[])[]): string => {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, i) => {
      widths[i] = Math.max(widths[i] ?? 0, cell.length);
    });
  return rows
    .map((row) =>
      row.map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i] ?? 0))).join('  '),
    )
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
};
