/** Names of the machines that an ELF file can be for. */

/** e_machine to label. Source: gABI, "Machine Information"; labels are those of upstream facts §10.1. */
const labels: Readonly<Record<number, string>> = {
  3: 'x86',
  6: 'x86', // EM_486, Intel MCU
  8: 'mips',
  20: 'ppc',
  21: 'ppc64',
  40: 'arm',
  62: 'x86-64',
  183: 'aarch64',
  247: 'bpf',
  258: 'loongarch',
};
const emS390 = 22;
/** Source: RISC-V ELF psABI, "File Header". */
export const emRiscv = 243;

export interface MachineFields {
  machine: number;
  bits: 32 | 64;
  bigEndian: boolean;
}

/** The label of a machine, `em-N` for one without a name. `riscv64` is little-endian 64-bit RISC-V only. */
export function machineLabel({ machine, bits, bigEndian }: MachineFields): string {
  if (machine === emRiscv) return `riscv${bits}${bigEndian ? 'be' : ''}`;
  if (machine === emS390) return bits === 64 ? 's390x' : 's390';
  return labels[machine] ?? `em-${machine}`;
}

/** One label for a set of them: itself when all are equal, else `mixed(a+b)` in alphabetical order. */
export function combinedLabel(all: readonly string[]): string {
  const distinct = [...new Set(all)].sort();
  return distinct.length === 1 ? (distinct[0] ?? '') : `mixed(${distinct.join('+')})`;
}
