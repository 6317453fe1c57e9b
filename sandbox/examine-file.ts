/** What one built file is, by its header: a program, a library, an object; for which machine and ABI. */
import type { FileHandle } from 'node:fs/promises';
import { type Archive, archiveKind, readArchive } from './ar.ts';
import { type ElfHeader, elfBytesMax, elfBytesMin, readElfHeader } from './elf.ts';
import { combinedLabel } from './machine-names.ts';

export type ArtifactType = 'binary' | 'library_shared' | 'library_static' | 'object';

export interface Evidence {
  type: ArtifactType;
  /** `riscv64`, another label, or `mixed(a+b)` for an archive of several. */
  machine: string;
  /** `lp64d` and so on for RISC-V, '' otherwise; `lp64+lp64d` for an archive of several. */
  abi: string;
  /** Not all of the file was seen, so there may be more machines in it. */
  partial: boolean;
}

/** Source: upstream facts §10.1. */
export const candidateBytesMin = elfBytesMin;
/** Members of an archive that are read; libLLVM's largest archives have about 1,000. */
const membersMax = 50_000;

/**
 * Whether a file's header is worth reading: executable, or named as a library. Objects and kernel modules are
 * steps on the way to an output. Source: upstream facts §10.1.
 */
export function isCandidate(name: string, file: { size: number; mode: number }): boolean {
  if (file.size < candidateBytesMin || /\.k?o$/.test(name)) return false;
  return (file.mode & 0o111) !== 0 || name.endsWith('.a') || isSharedName(name);
}

const isSharedName = (name: string): boolean => /\.so(\.|$)/.test(name);

/** Reads what is needed of the file; null when it is no ELF file and holds none (thin archives hold none). */
export async function examineFile(file: FileHandle, name: string): Promise<Evidence | null> {
  const read = async (offset: number, length: number): Promise<Uint8Array> => {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, offset);
    return buffer.subarray(0, bytesRead);
  };
  const head = await read(0, elfBytesMax);
  const elf = readElfHeader(head);
  if (elf !== null) {
    const type = typeOf(elf, name);
    return type && { type, machine: elf.label, abi: elf.riscv?.abi ?? '', partial: false };
  }
  if (archiveKind(head) !== 'regular') return null;
  const archive = await readArchive(read, { membersMax, headBytes: elfBytesMax });
  return archive && archiveEvidence(archive);
}

/** Core files are traces of a crash, not outputs. */
function typeOf({ type }: ElfHeader, name: string): ArtifactType | null {
  if (type === 'core') return null;
  if (type === 'relocatable') return 'object';
  // position-independent programs are of the same ELF type as libraries
  return type === 'shared' && isSharedName(name) ? 'library_shared' : 'binary';
}

function archiveEvidence({ members, end }: Archive): Evidence | null {
  const headers = members.flatMap((member) => readElfHeader(member.head) ?? []);
  if (headers.length === 0) return null;
  return {
    type: 'library_static',
    machine: combinedLabel(headers.map((header) => header.label)),
    abi: [...new Set(headers.flatMap((header) => header.riscv?.abi ?? []))].sort().join('+'),
    partial: end === 'tooMany',
  };
}
