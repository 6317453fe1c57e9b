/**
 * Keeps what a verified port taught, for the prompts of later ones. Twice is harmless: an example that is there is
 * not added again.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { withFileLock } from '../../sandbox/file-lock.ts';
import { writeWhole } from '../report/output-files.ts';
import type { EffectHandler } from './handler.ts';

/** Source: upstream facts §13: at most 100, the oldest go first. */
const examplesMax = 100;
/** Source: upstream facts §13. */
const lockMs = 5_000;

/** @throws SandboxError `timedOut` when another process holds the file */
export const saveExamples: EffectHandler<'saveExamples'> = async ({ examples }, { home, signal }) => {
  const path = join(home, 'data', 'examples.json');
  return withFileLock(`${path}.lock`, { timeoutMs: lockMs, signal }, async () => {
    const kept = await readExamples(path);
    const added = examples.filter((example) => !kept.some((one) => isDeepStrictEqual(one, example)));
    if (added.length > 0) {
      const all = [...kept, ...added].slice(-examplesMax);
      await writeWhole(path, `${JSON.stringify({ version: 1, examples: all }, null, 2)}\n`);
    }
    return { saved: added.length };
  });
};

/** A file that cannot be read as examples is begun anew: it holds nothing that a port needs. */
async function readExamples(path: string): Promise<Record<string, unknown>[]> {
  try {
    const file = JSON.parse(await readFile(path, 'utf8')) as { examples?: Record<string, unknown>[] };
    return Array.isArray(file.examples) ? file.examples : [];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return [];
    throw error;
  }
}
