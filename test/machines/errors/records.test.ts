import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CommandResult } from '../../../events/records.ts';
import { evidenceOf } from '../../../machines/errors/evidence.ts';
import { errorRecordOf, placeOf } from '../../../machines/errors/record.ts';
import { seedCategory, seedRules } from '../../../machines/errors/seed-rules.ts';
import { severityOf } from '../../../machines/errors/severity.ts';
import { errorSignature } from '../../../machines/errors/signature.ts';

const ref = (head: string, tail = '') => ({ size: head.length + tail.length, blob: null, head, tail });
const result = (stderr: string, more: Partial<CommandResult> = {}): CommandResult => ({
  command: 'make',
  exitCode: 2,
  signal: null,
  timedOut: false,
  oomKilled: null,
  stdout: ref(''),
  stderr: ref(stderr),
  lines: [],
  durationMs: 4000,
  ...more,
});

/** One text for each of the seed's rules, in its order; upstream facts §9. */
const seedExamples: Array<[string, string]> = [
  ['HTTP 429', 'RATE_LIMIT'],
  ['E: Could not get lock /var/lib/dpkg/lock-frontend', 'DEPENDENCY'],
  ['Build command failed: make (exit 137) - Killed', 'DISK_SPACE'],
  ['command timed out', 'NETWORK'],
  ["fatal: repository 'https://x/y/' not found", 'CONFIGURATION'],
  ['fatal: Authentication failed', 'NETWORK'],
  ['config.guess: unable to guess system type', 'CONFIGURATION'],
  ['immintrin.h: No such file', 'ARCHITECTURE'],
  ["undefined reference to `x'", 'LINKING'],
  ['CMake Error: could not find ZLIB', 'DEPENDENCY'],
  ['E: Unable to locate package x', 'DEPENDENCY'],
  ['sh: cmake: command not found', 'MISSING_TOOLS'],
  ['possibly undefined macro: AC_X', 'CONFIGURATION'],
  ['./configure: line 3: syntax error', 'CONFIGURATION'],
  ['error[E0432]: x', 'COMPILATION'],
  ['no rule to make target x', 'CONFIGURATION'],
  ['x.h: No such file or directory', 'DEPENDENCY'],
  ['Permission denied', 'PERMISSION'],
  ['Killed', 'DISK_SPACE'],
  ["KeyError: 'x'", 'CONFIGURATION'],
  ['does not have any commits yet', 'CONFIGURATION'],
  ['go.mod requires go >= 1.25', 'MISSING_TOOLS'],
  ['something else', 'UNKNOWN'],
];

test('the seed has 23 rules, the last one is UNKNOWN', () => {
  assert.equal(
    seedRules.map((rule) => rule.order),
    Array.from({ length: 22 }, (_, n) => n + 1),
  );
});

seedExamples.forEach(([text, category], n) => {
  test(`seed rule ${n + 1} says ${category}`, () => {
    assert.is(seedCategory(text), category);
    const lower = text.toLowerCase();
    const first = seedRules.find((rule) => rule.all.every((pattern) => pattern.test(lower)));
    assert.is(first?.order ?? 23, n + 1);
  });
});

test('the seed’s faults are kept in the seed’s category only', () => {
  const record = errorRecordOf({
    command: 'make',
    result: result("main.c:429:5: error: 'foo' undeclared"),
  });
  assert.is(record.seedCategory, 'RATE_LIMIT');
  assert.is(record.category, 'COMPILATION');
});

test('a record says the command, its end and its output in the seed’s form', () => {
  const record = errorRecordOf({
    command: 'make -j4',
    result: result('src/a.c:12:5: error: bad\nmake: *** x'),
  });
  assert.is(
    record.message,
    'Build command failed: make -j4 (exit 2) - src/a.c:12:5: error: bad\nmake: *** x',
  );
  assert.is(record.file, 'src/a.c');
  assert.is(record.line, 12);
  assert.is(record.command, 'make -j4');
  assert.is(record.severity, 'medium');
  assert.ok(record.action);
});

test('a message takes stderr, else stdout, else the lines, else says that there was nothing', () => {
  const message = (more: Partial<CommandResult>) =>
    errorRecordOf({ command: 'x', result: result('', more) }).message;
  assert.match(message({ stdout: ref('FAILED: a.o') }), /- FAILED: a\.o$/);
  assert.match(
    message({ lines: [{ line: 1, stream: 'stderr', tool: 'gcc', text: 'error: q' }] }),
    /- error: q$/,
  );
  assert.match(message({}), /printed nothing/);
  assert.match(message({ timedOut: true, durationMs: 1_800_000, exitCode: 137 }), /time limit after 1800 s/);
  assert.match(message({ oomKilled: true, exitCode: 137 }), /exit 137, killed for lack of memory/);
});

test('a long message keeps its beginning and its end, 3,000 characters in all', () => {
  const record = errorRecordOf({ command: 'make', result: result(`first ${'x'.repeat(9000)} last`) });
  assert.is(record.message.length, 3000);
  assert.match(record.message, /^Build command failed: make/);
  assert.match(record.message, / last$/);
});

test('the place is read from compilers’ lines only', () => {
  assert.equal(placeOf({ text: 'a/b.cpp:7: error: x' }), { file: 'a/b.cpp', line: 7 });
  assert.equal(placeOf({ text: '../x.h:3:4: fatal error: y' }), { file: '../x.h', line: 3 });
  assert.is(placeOf({ text: 'error at 12:30' }), null);
});

test('evidence is the extracted lines and what the ends add, once each', () => {
  const evidence = evidenceOf(
    result('a\nb\n', {
      lines: [{ line: 9, stream: 'stderr', tool: 'gcc', text: 'b' }],
      stdout: ref('head', 'tail'),
    }),
  );
  assert.equal(
    evidence.lines.map((line) => line.text),
    ['b', 'a', 'head', 'tail'],
  );
});

test('severity follows the seed’s order', () => {
  assert.is(severityOf('PERMISSION', 'which gcc', ''), 'low');
  assert.is(severityOf('DISK_SPACE', 'make', ''), 'high');
  assert.is(severityOf('NETWORK', 'git clone x', ''), 'high');
  assert.is(severityOf('COMPILATION', 'make', ''), 'medium');
  assert.is(severityOf('UNKNOWN', null, 'which: gcc not found'), 'medium');
  assert.is(severityOf('UNKNOWN', null, 'which gcc: not found'), 'low');
  assert.is(severityOf('UNKNOWN', 'make', 'odd'), 'medium');
});

test('a signature is the same for the same failure in another place, and another for another failure', () => {
  const a = errorSignature('COMPILATION', "/tmp/x1/src/a.c:12:5: error: expected ';' at 0xFFEE (12 of 40)");
  const b = errorSignature('COMPILATION', "/tmp/x22/src/a.c:99: error: expected ';' at 0x1 (3 of 4)");
  assert.is(a, b);
  assert.is(a, "COMPILATION|<path>:<n>: error: expected ';' at <hex> (<n> of <n>)");
  assert.is.not(a, errorSignature('LINKING', 'undefined reference to `x`'));
});

test('a signature takes the line that tells, not progress or the echo of make', () => {
  assert.is(
    errorSignature('LINKING', 'compiling a\nmake: *** [x] Error 1\nld: undefined reference to `q`'),
    'LINKING|ld: undefined reference to `q`',
  );
  assert.is(errorSignature('UNKNOWN', 'make: *** [x] Error 1'), 'UNKNOWN|make: *** [x] error <n>');
  assert.is(errorSignature('UNKNOWN', '\nodd\n'), 'UNKNOWN|odd');
  assert.is(errorSignature('UNKNOWN', ''), 'UNKNOWN|');
  assert.is(errorSignature('UNKNOWN', `error ${'a'.repeat(400)}`).length, 'UNKNOWN|'.length + 200);
});

test.run();
