/**
 * Canonical JSON: the same value always gives the same bytes, whatever order its keys were set in.
 * Used only when writing; readers take stored bytes as they are.
 */

/** Levels of nesting that a value may have. Far above any event; keeps a cycle from overflowing the stack. */
export const canonicalDepthMax = 200;

/**
 * Text of `value` with the keys of every object sorted by UTF-16 code unit and no white space.
 * A property that is `undefined` is left out, as in `JSON.stringify`.
 * @throws TypeError naming the path of anything that JSON cannot hold: functions, symbols, bigints, NaN,
 *   infinities, `undefined` outside a property, instances of classes, nesting over 200 levels (so also cycles)
 */
export function canonicalJson(value: unknown): string {
  return write(value, '$', 0);
}

function write(value: unknown, path: string, depth: number): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`${path}: ${value} is no JSON number`);
    return JSON.stringify(value);
  }
  if (typeof value !== 'object') throw new TypeError(`${path}: a ${typeof value} is no JSON value`);
  if (depth >= canonicalDepthMax) throw new TypeError(`${path}: nested over ${canonicalDepthMax} levels`);
  if (Array.isArray(value)) return writeArray(value, path, depth);
  const prototype = Object.getPrototypeOf(value) as unknown;
  if (prototype !== Object.prototype && prototype !== null)
    throw new TypeError(`${path}: an instance of ${value.constructor?.name ?? 'a class'} is no JSON value`);
  return writeObject(value as Record<string, unknown>, path, depth);
}

function writeArray(items: unknown[], path: string, depth: number): string {
  let out = '[';
  for (let i = 0; i < items.length; i++) {
    if (i > 0) out += ',';
    out += write(items[i], `${path}[${i}]`, depth + 1);
  }
  return `${out}]`;
}

function writeObject(object: Record<string, unknown>, path: string, depth: number): string {
  let out = '{';
  // The default order of sort() is by UTF-16 code unit, the same on every machine and locale.
  for (const key of Object.keys(object).sort()) {
    const value = object[key];
    if (value === undefined) continue;
    if (out.length > 1) out += ',';
    out += `${JSON.stringify(key)}:${write(value, `${path}.${key}`, depth + 1)}`;
  }
  return `${out}}`;
}
