/** The common form of a rule that installs what a message names and runs the command again. */
import type { Failure, Retry } from './types.ts';

type Parts = Pick<Retry, 'id' | 'seed' | 'because' | 'examples' | 'nearMisses'>;

/**
 * A retry for the packages that `packagesFor` reads from the failure; once per command and package set, the plan
 * stays as it is (the recipe names the packages). An empty answer means that the rule has nothing to say.
 *
 * @param family first part of the retry key
 */
export function installAndRetry(
  family: string,
  packagesFor: (failure: Failure) => readonly string[],
  parts: Parts,
): Retry {
  const named = (failure: Failure): string[] => [...new Set(packagesFor(failure))];
  return {
    ...parts,
    kind: 'retry',
    limit: 'once per command',
    changesPlan: false,
    needs: () => [],
    key: (failure) => `${family}:${failure.planned}:${named(failure).join(',')}`,
    when: (failure) => failure.result.exitCode !== 0 && named(failure).length > 0,
    act: (failure) => ({
      steps: [{ install: named(failure) }, { retry: failure.command }],
      planCommand: null,
      loss: null,
    }),
  };
}
