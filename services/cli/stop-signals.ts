/** Ctrl-C once asks a run to stop; twice ends the program at once. */
import { exitCodes } from './exit-codes.ts';

const stopSignals = { SIGINT: exitCodes.interrupted, SIGTERM: 143, SIGHUP: 129 } as const;

export interface StopSignals {
  /** Resolves with the exit code of the first signal; never, when none comes. */
  readonly first: Promise<number>;
  release(): void;
}

/**
 * From now until `release` the first signal resolves `first`, the second exits at once: what this process
 * started dies with it (its children are bound to its life), and the run stays resumable.
 */
export const watchStopSignals = (): StopSignals => {
  let asked = false;
  let resolveFirst: (code: number) => void = () => undefined;
  const first = new Promise<number>((resolve) => {
    resolveFirst = resolve;
  });
  const handlers = Object.entries(stopSignals).map(([name, code]) => {
    const handler = (): void => {
      if (asked) process.exit(code);
      asked = true;
      resolveFirst(code);
    };
    process.on(name, handler);
    return { name, handler };
  });
  return {
    first,
    release: () => {
      for (const { name, handler } of handlers) process.off(name, handler);
    },
  };
};
