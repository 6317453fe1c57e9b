/**
 * An input as the log will give it back: keys in order, nothing that JSON leaves out. Folding the live object
 * instead would let the order of its keys, or an `undefined`, decide what a replay then decides differently.
 */
export function canonicalInput<V>(value: V): V {
  return canonical(value) as V;
}

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => (item === undefined ? null : canonical(item)));
  if (typeof value !== 'object' || value === null) return value;
  const sorted: Record<string, unknown> = {};
  for (const key of Object.keys(value).sort()) {
    const field = (value as Record<string, unknown>)[key];
    if (field !== undefined) sorted[key] = canonical(field);
  }
  return sorted;
}
