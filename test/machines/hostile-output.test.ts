/** A build prints what it likes: rules must come to an end quickly on any of it. */
import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CommandResult } from '../../events/records.ts';
import { errorRecordOf } from '../../machines/errors/record.ts';
import { retryFor, rewriteQueries, rewritesFor } from '../../machines/heuristics/apply.ts';
import { segmentsOf } from '../../machines/shell/segments.ts';

/** Pieces of the rules' own patterns: what makes a careless one try again and again. */
const units = [
  '../',
  'a/',
  'a ',
  'a.',
  'a:1',
  'lib',
  'error: ',
  'configure: error: ',
  "'",
  '$(',
  '-m',
  'unknown ',
  'architecture ',
  'riscv64 ',
  '404 ',
  'machine `riscv64 ',
  'A::',
  'Killed ',
  'not find ',
  '<<a',
  '\n',
  '\\',
];

/** Wall time for all of it; 1 s on two loaded cores, minutes when a pattern is exponential. */
const limitMs = 15_000;

function resultOf(output: string): CommandResult {
  const ref = { size: output.length, blob: null, head: output, tail: '' };
  return {
    command: 'make -j4',
    exitCode: 2,
    signal: null,
    timedOut: false,
    oomKilled: null,
    stdout: ref,
    stderr: ref,
    lines: [],
    durationMs: 1,
  };
}

const repair = (command: string, output: string) =>
  retryFor(
    { phase: 'build', repoName: 'demo', answers: {}, planned: command, command, result: resultOf(output) },
    [],
  );

test('8 KiB of any repeated piece are judged in bounded time', () => {
  const start = performance.now();
  for (const unit of units) {
    for (const end of ['', '!', 'x.h:1:']) {
      const output = unit.repeat(Math.ceil(8192 / unit.length)) + end;
      assert.ok(errorRecordOf({ command: 'make -j4', result: resultOf(output) }).message.length <= 3000);
      repair('make -j4', output);
      segmentsOf(output);
    }
  }
  const took = performance.now() - start;
  assert.ok(took < limitMs, `${took} ms`);
});

test('no output and no command makes a rule throw', () => {
  const text = fc.array(fc.oneof(fc.constantFrom(...units), fc.string({ maxLength: 8 })), { maxLength: 12 });
  fc.assert(
    fc.property(text, text, (output, words) => {
      const command = words.join('');
      const record = errorRecordOf({ command, result: resultOf(output.join('')) });
      assert.match(record.signature, `${record.category}|`);
      rewriteQueries(command);
      rewritesFor(command, { phase: 'build', repoName: 'demo', answers: {} });
      const action = repair(command, output.join(''));
      if (action !== null) assert.ok(action.steps.length > 0);
    }),
    { numRuns: 300 },
  );
});

test.run();
