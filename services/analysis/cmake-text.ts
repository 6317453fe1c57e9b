/** The commands of a `CMakeLists.txt` in their order, with what can be told of the conditions around them. */

export interface CmakeCommand {
  /** In lower case. */
  name: string;
  args: string;
  /** False inside a function, a loop, or a condition that is not plainly true on Linux. */
  always: boolean;
}

const foreign = /^NOT\s+\(?(WIN32|MINGW|MSVC|CYGWIN|APPLE|BORLAND|WATCOM|MSYS|ANDROID|IOS|EMSCRIPTEN)\)?$/i;
const ours = /^\(?(UNIX|LINUX)\)?$/i;

export function cmakeCommands(text: string): CmakeCommand[] {
  const plain = text.replace(/#\[\[[\s\S]*?\]\]|#[^\n]*/g, '');
  const commands: CmakeCommand[] = [];
  const around: boolean[] = [];
  for (const [, word = '', args = ''] of plain.matchAll(/\b(\w+)\s*\(((?:[^()]|\([^()]*\))*)\)/g)) {
    const name = word.toLowerCase();
    if (name === 'if') around.push(foreign.test(args.trim()) || ours.test(args.trim()));
    else if (/^(function|macro|foreach|while)$/.test(name)) around.push(false);
    else if (name === 'else' || name === 'elseif') around.splice(-1, 1, false);
    else if (/^end(if|function|macro|foreach|while)$/.test(name)) around.pop();
    else commands.push({ name, args, always: !around.includes(false) });
  }
  return commands;
}

export const unquoted = (word: string): string => word.replace(/^"|"$/g, '');
