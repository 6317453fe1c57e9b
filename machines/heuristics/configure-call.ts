/** A call of a `configure` script inside a command line, and the folder that it happens in. */
import { pathIn, segmentFolders } from '../shell/folder.ts';
import { programOf } from '../shell/words.ts';

/** Folder of the script relative to the root of the source; null when the text has no call that can be told. */
export function configureFolder(command: string): string | null {
  for (const { segment, folder } of segmentFolders(command)) {
    const program = programOf(segment.text);
    if (program === null || folder === null) continue;
    const script = /^(ba|da)?sh$/.test(program.name) ? program.args[0]?.value : program.name;
    const match = /^((?:\.{1,2}\/)+|.*\/)configure$/.exec(script ?? '');
    if (match === null) continue;
    const found = pathIn(folder, match[1] as string);
    return found.startsWith('..') || found.startsWith('/') ? null : found;
  }
  return null;
}

/**
 * Makes `configure` anew without autopoint, which would bring back the old gettext macros.
 * Source: seed, recovery heuristics, gettext sequence.
 */
export const gettextSequence =
  'cp /usr/share/gettext/m4/*.m4 m4/ 2>/dev/null || true && aclocal -I m4 -I /usr/share/aclocal && autoconf';
