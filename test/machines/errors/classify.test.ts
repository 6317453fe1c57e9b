/** The classifier against real riscv64 failures; the sources of the cases are cited in the data. */
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { classifyFailure, failureRules } from '../../../machines/errors/classify.ts';
import { evidenceOfText } from '../../../machines/errors/evidence.ts';

interface Case {
  id: string;
  package: string;
  error_text: string;
  category: string;
  alt_category: string | null;
}

const cases: Case[] = readFileSync(new URL('../../fixtures/cases/errors.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Case);

const of = (text: string, more = {}) => classifyFailure({ ...evidenceOfText(text), ...more });

test('there are 89 cases', () => {
  assert.is(cases.length, 89);
});

for (const { id, error_text, category, alt_category } of cases) {
  test(`${id} is ${category}`, () => {
    const found = of(error_text);
    assert.ok(
      [category, alt_category].includes(found.category),
      `${found.category} by ${found.rule}: ${found.line?.text}`,
    );
  });
}

test('no rule names a package of the cases', () => {
  const names = cases
    .map(({ package: name }) => name.split(/[ (]/)[0]?.toLowerCase() ?? '')
    .filter((name) => name.length > 3 && !['maude', 'most', 'shim', 'swift'].includes(name));
  for (const rule of failureRules) {
    for (const name of names) assert.not.match(rule.line.source.toLowerCase(), new RegExp(`\\b${name}\\b`));
  }
});

/** Upstream facts §9: what the existing system's function gets wrong, found by running it. */
const mended: Array<[string, string]> = [
  ["main.c:429:5: error: 'foo' undeclared (first use in this function)", 'COMPILATION'],
  ["/usr/bin/ld: src/connection.c:12: undefined reference to `x_open'", 'LINKING'],
  ['src/network.c:8:1: error: syntax error before token', 'COMPILATION'],
  ["/workspace/repos/network/main.c:3:1: error: expected ';'", 'COMPILATION'],
  ['arch/x86_64/blob.c:3:10: fatal error: png.h: No such file or directory', 'DEPENDENCY'],
  ['collect2: fatal error: ld terminated with signal 9 [Killed]', 'COMPILATION'],
  ['a.c:1:10: fatal error: png.h: No such file or directory', 'DEPENDENCY'],
  ['/bin/sh: 1: ./autogen.sh: Permission denied', 'CONFIGURATION'],
];
for (const [text, category] of mended) {
  test(`"${text}" is ${category}`, () => {
    assert.is(of(text).category, category);
  });
}

/** Failures beyond the case file, each a form that a common tool prints. */
const more: Array<[string, string]> = [
  ['cc1: error: bad value ‘native’ for ‘-march=’ switch', 'ARCHITECTURE'],
  ["gcc: error: unrecognized command-line option '-mavx2'", 'ARCHITECTURE'],
  ["clang: error: unsupported option '-msse4.1' for target 'riscv64-unknown-linux-gnu'", 'ARCHITECTURE'],
  ["gcc: error: unrecognized command-line option '-fno-such-thing'", 'CONFIGURATION'],
  ['/usr/bin/ld: cannot find -lpcap: No such file or directory', 'DEPENDENCY'],
  ["No package 'libfoo-1.0' found", 'DEPENDENCY'],
  ['meson.build:12:0: ERROR: Dependency "glib-2.0" not found, tried pkgconfig and cmake', 'DEPENDENCY'],
  ['  Could NOT find ZLIB (missing: ZLIB_LIBRARY ZLIB_INCLUDE_DIR)', 'DEPENDENCY'],
  ['E: Unable to locate package libnope-dev', 'DEPENDENCY'],
  ["ModuleNotFoundError: No module named 'jinja2'", 'DEPENDENCY'],
  ['/bin/sh: 1: bison: not found', 'MISSING_TOOLS'],
  ['bash: line 1: cmake: command not found', 'MISSING_TOOLS'],
  [
    "configure: error: in `/x':\nconfigure: error: C compiler cannot create executables\nSee `config.log'",
    'MISSING_TOOLS',
  ],
  ["configure: error: in `/x':\nconfigure: error: the frobnicator is odd", 'CONFIGURATION'],
  ['Makefile:3: *** missing separator.  Stop.', 'CONFIGURATION'],
  ["make: *** No rule to make target 'all'.  Stop.", 'CONFIGURATION'],
  ['go: no required module provides package example.org/x; to add it:', 'CONFIGURATION'],
  ['fatal: unable to access: Could not resolve host: git.example.org', 'NETWORK'],
  ['dial tcp: lookup proxy.example.org: no such host', 'NETWORK'],
  ['error[E0432]: unresolved import `core::arch::x86_64`', 'COMPILATION'],
  ['cp: error writing /x: No space left on device', 'DISK_SPACE'],
  ['HTTP/2 429 from the server', 'RATE_LIMIT'],
  ["foo.S:12: Error: unrecognized opcode `movaps xmm0,xmm1'", 'ARCHITECTURE'],
  ['arch.h:5:2: error: #error "Unknown CPU type"', 'ARCHITECTURE'],
  ["src/a.c:429: undefined reference to `timeout_set'", 'LINKING'],
  ['mkdir: cannot create directory ‘/usr/share/x’: Permission denied', 'PERMISSION'],
];
/** Lines that were not looked at while the rules were written; each with where it was reported. */
const reported: Array<[string, string, string]> = [
  ['ptitSeb/box64#2977', "dynarec_native.c:464: Error: unrecognized opcode `mrs a5,ctr_el0'", 'ARCHITECTURE'],
  [
    'desktop-app/tg_owt#121',
    '#error Please add support for your architecture in build/build_config.h',
    'ARCHITECTURE',
  ],
  ['stsp/dj64dev#51', "thunk_syms.s:2: Error: unknown pseudo-op: `.option'", 'ARCHITECTURE'],
  [
    'haskell/bytestring#693',
    "ld.bfd: itoa.o: relocation R_RISCV_HI20 against `a local symbol' can not be used when making a shared object; recompile with -fPIC",
    'LINKING',
  ],
  [
    'haskell/bytestring#693',
    "ld.bfd: unresolvable R_RISCV_CALL_PLT relocation against symbol `qsort'",
    'LINKING',
  ],
  [
    'rust-embedded/riscv-rt#55',
    'rust-lld: error: asm.S:36:(.init+0xA): relocation R_RISCV_ALIGN requires unimplemented linker relaxation',
    'LINKING',
  ],
  [
    'riscv-collab/riscv-gnu-toolchain#330',
    'ld: final link failed: Symbol needs debug section which does not exist',
    'LINKING',
  ],
  [
    'Markakd/CVE-2022-2588#7',
    'exp.c:60:10: fatal error: x86intrin.h: No such file or directory',
    'ARCHITECTURE',
  ],
  ['icecc/icecream#385', 'configure: error: libcap-ng library was not found.', 'DEPENDENCY'],
  [
    'icecc/icecream#385',
    'configure: error: Could not find lzo2 library - please install lzo-devel.',
    'DEPENDENCY',
  ],
  ['OpenSCAP/openscap#765', 'configure: error: libcurl devel support is missing', 'DEPENDENCY'],
  [
    'kensanata/bitlbee-mastodon#5',
    'configure: error: Package requirements (bitlbee >= 3.5) were not met:',
    'DEPENDENCY',
  ],
  ['couchbase/manifest#1', 'configure: error: Failed to locate snappy-c.h', 'DEPENDENCY'],
];
for (const [where, text, category] of reported) {
  test(`${where} "${text.slice(0, 60)}" is ${category}`, () => {
    const found = of(text);
    assert.is(found.category, category, found.rule);
  });
}

for (const [text, category] of more) {
  test(`"${text}" is ${category} too`, () => {
    const found = of(text);
    assert.is(found.category, category, found.rule);
  });
}

test('[C1] a kill at the time limit is no lack of memory', () => {
  const found = of('Killed', { exitCode: 137, timedOut: true });
  assert.is(found.category, 'UNKNOWN');
  assert.is(found.rule, 'end.timed-out');
  assert.match(found.action ?? '', /time/);
});

test('[C1] the kernel’s counter says that memory ran out, whatever was printed', () => {
  const found = of("x.c:1:1: error: unknown type name 'y'", { exitCode: 2, oomKilled: true });
  assert.is(found.category, 'COMPILATION');
  assert.match(found.action ?? '', /fewer jobs/);
});

test('[C1] an exit by KILL without a word is a lack of memory and not of disk', () => {
  const found = of('', { exitCode: 137 });
  assert.is(found.category, 'COMPILATION');
  assert.is(found.line, null);
});

test('[C2] what configure checks and what a compiler warns of is no evidence', () => {
  const text = [
    'checking for immintrin.h... no',
    'warning: unsupported architecture for the fast path',
    "main.c:4:2: error: expected ';' before '}' token",
  ].join('\n');
  assert.is(of(text).category, 'COMPILATION');
});

test('[C2] an error that a warning wraps counts', () => {
  assert.is(
    of("cargo:warning=gcc: error: unrecognized command-line option '-msse2'").category,
    'ARCHITECTURE',
  );
});

test('[C3] the seed decides what no rule knows, without looking at paths', () => {
  assert.is(of('something odd happened in src/network/timeout.c:429').category, 'UNKNOWN');
  assert.is(of('the fortified realpath is broken').category, 'COMPILATION');
  assert.is(of('').category, 'UNKNOWN');
});

test('a prebuilt file that does not exist for riscv64 is never a reason to try again', () => {
  const found = of('curl: (22) The requested URL returned error: 404 tool-linux-riscv64.tar.gz');
  assert.is(found.category, 'ARCHITECTURE');
  assert.match(found.action ?? '', /do not try the download again/);
});

test.run();
