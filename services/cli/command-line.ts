/**
 * The command line: which words and flags there are, and what a given one asks for. Pure.
 * The old form without a command (`atesor --repo URL`) is a `port`.
 */
import { parseArgs } from 'node:util';
import { nearest } from './suggest.ts';

export const commandNames = [
  'port',
  'resume',
  'runs',
  'show',
  'events',
  'state',
  'replay',
  'audit',
  'doctor',
] as const;
export type CommandName = (typeof commandNames)[number];

/** What each command takes besides flags; `optional` is given back as null when left out. */
const operandOf: Record<CommandName, 'SOURCE' | 'RUN' | null> = {
  port: 'SOURCE',
  resume: 'RUN',
  runs: null,
  show: 'RUN',
  events: 'RUN',
  state: 'RUN',
  replay: 'RUN',
  audit: 'RUN',
  doctor: null,
};

const options = {
  repo: { type: 'string', short: 'r' },
  'max-attempts': { type: 'string', short: 'm' },
  platform: { type: 'string' },
  force: { type: 'boolean' },
  strict: { type: 'boolean' },
  optimize: { type: 'boolean' },
  'emulate-cpu': { type: 'string' },
  type: { type: 'string', multiple: true },
  node: { type: 'string', multiple: true },
  at: { type: 'string' },
  json: { type: 'boolean' },
  quiet: { type: 'boolean', short: 'q' },
  verbose: { type: 'boolean', short: 'v' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const;
type OptionName = keyof typeof options;

const everywhere: readonly OptionName[] = ['verbose', 'help', 'version'];
const optionsOf: Record<CommandName, readonly OptionName[]> = {
  port: ['repo', 'max-attempts', 'platform', 'force', 'strict', 'optimize', 'emulate-cpu', 'json', 'quiet'],
  resume: ['json', 'quiet'],
  runs: ['json'],
  show: ['json'],
  events: ['type', 'node', 'json'],
  state: ['at', 'json'],
  replay: ['json'],
  audit: ['json'],
  doctor: ['json'],
};

export interface CommandLine {
  command: CommandName | 'help' | 'version';
  /** SOURCE or RUN; '' for a command that takes neither. */
  operand: string;
  /** The command that help was asked about. */
  about: CommandName | null;
  maxAttempts: number;
  platform: string;
  force: boolean;
  strict: boolean;
  optimize: boolean;
  emulateCpu: string | null;
  types: string[];
  nodes: string[];
  at: number | null;
  json: boolean;
  quiet: boolean;
  verbose: boolean;
}

/** The command line makes no sense; `message` says what and what was probably meant. Exit code 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** Attempts (recorded errors) that a port may use. Source: upstream facts §1.1. */
const maxAttemptsDefault = 5;

const wholeNumber = (flag: string, text: string, smallest: number): number => {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < smallest)
    throw new UsageError(`${flag} takes a whole number of at least ${smallest}, not '${text}'`);
  return value;
};

const unknownWord = (kind: string, word: string, known: readonly string[], all: string): UsageError => {
  const meant = nearest(word, known);
  return new UsageError(
    `unknown ${kind} '${word}'${meant === null ? `; ${all}` : `; did you mean '${meant}'?`}`,
  );
};

/** A word that looks like a source is probably one whose `port` was forgotten. */
const looksLikeSource = (word: string): boolean => /^(https?:\/\/|deb:|orig:|\.{0,2}\/)/.test(word);

const parse = (argv: readonly string[]) => {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const flag = /'(-[^' ]*)/.exec(message)?.[1] ?? '';
    if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
      const known = Object.keys(options).map((name) => `--${name}`);
      throw unknownWord('flag', flag, known, 'see atesor --help');
    }
    if (code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE')
      throw new UsageError(message.split('\n')[0]?.replace(/\.$/, '') ?? message);
    throw error;
  }
};

const refuseForeignFlags = (command: CommandName, given: readonly string[]): void => {
  const allowed: readonly string[] = [...everywhere, ...optionsOf[command]];
  const foreign = given.find((name) => !allowed.includes(name));
  if (foreign === undefined) return;
  const flags = optionsOf[command].map((name) => `--${name}`).join(', ') || 'none of its own';
  throw new UsageError(`'atesor ${command}' has no flag --${foreign}; it has ${flags}`);
};

const operandFor = (command: CommandName, words: readonly string[], repo: string | undefined): string => {
  const wanted = operandOf[command];
  const given = repo === undefined ? words : [repo, ...words];
  if (wanted === null && given.length > 0) throw new UsageError(`'atesor ${command}' takes no '${given[0]}'`);
  if (given.length > 1)
    throw new UsageError(`'atesor ${command}' takes one ${wanted}, not also '${given[1]}'`);
  if (wanted !== null && !given[0])
    throw new UsageError(
      wanted === 'SOURCE'
        ? "'atesor port' needs a SOURCE: a git URL, deb:NAME, orig:NAME or ./folder"
        : `'atesor ${command}' needs a RUN: an id, the beginning of one, 'last' or a package name`,
    );
  return given[0] ?? '';
};

const commandOf = (word: string | undefined, repo: string | undefined): CommandName => {
  if (repo !== undefined && word === undefined) return 'port';
  if (word === undefined) throw new UsageError(`no command given; there are ${commandNames.join(', ')}`);
  const known = commandNames.find((name) => name === word);
  if (known !== undefined) return known;
  if (looksLikeSource(word))
    throw new UsageError(`unknown command '${word}'; did you mean 'atesor port ${word}'?`);
  throw unknownWord('command', word, commandNames, `there are ${commandNames.join(', ')}`);
};

/**
 * Reads a command line (without node and script).
 * @throws {UsageError} naming the word, and what was probably meant
 */
export const readCommandLine = (argv: readonly string[]): CommandLine => {
  const { values, positionals } = parse(argv);
  const [word, ...rest] = positionals;
  const base = {
    operand: '',
    about: null,
    maxAttempts: maxAttemptsDefault,
    platform: values.platform ?? 'auto',
    force: values.force ?? false,
    strict: values.strict ?? false,
    optimize: values.optimize ?? false,
    emulateCpu: values['emulate-cpu'] ?? null,
    types: values.type ?? [],
    nodes: values.node ?? [],
    at: null,
    json: values.json ?? false,
    quiet: values.quiet ?? false,
    verbose: values.verbose ?? false,
  };
  if (values.version) return { ...base, command: 'version' };
  if (word === 'help' || values.help) {
    const topic = word === 'help' ? rest[0] : word;
    return { ...base, command: 'help', about: topic === undefined ? null : commandOf(topic, undefined) };
  }
  const command = commandOf(word, values.repo);
  refuseForeignFlags(command, Object.keys(values));
  if (values.quiet && values.verbose) throw new UsageError('--quiet and --verbose contradict each other');
  return {
    ...base,
    command,
    operand: operandFor(command, rest, values.repo),
    ...(values['max-attempts'] === undefined
      ? {}
      : { maxAttempts: wholeNumber('--max-attempts', values['max-attempts'], 1) }),
    ...(values.at === undefined ? {} : { at: wholeNumber('--at', values.at, 1) }),
  };
};
