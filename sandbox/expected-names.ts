/** Names of outputs that an analysis expects. Model and build files give them, so they are checked. */

/** Source: upstream facts §10.1. */
const expectedMax = 10;

/** The basenames that are plain file names, at most 10. */
export const expectedNames = (artifacts: readonly string[]): string[] =>
  artifacts
    .map((artifact) => artifact.slice(artifact.lastIndexOf('/') + 1))
    .filter((name) => /^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,254}$/.test(name))
    .slice(0, expectedMax);

/** `libz` expects `libz`, `libz.a` and `libz.so.1`. Source: upstream facts §10.1. */
export function isExpected(path: string, expected: readonly string[]): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return expected.some((wanted) => name === wanted || name.startsWith(`${wanted}.`));
}
