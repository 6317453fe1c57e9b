/** A fold reads only the extracted lines (design: long output): they must be enough to decide on. */
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { classifyFailure } from '../../machines/errors/classify.ts';
import { makeLineExtractor } from '../../services/effects/line-extractor.ts';

interface Case {
  id: string;
  error_text: string;
  category: string;
  alt_category: string | null;
}

const cases = readFileSync(new URL('../fixtures/cases/errors.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Case);

test('each real failure in the middle of a long output is classified by its extracted lines alone', () => {
  const wrong = cases.flatMap(({ id, error_text, category, alt_category }) => {
    const extractor = makeLineExtractor();
    const quiet = Array.from({ length: 2000 }, (_, n) => `gcc -O2 -c part${n}.c -o part${n}.o`);
    for (const line of [...quiet, ...error_text.split('\n'), ...quiet]) extractor.push('stderr', line);
    const found = classifyFailure({
      exitCode: 1,
      signal: null,
      timedOut: false,
      oomKilled: null,
      lines: extractor.lines(),
    });
    return [category, alt_category].includes(found.category)
      ? []
      : [`${id}: ${found.category}, not ${category}`];
  });
  assert.equal(wrong, []);
});

test.run();
