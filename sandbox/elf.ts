/** Reads the header of an ELF file out of its first bytes. Pure; garbage is answered with null, never thrown. */
import { emRiscv, machineLabel } from './machine-names.ts';

/** What an ELF file is; `other` are values of operating systems and processors. */
export type ElfType = 'none' | 'relocatable' | 'executable' | 'shared' | 'core' | 'other';

export interface ElfHeader {
  bits: 32 | 64;
  bigEndian: boolean;
  type: ElfType;
  /** e_machine as it stands in the file. */
  machine: number;
  /** `riscv64`, `x86-64`, `em-21` … */
  label: string;
  /** e_flags as it stands in the file. */
  flags: number;
  riscv: RiscvFlags | null;
}

/** What e_flags says of a RISC-V file. Source: RISC-V ELF psABI, "File Header". */
export interface RiscvFlags {
  /** lp64, lp64f, lp64d, lp64q (ilp32… with 32 bits), rve. */
  abi: string;
  /** It may use compressed instructions. */
  compressed: boolean;
  /** It relies on total store ordering. */
  tso: boolean;
}

/** Size of the header by class, bytes. Source: gABI, "ELF Header". */
const headerSize = { 32: 52, 64: 64 } as const;
/** As many bytes as a header can need; the smaller class needs `elfBytesMin`. */
export const elfBytesMax = headerSize[64];
export const elfBytesMin = headerSize[32];

const types: readonly ElfType[] = ['none', 'relocatable', 'executable', 'shared', 'core'];

/** The header that `bytes` (the beginning of a file) holds, or null when they hold none. */
export function readElfHeader(bytes: Uint8Array): ElfHeader | null {
  const [m0, m1, m2, m3, fileClass, encoding] = bytes;
  if (m0 !== 0x7f || m1 !== 0x45 || m2 !== 0x4c || m3 !== 0x46) return null;
  if ((fileClass !== 1 && fileClass !== 2) || (encoding !== 1 && encoding !== 2)) return null;
  const bits = fileClass === 1 ? 32 : 64;
  if (bytes.length < headerSize[bits]) return null;
  const bigEndian = encoding === 2;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const machine = view.getUint16(18, !bigEndian);
  const flags = view.getUint32(bits === 32 ? 36 : 48, !bigEndian);
  return {
    bits,
    bigEndian,
    type: types[view.getUint16(16, !bigEndian)] ?? 'other',
    machine,
    label: machineLabel({ machine, bits, bigEndian }),
    flags,
    riscv: machine === emRiscv ? riscvFlags(flags, bits) : null,
  };
}

/** Suffix of the ABI by the float field of e_flags (bits 1 and 2). */
const floatSuffixes = ['', 'f', 'd', 'q'] as const;

function riscvFlags(flags: number, bits: 32 | 64): RiscvFlags {
  const base = bits === 64 ? 'lp64' : 'ilp32';
  const abi = (flags & 0x8) !== 0 ? 'rve' : `${base}${floatSuffixes[(flags >> 1) & 3]}`;
  return { abi, compressed: (flags & 0x1) !== 0, tso: (flags & 0x10) !== 0 };
}
