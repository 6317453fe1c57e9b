import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readElfHeader } from '../../sandbox/elf.ts';
import { combinedLabel } from '../../sandbox/machine-names.ts';
import { type ElfFields, elfFile } from '../support/elf-files.ts';

const header = (fields: ElfFields) => readElfHeader(elfFile(fields));

test('reads class, byte order, type, machine and flags of 32 and 64 bit headers', () => {
  for (const bits of [32, 64] as const) {
    for (const bigEndian of [false, true]) {
      const found = header({ bits, bigEndian, type: 3, machine: 40, flags: 0x5000400 });
      const expected = { bits, bigEndian, type: 'shared', machine: 40, label: 'arm', flags: 0x5000400 };
      assert.equal(found, { ...expected, riscv: null });
    }
  }
});

test('names machines, and those without a name by number', () => {
  const labelOf = (machine: number, bits: 32 | 64 = 64) => header({ machine, bits })?.label;
  assert.is(labelOf(243), 'riscv64');
  assert.is(labelOf(243, 32), 'riscv32');
  assert.is(header({ machine: 243, bigEndian: true })?.label, 'riscv64be');
  assert.is(labelOf(62), 'x86-64');
  assert.is(labelOf(3, 32), 'x86');
  assert.is(labelOf(183), 'aarch64');
  assert.is(labelOf(22), 's390x');
  assert.is(labelOf(22, 32), 's390');
  assert.is(labelOf(247), 'bpf');
  assert.is(labelOf(258), 'loongarch');
  assert.is(labelOf(21), 'ppc64');
  assert.is(labelOf(8), 'mips');
  assert.is(labelOf(9999), 'em-9999');
});

test('reads the ABI of a RISC-V file from its flags', () => {
  const riscv = (flags: number, bits: 32 | 64 = 64) => header({ flags, bits })?.riscv;
  assert.equal(riscv(0), { abi: 'lp64', compressed: false, tso: false });
  assert.equal(riscv(2), { abi: 'lp64f', compressed: false, tso: false });
  assert.equal(riscv(5), { abi: 'lp64d', compressed: true, tso: false });
  assert.equal(riscv(0x16), { abi: 'lp64q', compressed: false, tso: true });
  assert.equal(riscv(8), { abi: 'rve', compressed: false, tso: false });
  assert.equal(riscv(4, 32), { abi: 'ilp32d', compressed: false, tso: false });
});

test('answers null for what is no ELF header: short, another magic, unknown class or byte order', () => {
  const good = elfFile();
  assert.is(readElfHeader(good.subarray(0, 63)), null);
  assert.is(readElfHeader(new Uint8Array()), null);
  assert.is(readElfHeader(Buffer.from('#!/bin/sh\n'.repeat(10))), null);
  for (const at of [0, 4, 5]) {
    const bad = Buffer.from(good);
    bad[at] = 9;
    assert.is(readElfHeader(bad), null);
  }
  assert.ok(readElfHeader(elfFile({ bits: 32 })), '52 bytes are enough for 32 bit');
});

test('reads a header that begins in the middle of a larger buffer', () => {
  const whole = Buffer.concat([Buffer.from('xyz'), elfFile({ machine: 62 }), Buffer.from('more')]);
  assert.is(readElfHeader(whole.subarray(3))?.label, 'x86-64');
});

test('never throws, whatever the bytes are', () => {
  const bytes = fc.uint8Array({ maxLength: 80 });
  const almost = bytes.map((rest) => Uint8Array.from([0x7f, 0x45, 0x4c, 0x46, ...rest]));
  fc.assert(
    fc.property(fc.oneof(bytes, almost), (input) => {
      const found = readElfHeader(input);
      if (found !== null)
        assert.ok(found.label.length > 0 && (found.riscv === null) === (found.machine !== 243));
    }),
    { numRuns: 2000 },
  );
});

test('gives back every field that a header was made of', () => {
  const fields = fc.record({
    bits: fc.constantFrom(32 as const, 64 as const),
    bigEndian: fc.boolean(),
    type: fc.integer({ min: 0, max: 0xffff }),
    machine: fc.integer({ min: 0, max: 0xffff }),
    flags: fc.integer({ min: 0, max: 0xffffffff }),
  });
  fc.assert(
    fc.property(fields, (input) => {
      const found = readElfHeader(elfFile(input));
      const { bits, bigEndian, machine, flags } = input;
      assert.equal(
        [found?.bits, found?.bigEndian, found?.machine, found?.flags],
        [bits, bigEndian, machine, flags],
      );
    }),
  );
});

test('one label stands for equal ones, several are mixed in alphabetical order', () => {
  assert.is(combinedLabel(['riscv64', 'riscv64']), 'riscv64');
  assert.is(combinedLabel(['x86-64', 'riscv64', 'x86-64']), 'mixed(riscv64+x86-64)');
});

test.run();
