/** `go SUBCOMMAND` inside a command line. */
import { baseName, type Program, programOf } from '../shell/words.ts';

export interface GoCommand {
  subcommand: string;
  /** Index behind the subcommand in the segment's text: where a flag of it goes. */
  afterSubcommand: number;
  program: Program;
}

/** Null when the segment starts something else. A leading `-C DIR` of go is passed over. */
export function goCommandOf(text: string): GoCommand | null {
  const program = programOf(text);
  if (program === null || !/^go(\d+\.\d+(\.\d+)?)?$/.test(baseName(program.name))) return null;
  const skip = program.args[0]?.value === '-C' ? 2 : program.args[0]?.value.startsWith('-C=') ? 1 : 0;
  const word = program.args[skip];
  return word === undefined ? null : { subcommand: word.value, afterSubcommand: word.end, program };
}

export const buildsGo = (go: GoCommand): boolean => go.subcommand === 'build' || go.subcommand === 'install';
