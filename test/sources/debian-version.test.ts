import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compareVersions, upstreamVersion } from '../../services/sources/debian-version.ts';

test('orders versions as Debian does', () => {
  const ascending = [
    '0.9',
    '1.0~rc1',
    '1.0',
    '1.0-1',
    '1.0-1+deb13u1',
    '1.0-1+deb13u2',
    '1.0-2',
    '1.0.1',
    '1.10',
    '1:0.1',
  ];
  for (let i = 1; i < ascending.length; i++) {
    assert.ok(
      compareVersions(ascending[i - 1] ?? '', ascending[i] ?? '') < 0,
      `${ascending[i - 1]} < ${ascending[i]}`,
    );
  }
  assert.is(compareVersions('1.00', '1.0'), 0);
  assert.is(upstreamVersion('1:1.3.dfsg+really1.3.1-1+deb13u1'), '1.3.dfsg+really1.3.1');
});

test('agrees with dpkg on made-up versions', () => {
  const part = fc
    .string({ unit: fc.constantFrom(...'019a.z~+'), minLength: 1, maxLength: 5 })
    .map((text) => `1${text}`);
  const version = fc.tuple(part, fc.option(part)).map(([up, rev]) => (rev === null ? up : `${up}-${rev}`));
  const pairs = fc.sample(fc.tuple(version, version), { numRuns: 40, seed: 7 });
  for (const [a, b] of pairs) {
    const ours = Math.sign(compareVersions(a, b));
    const relation = ours < 0 ? 'lt' : ours > 0 ? 'gt' : 'eq';
    execFileSync('dpkg', ['--compare-versions', a, relation, b]); // throws when dpkg says no
  }
});

test.run();
