/**
 * Any error as one or two lines for a person: the thing, the limit, the next step. Errors are known by name and
 * code, not by class, so that this file loads none of the parts that throw them.
 */
import { exitCodes } from './exit-codes.ts';

/** An error of the command line's own; `message` is shown as it is. */
export class CliError extends Error {
  readonly exitCode: number;
  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message);
    this.name = 'CliError';
    this.exitCode = exitCode;
  }
}

export interface Explanation {
  lines: string[];
  exitCode: number;
}

/** Their messages were written for people: they name the thing, the limit and the next step. */
const speakForThemselves = [
  'EngineError',
  'LogError',
  'SandboxError',
  'EffectError',
  'BlobError',
  'CliError',
];

const systemErrors: Record<string, (path: string) => string> = {
  ENOSPC: (path) =>
    `no space left on the disk${path}: free some, or set ATESOR_HOME to a folder on a larger disk`,
  EDQUOT: (path) => `the disk quota is used up${path}: free some, or set ATESOR_HOME to another disk`,
  EROFS: (path) => `the file system is read-only${path}: set ATESOR_HOME to a folder that you may write`,
  EACCES: (path) => `permission denied${path}: set ATESOR_HOME to a folder that you may write`,
  EPERM: (path) => `not permitted${path}: set ATESOR_HOME to a folder that you may write`,
  EMFILE: () => 'too many files are open: raise the limit with ulimit -n',
};

/** `verbose` adds the stack and the causes; without it there is never a stack. */
export const explainError = (error: unknown, verbose: boolean): Explanation => {
  const trace = (): string[] => {
    const lines: string[] = [];
    let next: unknown = error;
    // A chain of causes that is longer, or a circle, says nothing new.
    for (let depth = 0; depth < 5 && next instanceof Error; depth++, next = next.cause)
      lines.push(...`${depth === 0 ? '' : 'caused by: '}${next.stack ?? next.message}`.split('\n'));
    return lines;
  };
  const more = verbose ? trace() : [];

  if (!(error instanceof Error))
    return { lines: [`atesor: ${String(error)}`, ...more], exitCode: exitCodes.failed };
  if (error.name === 'UsageError')
    return { lines: [`atesor: ${error.message}`, 'Try: atesor --help', ...more], exitCode: exitCodes.usage };
  if (speakForThemselves.includes(error.name)) {
    const exitCode = error instanceof CliError ? error.exitCode : exitCodes.failed;
    return { lines: [`atesor: ${error.message}`, ...more], exitCode };
  }
  const { code, path } = error as NodeJS.ErrnoException;
  const known = systemErrors[code ?? ''];
  if (known !== undefined)
    return { lines: [`atesor: ${known(path ? ` (${path})` : '')}`, ...more], exitCode: exitCodes.failed };
  const hint = verbose
    ? []
    : ['This is a fault in atesor. Run the command again with --verbose for the details.'];
  return { lines: [`atesor: ${error.message.split('\n')[0]}`, ...hint, ...more], exitCode: exitCodes.failed };
};
