/**
 * A shell command line as its parts: which commands it has, and what stands between them.
 *
 * This is no shell: it knows quotes, substitutions, subshells, here-documents and comments well enough to
 * say where one command ends and the next begins, and keeps every character where it was, so that a part
 * can be replaced without touching the rest. It never throws; text it cannot follow is one part.
 */

export type Separator = '&&' | '||' | ';' | '|' | '&' | '\n' | '';

/** One command: `command.slice(start, end) === text`, without blanks around it. `after` is what follows it. */
export interface Segment {
  text: string;
  start: number;
  end: number;
  after: Separator;
}

/** The commands of a line, in order; empty ones are left out. */
export function segmentsOf(command: string): Segment[] {
  const segments: Segment[] = [];
  const add = (from: number, to: number, after: Separator): void => {
    const raw = command.slice(from, to);
    const text = raw.trim();
    if (text === '') return;
    const start = from + (raw.length - raw.trimStart().length);
    segments.push({ text, start, end: start + text.length, after });
  };
  let from = 0;
  let i = 0;
  let hereDocuments: string[] = [];
  while (i < command.length) {
    const separator = separatorAt(command, i);
    if (separator !== '') {
      add(from, i, separator);
      i += command.startsWith('|&', i) ? 2 : separator.length;
      if (separator === '\n' && hereDocuments.length > 0) {
        // The text of a here-document belongs to the command before it, not to the ones after.
        const end = endOfHereDocuments(command, i, hereDocuments);
        const last = segments.at(-1);
        if (last !== undefined) {
          last.text = command.slice(last.start, end).trimEnd();
          last.end = last.start + last.text.length;
        }
        hereDocuments = [];
        i = end;
      }
      from = i;
      continue;
    }
    const here = /^<<-?\s*(['"]?)([A-Za-z_]\w*)\1/.exec(command.slice(i, i + 80));
    if (here !== null && command[i - 1] !== '<') {
      hereDocuments.push(here[2] as string);
      i += here[0].length;
      continue;
    }
    i = endOfUnit(command, i);
  }
  add(from, command.length, '');
  return segments;
}

/** The line with some of its commands replaced; `null` from `change` leaves one as it is. */
export function mapSegments(
  command: string,
  change: (segment: Segment, index: number) => string | null,
): string {
  let result = '';
  let from = 0;
  segmentsOf(command).forEach((segment, index) => {
    const text = change(segment, index);
    if (text === null) return;
    result += command.slice(from, segment.start) + text;
    from = segment.end;
  });
  return result + command.slice(from);
}

/** The index after the unit at `i`: one character, or a whole quoted, substituted or bracketed stretch. */
export function endOfUnit(command: string, i: number): number {
  const char = command[i];
  if (char === '\\') return Math.min(i + 2, command.length);
  if (char === "'") {
    const end = command.indexOf("'", i + 1);
    return end < 0 ? command.length : end + 1;
  }
  if (char === '"') return endOfNested(command, i + 1, '"');
  if (char === '`') return endOfNested(command, i + 1, '`');
  if (char === '$' && command[i + 1] === '(') return endOfNested(command, i + 2, ')');
  if (char === '$' && command[i + 1] === '{') return endOfNested(command, i + 2, '}');
  if (char === '(') return endOfNested(command, i + 1, ')');
  if (char === '#' && (i === 0 || /\s|[;&|]/.test(command[i - 1] as string))) {
    const end = command.indexOf('\n', i);
    return end < 0 ? command.length : end;
  }
  return i + 1;
}

/** Deepest nesting followed; deeper text is one unit. Real commands have 3 or 4. */
const depthMax = 50;

function endOfNested(command: string, from: number, close: string, depth = 0): number {
  let i = from;
  while (i < command.length) {
    const char = command[i] as string;
    if (char === close) return i + 1;
    if (char === '\\') i += 2;
    else if (depth >= depthMax) i += 1;
    else if (close === '"' && (char === "'" || char === '(' || char === '#')) i += 1;
    else if (close === '"' && char === '$' && command[i + 1] === '(') {
      i = endOfNested(command, i + 2, ')', depth + 1);
    } else if (close === '}' || close === '`') i += 1;
    else if (char === '"') i = endOfNested(command, i + 1, '"', depth + 1);
    else if (char === '`') i = endOfNested(command, i + 1, '`', depth + 1);
    else if (char === '(') i = endOfNested(command, i + 1, ')', depth + 1);
    else if (char === "'") {
      const end = command.indexOf("'", i + 1);
      i = end < 0 ? command.length : end + 1;
    } else i += 1;
  }
  return command.length;
}

function separatorAt(command: string, i: number): Separator {
  const two = command.slice(i, i + 2);
  if (two === '&&' || two === '||') return two;
  const char = command[i];
  if (char === ';' || char === '\n') return char;
  if (char === '|') return command[i - 1] === '>' ? '' : '|'; // `>|` is a redirection
  // `2>&1`, `<&3` and `&>file` are redirections
  if (char === '&') return /[<>]/.test(command[i - 1] ?? '') || command[i + 1] === '>' ? '' : '&';
  return '';
}

function endOfHereDocuments(command: string, from: number, delimiters: string[]): number {
  let i = from;
  for (const delimiter of delimiters) {
    while (i < command.length) {
      const newline = command.indexOf('\n', i);
      const end = newline < 0 ? command.length : newline;
      const line = command.slice(i, end);
      i = Math.min(end + 1, command.length);
      if (line.trim() === delimiter) break;
    }
  }
  return i;
}
