/** The first difference between two JSON values, in a stable order. A missing field and `undefined` are the same. */
export function firstDifference(
  expected: unknown,
  actual: unknown,
  path = '',
): { field: string; expected: unknown; actual: unknown } | null {
  if (expected === actual) return null;
  if (!isObject(expected) || !isObject(actual) || Array.isArray(expected) !== Array.isArray(actual)) {
    return { field: path || 'value', expected: expected ?? null, actual: actual ?? null };
  }
  const keys = new Set([...Object.keys(expected), ...Object.keys(actual)]);
  for (const key of keys) {
    const found = firstDifference(expected[key], actual[key], path ? `${path}.${key}` : key);
    if (found) return found;
  }
  return null;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
