/** Number of single letters to add, drop, change or swap with a neighbour to turn `a` into `b`. */
export const editDistance = (a: string, b: string): number => {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? 0;
  for (let i = 1; i <= a.length; i++) {
    rows[i] = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(i - 2, j - 2) + 1 : Infinity;
      (rows[i] as number[])[j] = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, changed, swapped);
    }
  }
  return at(a.length, b.length);
};

/** The known word that a mistyped one most likely meant; null when none is near (a third of its letters, at least 1). */
export const nearest = (word: string, known: readonly string[]): string | null => {
  const near = known
    .map((candidate) => ({ candidate, distance: editDistance(word, candidate) }))
    .filter(({ distance }) => distance <= Math.max(1, Math.floor(word.length / 3)))
    .sort((a, b) => a.distance - b.distance);
  return (
    near[0]?.candidate ?? known.find((candidate) => word.length > 2 && candidate.startsWith(word)) ?? null
  );
};
