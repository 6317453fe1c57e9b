/** The recipe cache's fast path: an entry is taken only while its source still is what was built. */
import { existsSync } from 'node:fs';
import type { RecipeCacheEntry } from '../../events/records.ts';
import { type SourceName, sourceText } from '../../machines/source-name.ts';
import type { Home } from '../home.ts';
import { findRecipe } from '../recipe-cache.ts';
import { sourceIdentity } from '../sources/source-identity.ts';

/**
 * The verified entry for this source, or null when there is none, when the source has moved on or cannot be
 * looked at, or when the files that the entry names are gone.
 */
export async function cachedRecipeFor(
  source: SourceName,
  sandboxKey: string,
  home: Home,
): Promise<RecipeCacheEntry | null> {
  const entry = await findRecipe(home.root, sourceText(source), sandboxKey);
  if (!entry?.elf.every((file) => existsSync(file.path))) return null;
  const now = await sourceIdentity(source, home.root);
  const isCurrent = now !== null && [entry.sourceCommit, entry.sourceVersion].includes(now.identity);
  return isCurrent ? entry : null;
}
