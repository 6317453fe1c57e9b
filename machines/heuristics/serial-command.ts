/**
 * A command line with its parallel parts made serial, for machines without enough memory.
 * Source of the forms: seed, recovery heuristics, rule 18. Only the parallel programs are touched: a word
 * `make` among the packages of an install command stays as it is.
 */
import { mapSegments, segmentsOf } from '../shell/segments.ts';
import { baseName, type Program, programOf } from '../shell/words.ts';

type Serialize = (text: string, program: Program) => string | null;

/** Null when the program cannot run in parallel or does so no more. */
function serialForm(text: string): string | null {
  const program = programOf(text);
  if (program === null) return null;
  const name = baseName(program.name);
  const serialize = Object.hasOwn(programs, name) ? programs[name] : undefined;
  return serialize === undefined ? null : serialize(text, program);
}

export const serialCommand = (command: string): string =>
  mapSegments(command, ({ text }) => serialForm(text));

/** True when some part of the command runs its work in parallel (by flag, or as Go and cargo do anyhow). */
export const isParallel = (command: string): boolean =>
  segmentsOf(command).some(({ text }) => {
    const serial = serialForm(text);
    return serial !== null && serial !== text;
  });

const subcommandIs = (program: Program, names: readonly string[]): boolean =>
  names.includes(
    program.args.find((arg) => !arg.value.startsWith('-') && !arg.value.startsWith('+'))?.value ?? '',
  );

const withEnv = (text: string, program: Program, assignment: string): string =>
  text.slice(0, program.start).includes(assignment)
    ? text
    : `${text.slice(0, program.start)}${assignment} ${text.slice(program.start)}`;

const insertAt = (text: string, at: number, words: string): string =>
  `${text.slice(0, at)} ${words}${text.slice(at)}`;

/** Job flags of make and ninja → `-j1`: `-j`, `-j4`, `-j 4`, `-j$(nproc)`, `--jobs=4`, `--jobs 4`, `--jobs`. */
function serialJobs(text: string, program: Program, names: readonly string[]): string {
  let result = text;
  for (let i = program.args.length - 1; i >= 0; i -= 1) {
    const arg = program.args[i] as Program['args'][number];
    const next = program.args[i + 1];
    const bare = names.includes(arg.value);
    const joined = names.some((name) => arg.value.startsWith(name.startsWith('--') ? `${name}=` : name));
    if (!bare && !joined) continue;
    const count = bare && next !== undefined && /^(\d+|\$.*|`.*)$/.test(next.value) ? next.end : arg.end;
    result = `${result.slice(0, arg.start)}-j1${result.slice(count)}`;
  }
  return result;
}

const make: Serialize = (text, program) => {
  const serial = serialJobs(text, program, ['-j', '--jobs']);
  return serial === text ? null : withEnv(serial, program, 'MAKEFLAGS=-j1');
};

const ninja: Serialize = (text, program) => {
  if (program.args.some((arg) => arg.value.startsWith('-j'))) {
    const serial = serialJobs(text, program, ['-j']);
    return serial === text ? null : serial;
  }
  return insertAt(text, program.start + program.name.length, '-j1');
};

const cmake: Serialize = (text, program) => {
  if (!program.args.some((arg) => arg.value === '--build')) return null;
  const serial = serialJobs(text, program, ['-j', '--parallel']);
  return serial === text ? null : serial;
};

const go: Serialize = (text, program) => {
  if (!subcommandIs(program, ['build', 'install', 'test'])) return null;
  const word = program.args.find((arg) => ['build', 'install', 'test'].includes(arg.value));
  const flagged = program.args.some((arg) => arg.value === '-p' || arg.value.startsWith('-p='))
    ? text
    : insertAt(text, (word as Program['args'][number]).end, '-p 1');
  return withEnv(flagged, program, 'GOMAXPROCS=1');
};

const cargo: Serialize = (text, program) => {
  if (!subcommandIs(program, ['build', 'install', 'test', 'fetch', 'update'])) return null;
  const word = program.args.find((arg) => ['build', 'install', 'test'].includes(arg.value));
  const flagged =
    word === undefined ||
    program.args.some((arg) => arg.value.startsWith('-j') || arg.value.startsWith('--jobs'))
      ? serialJobs(text, program, ['-j', '--jobs'])
      : insertAt(text, word.end, '-j 1');
  return withEnv(flagged, program, 'CARGO_BUILD_JOBS=1');
};

const pip: Serialize = (text, program) =>
  subcommandIs(program, ['install']) ? withEnv(text, program, 'MAKEFLAGS=-j1') : null;

const npm: Serialize = (text, program) =>
  subcommandIs(program, ['install', 'ci', 'run']) &&
  !program.args.some((arg) => arg.value.startsWith('--jobs'))
    ? insertAt(text, program.start + program.name.length + lengthToSubcommand(text, program), '--jobs 1')
    : null;

/** npm passes what follows the script's name to the script, so the flag goes behind the subcommand. */
const lengthToSubcommand = (text: string, program: Program): number => {
  const word = program.args.find((arg) => !arg.value.startsWith('-'));
  return (word?.end ?? text.length) - program.start - program.name.length;
};

const programs: Readonly<Record<string, Serialize>> = {
  make,
  gmake: make,
  ninja,
  samu: ninja,
  cmake,
  go,
  cargo,
  pip,
  pip3: pip,
  npm,
};
