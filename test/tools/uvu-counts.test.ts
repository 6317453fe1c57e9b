import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { uvuCounts } from './uvu-counts.ts';

test('adds up the closing lines of every suite, colours or not', () => {
  const output = '\u001b[90m  Total:     3\u001b[39m\n  Total:     2\n  Passed:    4\n  Skipped:   1\n';
  assert.equal(uvuCounts(output), { total: 5, passed: 4, skipped: 1 });
});

test('answers null when uvu printed no closing lines', () => {
  assert.is(uvuCounts('boom\n'), null);
});

test('does not take a test that prints "Total: 9" in a sentence for a closing line', () => {
  assert.is(uvuCounts('the Total: 9 of it\n'), null);
});

test.run();
