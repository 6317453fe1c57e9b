import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isWorthDeciding, makeLineExtractor, toolOf } from '../../services/effects/line-extractor.ts';

interface ErrorCase {
  error_text?: string;
  text?: string;
  error?: string;
  prose?: boolean;
  id?: string;
}

const fixture = join(import.meta.dirname, '../fixtures/cases/errors.jsonl');
const cases = readFileSync(fixture, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as ErrorCase);

test('keeps at least one line of every real failure', () => {
  const missed = cases.filter((one) => {
    const lines = (one.error_text ?? one.text ?? one.error ?? '').split('\n');
    return !one.prose && !lines.some(isWorthDeciding);
  });
  assert.equal(
    missed.map((one) => one.error_text ?? one.text ?? one.error),
    [],
  );
});

test('says which tool printed a line', () => {
  const said: Array<[string, string]> = [
    ['main.c:3:10: fatal error: foo.h: No such file or directory', 'gcc'],
    ["/usr/bin/ld: main.o: in function `main': undefined reference to `foo'", 'ld'],
    ['collect2: error: ld returned 1 exit status', 'ld'],
    ['make[2]: *** [Makefile:12: main.o] Error 1', 'make'],
    ['CMake Error at CMakeLists.txt:3 (find_package):', 'cmake'],
    ['configure: error: no acceptable C compiler found in $PATH', 'configure'],
    ['./autogen.sh: line 4: aclocal: command not found', 'sh'],
    ['sh: 1: cmake: not found', 'sh'],
    ['E: Unable to locate package libfoo-dev', 'apt'],
    ['go: cannot find main module', 'go'],
    ['error[E0432]: unresolved import `x`', 'cargo'],
    ['meson.build:5:0: ERROR: Dependency "zlib" not found', 'meson'],
    ["ModuleNotFoundError: No module named 'yaml'", 'python'],
    ['fatal: unable to access', 'git'],
    ['qemu-riscv64: Could not open', 'qemu'],
  ];
  for (const [line, tool] of said) assert.is(toolOf(line), tool, line);
});

test('leaves out what only looks like a failure', () => {
  for (const line of [
    'checking for error_at_line... no',
    '-- Looking for strerror_r - not found',
    'gcc -Wno-error=format -O2 -c missing.c -o missing.o',
    '[ 12%] Building C object CMakeFiles/error.dir/error.c.o',
    'hello world',
  ])
    assert.not.ok(isWorthDeciding(line), line);
});

test('[L1] keeps the first 40 and the last 24 of many, with their numbers', () => {
  const extractor = makeLineExtractor();
  for (let n = 1; n <= 1000; n++) extractor.push('stderr', `error: number ${n}\n`);
  const lines = extractor.lines();
  assert.is(lines.length, 64);
  assert.equal([lines[0]?.line, lines[39]?.line, lines[40]?.line, lines[63]?.line], [1, 40, 977, 1000]);
});

test('takes colours and overwritten text away', () => {
  const extractor = makeLineExtractor();
  extractor.push('stderr', '\u001b[1m\u001b[31merror:\u001b[0m bad\r\n');
  extractor.push('stdout', 'progress 10%\rerror: worse\n');
  assert.equal(
    extractor.lines().map(({ text }) => text),
    ['error: bad', 'error: worse'],
  );
});

test('[L2] whatever is printed, the answer is small and never throws', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 3_000 }), { maxLength: 40 }), (printed) => {
      const extractor = makeLineExtractor();
      for (const line of printed) extractor.push('stdout', `error: ${line}`);
      for (const { text } of extractor.lines()) assert.ok(text.length <= 500);
      assert.ok(extractor.lines().length <= 64);
    }),
  );
});

test.run();
