/** The folder that a command works in: a leading `cd DIR &&`. */
import { type Segment, segmentsOf } from './segments.ts';
import { programOf, quoted } from './words.ts';

/**
 * The folder after the leading `cd` commands, relative to where the command starts, '' for that place itself;
 * null when it cannot be told from the text (a variable, a substitution). `rest` is the command after them.
 */
export function leadingFolder(command: string): { folder: string | null; rest: string } {
  let folder: string | null = '';
  let rest = command;
  // A command has few leading `cd`s; the bound keeps a made-up one from looping.
  for (let n = 0; n < 8; n += 1) {
    const segments = segmentsOf(rest);
    const first = segments[0];
    const second = segments[1];
    if (first === undefined || second === undefined) break;
    const program = programOf(first.text);
    if (program?.name !== 'cd' || !['&&', ';', '\n'].includes(first.after)) break;
    const to = program.args[0]?.value;
    folder = folder === null || to === undefined ? null : joined(folder, to);
    rest = rest.slice(second.start);
  }
  return { folder, rest };
}

/**
 * Each command of a line with the folder it runs in, as far as the `cd`s before it tell; null when they do not.
 * A `cd` in a pipe or in the background changes nothing for the others, as in a shell.
 */
export function segmentFolders(command: string): Array<{ segment: Segment; folder: string | null }> {
  let folder: string | null = '';
  const segments = segmentsOf(command);
  return segments.map((segment, index) => {
    const here = folder;
    const program = programOf(segment.text);
    const piped = ['|', '&'].includes(segment.after) || segments[index - 1]?.after === '|';
    if (program?.name === 'cd' && !piped) {
      const to = program.args[0]?.value;
      folder = folder === null || to === undefined ? null : joined(folder, to);
    }
    return { segment, folder: here };
  });
}

/** The command as run in a folder; '' leaves it as it is. */
export const inFolder = (folder: string, command: string): string =>
  folder === '' ? command : `cd ${quoted(folder)} && ${command}`;

/** A path under a folder, both relative to the same place. */
export const pathIn = (folder: string, path: string): string => joined(folder, path) ?? path;

function joined(folder: string, to: string): string | null {
  if (/[$`~*?]/.test(to) || to === '-') return null;
  if (to.startsWith('/')) return to;
  const parts = folder === '' ? [] : folder.split('/');
  for (const part of to.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else parts.push(part);
  }
  return parts.join('/');
}
