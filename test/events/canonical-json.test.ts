import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { canonicalDepthMax, canonicalJson } from '../../events/canonical-json.ts';
import { chainHash, firstPrevHash, sha256 } from '../../events/hash.ts';

/** JSON values without -0, which JSON itself turns into 0. */
const jsonValue = fc.jsonValue({ maxDepth: 5 });

test('reads back as the same value', () => {
  fc.assert(
    fc.property(jsonValue, (value) => {
      assert.equal(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('gives the same text whatever order keys were set in', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), jsonValue), fc.infiniteStream(fc.nat()), (object, picks) => {
      const keys = Object.keys(object);
      const shuffled: Record<string, unknown> = {};
      while (keys.length > 0) {
        const [key] = keys.splice((picks.next().value as number) % keys.length, 1) as [string];
        Object.defineProperty(shuffled, key, { value: object[key], enumerable: true });
      }
      assert.is(canonicalJson(shuffled), canonicalJson(object));
    }),
  );
});

test('reading and writing again changes nothing', () => {
  fc.assert(
    fc.property(jsonValue, (value) => {
      const text = canonicalJson(value);
      assert.is(canonicalJson(JSON.parse(text)), text);
    }),
  );
});

test('sorts keys by UTF-16 code unit and leaves out undefined properties', () => {
  assert.is(
    canonicalJson({ b: 1, a: [true, null, 'é\u0000'], 10: 2, 9: 3, c: undefined, Z: {} }),
    '{"10":2,"9":3,"Z":{},"a":[true,null,"é\\u0000"],"b":1}',
  );
  assert.is(canonicalJson({ a: undefined }), '{}');
  assert.is(canonicalJson(Object.assign(Object.create(null), { a: 1 })), '{"a":1}');
});

test('escapes a lone surrogate, so that the text is valid UTF-8', () => {
  assert.is(canonicalJson('\ud800'), '"\\ud800"');
});

const refused: Array<[string, unknown, RegExp]> = [
  ['NaN', { a: [1, Number.NaN] }, /\$\.a\[1\]: NaN/],
  ['an infinity', Number.POSITIVE_INFINITY, /\$: Infinity/],
  ['a bigint', { a: 1n }, /\$\.a: a bigint/],
  ['a function', { a: () => 1 }, /\$\.a: a function/],
  ['undefined in an array', [undefined], /\$\[0\]: a undefined/],
  ['a date', { at: new Date(0) }, /\$\.at: an instance of Date/],
  ['a map', new Map(), /\$: an instance of Map/],
  ['a nameless instance', Object.create({ constructor: undefined }), /an instance of a class/],
];
for (const [what, value, message] of refused) {
  test(`refuses ${what} and says where it is`, () => {
    assert.throws(() => canonicalJson(value), message);
  });
}

test('refuses a cycle instead of running out of stack', () => {
  const cycle: unknown[] = [];
  cycle.push(cycle);
  assert.throws(() => canonicalJson(cycle), new RegExp(`nested over ${canonicalDepthMax} levels`));
});

test('chains sha256 over the hash before and the stored bytes', () => {
  assert.is(firstPrevHash.length, 64);
  assert.is(chainHash(firstPrevHash, '{"ü":1}'), sha256(Buffer.from(`${firstPrevHash}{"ü":1}`)));
});

test.run();
