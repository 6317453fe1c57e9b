import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { utcTime } from '../../machines/utc-time.ts';

test('a moment reads as the platform’s own clock says it', () => {
  const last = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
  const first = Date.UTC(1, 0, 1);
  fc.assert(
    fc.property(fc.integer({ min: -62_135_596_800, max: Math.floor(last / 1000) }), (seconds) => {
      const ms = seconds * 1000;
      if (ms < first) return;
      assert.is(utcTime(ms), new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z'));
    }),
    { numRuns: 2000 },
  );
});

test('leap days, ends of years and parts of a second are right', () => {
  for (const text of [
    '2000-02-29T23:59:59Z',
    '2100-02-28T00:00:00Z',
    '1969-12-31T23:59:59Z',
    '2026-01-01T00:00:00Z',
  ]) {
    assert.is(utcTime(Date.parse(text)), text);
  }
  assert.is(utcTime(1999), '1970-01-01T00:00:01Z');
});

test.run();
