/** Variables of build files put into a text, with a bound: they can name each other and grow without end. */

/** No list of files or targets is longer than this. */
export const expandedCharsMax = 16 * 1024;
/** Variables made of variables: deeper ones are left as they are. */
const levelsMax = 4;

/**
 * Replaces each reference by the variable's value; an unknown one stays as it is.
 * @param reference global, its first group is the name
 */
export function expand(text: string, reference: RegExp, variables: ReadonlyMap<string, string>): string {
  let expanded = text.slice(0, expandedCharsMax);
  for (let level = 0; level < levelsMax; level++) {
    let left = expandedCharsMax;
    const next = expanded.replace(reference, (whole, name: string) => {
      const value = (variables.get(name) ?? whole).slice(0, Math.max(0, left));
      left -= value.length;
      return value;
    });
    if (next === expanded) return next;
    expanded = next.slice(0, expandedCharsMax);
  }
  return expanded;
}
