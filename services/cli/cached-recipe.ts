/** The recipe cache before the graph: is there a verified port of this very source already? */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { EventDataByType } from '../../events/catalogue.ts';
import type { RecipeCacheEntry } from '../../events/records.ts';
import { type SourceName, sourceText } from '../../machines/source-name.ts';
import type { Home } from '../home.ts';
import { findRecipe } from '../recipe-cache.ts';
import { outputNames, writeWhole } from '../report/output-files.ts';
import { sourceIdentity } from '../sources/source-identity.ts';

/** A source's identity is a commit, but for Debian's sources their version. */
const identityOf = (source: SourceName, entry: RecipeCacheEntry): string =>
  source.kind === 'deb' || source.kind === 'orig' ? entry.sourceVersion : entry.sourceCommit;

/**
 * The entry that answers a port, or null: it must be verified, its files must still be there, and the source must
 * still be what it was made from. Performance mode takes any verified entry as its plan (seed, `--optimize`).
 */
export const cachedRecipeFor = async (
  source: SourceName,
  sandboxKey: string,
  home: Home,
  optimize: boolean,
): Promise<RecipeCacheEntry | null> => {
  const entry = await findRecipe(home.root, sourceText(source), sandboxKey);
  if (entry === null || entry.verification.status !== 'verified') return null;
  if (optimize) return entry;
  if (entry.elf.length === 0 || !entry.elf.every(({ path }) => existsSync(path))) return null;
  const now = await sourceIdentity(source, home.root);
  return now !== null && now.identity === identityOf(source, entry) ? entry : null;
};

/** Writes the cached recipe where a port leaves its recipe, and says so in the outcome. */
export const withCachedRecipe = async (
  outcome: EventDataByType['run.finished'],
  repoName: string,
  entry: RecipeCacheEntry,
  home: Home,
): Promise<EventDataByType['run.finished']> => ({
  ...outcome,
  recipe: await writeWhole(join(home.output, outputNames(repoName, 0).recipe), entry.recipeMarkdown),
});
