import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ArtifactScan, ElfFile } from '../../events/records.ts';
import { verdictOf } from '../../machines/verdict.ts';

const elf = (path: string, machine = 'riscv64'): ElfFile => ({
  path,
  type: 'binary',
  machine,
  abi: machine === 'riscv64' ? 'lp64d' : '',
  size: 100,
  sha256: 'x',
});

function scan(riscv64: ElfFile[], more: Partial<ArtifactScan> = {}): ArtifactScan {
  const foreign = more.foreign ?? [];
  const prebuiltForeign = more.prebuiltForeign ?? [];
  return {
    sourceCommit: 'abc',
    riscv64,
    foreign,
    prebuiltForeign,
    counts: { riscv64: riscv64.length, foreign: foreign.length, prebuiltForeign: prebuiltForeign.length },
    abiWarnings: [],
    examined: 9,
    truncated: false,
    scanError: null,
    ...more,
  };
}

test('one built riscv64 file verifies', () => {
  const verdict = verdictOf(scan([elf('libz.so.1.3')]), ['libz.so', 'libz']);
  assert.is(verdict.status, 'verified');
  assert.is(verdict.verified, true);
  assert.is(verdict.reason, '1 built file is riscv64');
  assert.equal(verdict.expectedMissing, []);
  assert.is(verdict.sourceCommit, 'abc');
});

test('a foreign built file outweighs everything', () => {
  const verdict = verdictOf(scan([elf('a')], { foreign: [elf('b', 'x86-64')], truncated: true }), []);
  assert.is(verdict.status, 'wrong_arch');
  assert.is(verdict.verified, false);
  assert.match(verdict.reason, '1 of the built files are not riscv64 (x86-64)');
});

test('a foreign file that only the counts know is still one', () => {
  const counts = { riscv64: 1, foreign: 1, prebuiltForeign: 0 };
  assert.is(verdictOf(scan([elf('a')], { counts }), []).status, 'wrong_arch');
});

test('a tree that was not seen whole proves nothing', () => {
  assert.is(verdictOf(scan([elf('a')], { truncated: true }), []).status, 'unverified');
  const failed = verdictOf(scan([elf('a')], { scanError: 'gone' }), []);
  assert.is(failed.status, 'unverified');
  assert.match(failed.reason, 'gone');
});

test('nothing built is unverified and says what was expected', () => {
  const verdict = verdictOf(scan([]), ['jo', 'out/libjo.a']);
  assert.is(verdict.status, 'unverified');
  assert.equal(verdict.expectedMissing, ['jo', 'libjo.a']);
  const prebuilt = verdictOf(scan([], { prebuiltForeign: [elf('x.so', 'arm')] }), []);
  assert.match(prebuilt.reason, 'other machines');
});

test('a missing expected file does not change a verdict but is said', () => {
  const verdict = verdictOf(scan([elf('bin/jo'), elf('b')]), ['jo', 'libjo']);
  assert.is(verdict.status, 'verified');
  assert.match(verdict.reason, '2 built files are riscv64; expected but not found: libjo');
});

test('long lists are cut at 200', () => {
  const many = Array.from({ length: 250 }, (_, n) => elf(`f${n}`));
  const verdict = verdictOf(scan(many), []);
  assert.is(verdict.riscv64.length, 200);
  assert.is(verdict.counts.riscv64, 250);
});

test('a compiler check of the build system proves nothing', () => {
  const probe = {
    path: 'build/CMakeFiles/3.31/CompilerIdC/a.out',
    type: 'binary' as const,
    machine: 'riscv64',
    abi: 'lp64d',
    size: 9,
    sha256: '',
  };
  const scan = {
    sourceCommit: 'c',
    riscv64: [probe],
    foreign: [{ ...probe, path: 'build/CMakeFiles/x86.out', machine: 'x86-64' }],
    prebuiltForeign: [],
    counts: { riscv64: 1, foreign: 1, prebuiltForeign: 0 },
    abiWarnings: [],
    examined: 2,
    truncated: false,
    scanError: null,
  };
  assert.is(verdictOf(scan, []).status, 'unverified');
  const real = {
    ...scan,
    riscv64: [probe, { ...probe, path: 'build/tool' }],
    counts: { ...scan.counts, riscv64: 2 },
  };
  assert.is(verdictOf(real, []).status, 'verified');
  assert.is(verdictOf(real, []).counts.riscv64, 1);
});

test.run();
