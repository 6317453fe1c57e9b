/** The words of one command, and which of them is the program it starts. */
import { endOfUnit } from './segments.ts';

/** `raw` as written, `value` without its quotes. Substitutions stay as they are in both. */
export interface Word {
  raw: string;
  value: string;
  start: number;
  end: number;
}

export function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  let i = 0;
  while (i < text.length) {
    if (/\s/.test(text[i] as string)) {
      i += 1;
      continue;
    }
    const start = i;
    while (i < text.length && !/\s/.test(text[i] as string)) i = endOfUnit(text, i);
    const raw = text.slice(start, i);
    if (!raw.startsWith('#')) words.push({ raw, value: unquoted(raw), start, end: i });
  }
  return words;
}

/** What a command starts: the program's word and the words after it. */
export interface Program {
  /** As written in the command, without quotes: `make`, `./configure`, `/usr/bin/gcc`. */
  name: string;
  /** Index of the program's first character in the command's text. */
  start: number;
  args: Word[];
  /** Assignments before it, such as `CC=clang`, in order. */
  assignments: Word[];
}

const keywords = new Set(['if', 'then', 'else', 'elif', 'while', 'until', 'do', '!', '{', 'time']);
/** Programs that start another one, and how many words of theirs follow an option. */
const wrappers: Record<string, { optionsWithValue: string[]; operands: number }> = {
  sudo: { optionsWithValue: ['-u', '-g', '-C', '-h', '-p'], operands: 0 },
  env: { optionsWithValue: ['-u', '-C', '-S'], operands: 0 },
  nice: { optionsWithValue: ['-n'], operands: 0 },
  ionice: { optionsWithValue: ['-c', '-n'], operands: 0 },
  timeout: { optionsWithValue: ['-k', '-s'], operands: 1 },
  command: { optionsWithValue: [], operands: 0 },
  exec: { optionsWithValue: ['-a'], operands: 0 },
  nohup: { optionsWithValue: [], operands: 0 },
};
const assignment = /^[A-Za-z_]\w*\+?=/;

/** The program that one command (a segment's text) starts; null for a subshell, a comment or nothing. */
export function programOf(text: string): Program | null {
  const words = wordsOf(text);
  const assignments: Word[] = [];
  let i = 0;
  while (i < words.length) {
    const word = words[i] as Word;
    if (keywords.has(word.value)) i += 1;
    else if (assignment.test(word.raw)) {
      assignments.push(word);
      i += 1;
    } else if (Object.hasOwn(wrappers, word.value)) {
      const next = afterWrapper(words, i);
      if (next >= words.length) break; // `env` alone is the program itself
      i = next;
    } else if (word.raw.startsWith('(')) return null;
    else break;
  }
  const program = words[i];
  if (program === undefined) return null;
  return { name: program.value, start: program.start, args: words.slice(i + 1), assignments };
}

/** The program's name without its folder. */
export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

function afterWrapper(words: Word[], at: number): number {
  const wrapper = wrappers[(words[at] as Word).value] as (typeof wrappers)[string];
  let i = at + 1;
  while (i < words.length && (words[i] as Word).value.startsWith('-')) {
    i += wrapper.optionsWithValue.includes((words[i] as Word).value) ? 2 : 1;
  }
  return i + wrapper.operands;
}

/** A word as the shell must see it; plain ones stay as they are. */
export function quoted(value: string): string {
  return /^[\w@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}

function unquoted(raw: string): string {
  let value = '';
  let i = 0;
  while (i < raw.length) {
    const end = endOfUnit(raw, i);
    const unit = raw.slice(i, end);
    if (unit.startsWith("'")) value += unit.slice(1, unit.length > 1 && unit.endsWith("'") ? -1 : undefined);
    else if (unit.startsWith('"')) {
      const inner = unit.slice(1, unit.length > 1 && unit.endsWith('"') ? -1 : undefined);
      value += inner.replaceAll(/\\(["\\$`])/g, '$1');
    } else if (unit.startsWith('\\')) value += unit.slice(1);
    else value += unit;
    i = end;
  }
  return value;
}
