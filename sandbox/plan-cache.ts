/** Answers of apt that were given before: the same question over the same packages and index has the same one. */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AptPlan } from './apt.ts';

export type GoodPlan = AptPlan & { ok: true };

/** Where the answer to a question is kept. `indexAt` changes when the index is fetched again. */
export function planPath(
  layersDir: string,
  question: { names: readonly string[]; installed: string; indexAt: number },
): string {
  const key = createHash('sha256')
    .update(JSON.stringify([question.names, question.installed, question.indexAt]))
    .digest('hex')
    .slice(0, 32);
  return join(layersDir, 'plans', `${key}.json`);
}

export async function recalledPlan(path: string): Promise<GoodPlan | null> {
  const text = await readFile(path, 'utf8').catch(() => null);
  return text === null ? null : (JSON.parse(text) as GoodPlan);
}

/** Only plans that can be carried out are kept: an unknown name may be known tomorrow. */
export async function rememberPlan(path: string, plan: GoodPlan): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.new`, JSON.stringify(plan));
  await rename(`${path}.new`, path);
}
