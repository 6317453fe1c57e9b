/** Keeps a verified port in the recipe cache. Twice is harmless: the same entry takes the same place. */
import { keepRecipe } from '../recipe-cache.ts';
import type { EffectHandler } from './handler.ts';

/** An entry that could not be stored in time is an answer, not a failure. */
export const writeRecipeCache: EffectHandler<'writeRecipeCache'> = async (
  { repoName, sandboxKey, entry },
  { home },
) => ({ stored: await keepRecipe(home, repoName, sandboxKey, entry) });
