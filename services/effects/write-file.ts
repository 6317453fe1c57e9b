/** Writes one file of the source. Twice is harmless: the same bytes are written again. */
import { posix } from 'node:path';
import { EffectError, type EffectHandler } from './handler.ts';

/** @throws {EffectError} `denied` for a path outside of `cwd`; the driver refuses links that lead out */
export const writeFile: EffectHandler<'writeFile'> = async (input, context) => {
  const path = posix.join(input.cwd, input.path);
  if (posix.isAbsolute(input.path) || !path.startsWith(`${posix.normalize(input.cwd).replace(/\/$/, '')}/`)) {
    throw new EffectError('denied', `${input.path} is outside of the source: name a file below ${input.cwd}`);
  }
  const bytes = Buffer.from(input.content);
  await (await context.sandbox()).writeFile(path, bytes, input.mode);
  return { bytes: bytes.length };
};
