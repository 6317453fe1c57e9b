/** A source as the user gave it, checked against this machine's files. */
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readSourceName, type SourceName } from '../../machines/source-name.ts';
import { EffectError } from '../effects/handler.ts';

/**
 * Reads and checks a source. A folder's path comes back absolute, resolved from `cwd`, so that
 * `sourceText(source)` means the same in another process.
 * @throws {EffectError} `badSource` naming what is wrong and what is accepted
 */
export async function parseSource(text: string, cwd: string = process.cwd()): Promise<SourceName> {
  const source = readSourceName(text);
  if ('refused' in source) throw new EffectError('badSource', source.refused);
  if (source.kind !== 'folder') return source;
  const path = resolve(cwd, source.path);
  await checkFolder(path, text.trim());
  return { kind: 'folder', path };
}

async function checkFolder(path: string, text: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found === null) throw new EffectError('badSource', `folder ${text} does not exist (looked at ${path})`);
  if (!found.isDirectory()) {
    throw new EffectError('badSource', `${text} is a file: give the folder that holds the source`);
  }
  await access(path, constants.R_OK | constants.X_OK).catch(() => {
    throw new EffectError('badSource', `folder ${text} cannot be read by this user`);
  });
}
