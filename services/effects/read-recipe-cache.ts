/** Looks a source up in the recipe cache. Twice is harmless: it only reads. */
import { findRecipe } from '../recipe-cache.ts';
import type { EffectHandler } from './handler.ts';

export const readRecipeCache: EffectHandler<'readRecipeCache'> = async (
  { source, sandboxKey },
  { home },
) => ({
  entry: await findRecipe(home, source, sandboxKey),
});
