/** Which code decides in this program; recorded in each run. */
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { atesorVersion } from './version.ts';

/** The files that a fold depends on: machines with their tables, and the projection. */
const decidingFiles = ['machines/**/*', 'seeds/**/*', 'events/projection*', 'events/projection/**/*'];

/** sha256 over names and contents of the deciding files as they run, the first 16 digits. */
const codeHash = (root: string): string => {
  const hash = createHash('sha256');
  const files = decidingFiles.flatMap((pattern) => globSync(pattern, { cwd: root }));
  for (const file of [...new Set(files)].filter((name) => /\.(js|ts|json)$/.test(name)).sort())
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0');
  return hash.digest('hex').slice(0, 16);
};

export const engineVersions = (): Record<string, string> => {
  const xstate = createRequire(import.meta.url)('xstate/package.json') as { version: string };
  return {
    atesor: atesorVersion(),
    machines: codeHash(join(import.meta.dirname, '../..')),
    xstate: xstate.version,
  };
};
