import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { scanArchitecture } from '../../services/analysis/arch-scan.ts';
import { memoryTree } from '../support/memory-tree.ts';

const found = async (files: Record<string, string>) =>
  (await scanArchitecture(memoryTree(files))).map(
    ({ file, line, archType, severity }) => `${severity} ${archType} ${file}:${line}`,
  );

test('finds each of the eight categories', async () => {
  assert.equal(await found({ 'asm/copy.S': '', 'asm/copy_riscv64.S': '' }), [
    'medium assembly_source asm/copy.S:1',
  ]);
  assert.equal(await found({ 'build/config.guess': "#!/bin/sh\ntimestamp='2009-12-30'\n" }), [
    'high stale_autotools build/config.guess:2',
  ]);
  assert.equal(await found({ 'config.sub': "timestamp='2018-02-22'\n" }), []);
  const dispatch =
    '#if defined(__x86_64__)\nint a;\n#elif defined(__arm__)\nint b;\n#else\n#error "unsupported"\n#endif\n';
  assert.equal(await found({ 'cpu.h': dispatch }), ['high arch_dispatch cpu.h:1']);
  assert.equal(await found({ 'cpu.h': dispatch.replace('#error "unsupported"', 'int c;') }), [
    'medium arch_dispatch cpu.h:1',
  ]);
  assert.equal(await found({ 'cpu.h': `${dispatch}\n#ifdef __riscv\n#endif\n` }), []);
  assert.equal(await found({ 'v.c': '\n#include <immintrin.h>\n' }), ['high intrinsic_header v.c:2']);
  assert.equal(await found({ Makefile: 'CFLAGS = -O2 -msse4.2\n' }), [
    'high hardcoded_arch_flags Makefile:1',
  ]);
  assert.equal(await found({ 'a.c': 'void f(void) { asm("pause"); }\n' }), []);
  assert.equal(await found({ 'a.c': 'void f(void) { __asm__ volatile ("rdtsc" : "=a"(x)); }\n' }), [
    'high inline_asm a.c:1',
  ]);
  assert.equal(await found({ 'x.go': '//go:build amd64\n\npackage x\n' }), [
    'medium go_build_constraints x.go:1',
  ]);
  assert.equal(await found({ 'x_amd64.go': 'package x\n', 'x_arm64.go': 'package x\n' }), [
    'medium go_arch_files x_amd64.go:1',
  ]);
  assert.equal(
    await found({ 'x_amd64.go': 'package x\n', 'x_other.go': '//go:build !amd64\n\npackage x\n' }),
    [],
  );
});

test('what a condition keeps to its own architecture is medium', async () => {
  assert.equal(await found({ 'v.c': '#ifdef __SSE2__\n#include <emmintrin.h>\n#endif\n' }), [
    'medium intrinsic_header v.c:2',
  ]);
  const derived =
    '#ifdef __aarch64__\n#define FAST_CRC\n#endif\n#ifdef FAST_CRC\n__asm__ volatile("crc32b %w0" : "+r"(c));\n#endif\n';
  assert.ok((await found({ 'crc.c': derived })).includes('medium inline_asm crc.c:5'));
  assert.equal(await found({ Makefile: 'all32: CFLAGS += -m32\n' }), [
    'medium hardcoded_arch_flags Makefile:1',
  ]);
  assert.equal(await found({ 'CMakeLists.txt': 'if(X86)\n  add_compile_options(-mavx2)\nendif()\n' }), [
    'medium hardcoded_arch_flags CMakeLists.txt:2',
  ]);
  assert.equal(await found({ 'src/resample_neon.h': '#include <arm_neon.h>\n' }), [
    'medium intrinsic_header src/resample_neon.h:1',
  ]);
});

test('comments, barriers, symbol names and tests are no findings', async () => {
  const files = {
    'a.c': '/* asm("rdtsc") and\n#include <immintrin.h> */\n// __asm__("x y" : : );\n',
    'b.c': '#define barrier() __asm__ __volatile__("" ::: "memory")\nextern int f(void) __asm__("_f");\n',
    'tests/t.c': '#include <immintrin.h>\n',
    Makefile: '# CFLAGS = -msse2\nCFLAGS = -O2 -march=rv64gc\n',
  };
  assert.equal(await found(files), []);
});

test('keeps at most 8 of a category and 40 in all, the gravest first', async () => {
  const files: Record<string, string> = {};
  for (let i = 0; i < 30; i++) files[`s${i}.S`] = '';
  for (let i = 0; i < 30; i++) files[`v${i}.c`] = '#include <immintrin.h>\n';
  const findings = await found(files);
  assert.is(findings.length, 16);
  assert.ok(findings.slice(0, 8).every((line) => line.startsWith('high intrinsic_header')));
});

test('no text makes it fail, and snippets stay short', async () => {
  const piece = fc.constantFrom(
    '#if',
    ' __x86_64__',
    '#else',
    '#error',
    '\n',
    '/*',
    '*/',
    'asm(',
    '"',
    ')',
    '-msse2',
    'timestamp=',
    'x'.repeat(300),
    '#endif',
    '#define A',
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece, { maxLength: 40 }),
      fc.constantFrom('a.c', 'Makefile', 'config.sub', 'a.go'),
      async (pieces, name) => {
        for (const { codeSnippet } of await scanArchitecture(memoryTree({ [name]: pieces.join('') }))) {
          assert.ok(codeSnippet.length <= 160);
        }
      },
    ),
  );
});

test.run();
