/**
 * A few builders that make a JSON Schema and its TypeScript type at once.
 *
 * Why not a library: the schema builders on npm cost 100 ms or more of start-up (measured), which is more
 * than the whole cold start of the command line; these cost nothing and emit plain JSON Schema for ajv.
 */

declare const T: unique symbol;

/** A JSON Schema that remembers the TypeScript type it describes. */
export interface Schema<T_ = unknown> {
  readonly [T]?: T_;
  readonly [keyword: string]: unknown;
}

/** The TypeScript type of a schema. */
export type Static<S> = S extends Schema<infer V> ? V : never;

type OptionalKeys<P> = { [K in keyof P]-?: undefined extends Static<P[K]> ? K : never }[keyof P];
type Props<P> = { [K in Exclude<keyof P, OptionalKeys<P>>]: Static<P[K]> } & {
  [K in OptionalKeys<P>]?: Exclude<Static<P[K]>, undefined>;
};
type Flat<O> = { [K in keyof O]: O[K] };

const optionalMark = Symbol('optional');

export const string = (extra: Record<string, unknown> = {}): Schema<string> => ({ type: 'string', ...extra });
export const number = (extra: Record<string, unknown> = {}): Schema<number> => ({ type: 'number', ...extra });
export const integer = (extra: Record<string, unknown> = {}): Schema<number> => ({
  type: 'integer',
  ...extra,
});
export const boolean = (): Schema<boolean> => ({ type: 'boolean' });
export const literal = <const V extends string | number | boolean | null>(value: V): Schema<V> => ({
  const: value,
});
export const oneOf = <const V extends readonly string[]>(values: V): Schema<V[number]> => ({ enum: values });
export const nullable = <S extends Schema>(schema: S): Schema<Static<S> | null> => ({
  anyOf: [schema, { type: 'null' }],
});
export const array = <S extends Schema>(
  items: S,
  extra: Record<string, unknown> = {},
): Schema<Static<S>[]> => ({
  type: 'array',
  items,
  ...extra,
});
export const map = <S extends Schema>(values: S): Schema<Record<string, Static<S>>> => ({
  type: 'object',
  additionalProperties: values,
});
/** Any JSON value; the type is what the writer promises and only the shape's owner checks. */
export const json = <V = unknown>(): Schema<V> => ({});
export const optional = <S extends Schema>(schema: S): Schema<Static<S> | undefined> =>
  ({ ...schema, [optionalMark]: true }) as Schema<Static<S> | undefined>;
/** An object with exactly these properties. */
export const object = <P extends Record<string, Schema>>(properties: P): Schema<Flat<Props<P>>> => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((key) => !(optionalMark in (properties[key] as object))),
  additionalProperties: false,
});
