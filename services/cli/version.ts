import { readFileSync } from 'node:fs';

/** Version of this program, from package.json. */
export const atesorVersion = (): string => {
  const path = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version;
};

export const versionText = (): string => `atesor ${atesorVersion()} (Node ${process.versions.node})`;
