/** ELF files and archives made byte by byte, so that tests need no compiler for any machine. */

export interface ElfFields {
  bits?: 32 | 64;
  bigEndian?: boolean;
  /** e_type: 1 object, 2 program, 3 shared, 4 core. */
  type?: number;
  machine?: number;
  flags?: number;
  /** Bytes after the header, so that files differ. */
  tail?: string;
}

/** An ELF header (riscv64 lp64d program when nothing is said) and some bytes after it. */
export function elfFile(fields: ElfFields = {}): Buffer {
  const { bits = 64, bigEndian = false, type = 2, machine = 243, flags = 4, tail = '' } = fields;
  const bytes = Buffer.alloc(bits === 64 ? 64 : 52);
  bytes.set([0x7f, 0x45, 0x4c, 0x46, bits === 64 ? 2 : 1, bigEndian ? 2 : 1, 1]);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  view.setUint16(16, type, !bigEndian);
  view.setUint16(18, machine, !bigEndian);
  view.setUint32(20, 1, !bigEndian);
  view.setUint32(bits === 64 ? 48 : 36, flags, !bigEndian);
  view.setUint16(bits === 64 ? 52 : 40, bytes.length, !bigEndian);
  return Buffer.concat([bytes, Buffer.from(tail)]);
}

export const machines = { riscv: 243, x86: 3, x8664: 62, aarch64: 183, bpf: 247, s390: 22 };
export const x8664Program = (tail = ''): Buffer => elfFile({ machine: machines.x8664, flags: 0, tail });
export const riscvObject = (tail = ''): Buffer => elfFile({ type: 1, tail });

export interface Member {
  name: string;
  content: Buffer;
}

/** An archive as GNU ar (`gnu`, `thin`) or BSD ar writes it, with a symbol table in front. */
export function archiveOf(style: 'gnu' | 'bsd' | 'thin', members: readonly Member[]): Buffer {
  const parts: Buffer[] = [Buffer.from(style === 'thin' ? '!<thin>\n' : '!<arch>\n')];
  const add = (name: string, size: number, content: Buffer): void => {
    const header = `${name.padEnd(16)}${'0'.padEnd(12)}${'0'.padEnd(6)}${'0'.padEnd(6)}${'100644'.padEnd(8)}`;
    parts.push(Buffer.from(`${header}${String(size).padEnd(10)}\`\n`, 'latin1'), content);
    if (content.length % 2 === 1) parts.push(Buffer.from('\n'));
  };
  if (style === 'bsd') {
    add('__.SYMDEF', 4, Buffer.alloc(4));
    for (const { name, content } of members) {
      const padded = Buffer.from(name.padEnd(Math.ceil((name.length + 1) / 4) * 4, '\0'), 'latin1');
      const whole = Buffer.concat([padded, content]);
      add(`#1/${padded.length}`, whole.length, whole);
    }
    return Buffer.concat(parts);
  }
  add('/', 4, Buffer.alloc(4));
  let names = '';
  const short = (name: string) => style === 'gnu' && name.length < 16;
  const inTable = new Map<string, number>();
  for (const { name } of members) {
    if (short(name) || inTable.has(name)) continue;
    inTable.set(name, names.length);
    names += `${name}/\n`;
  }
  if (names !== '') add('//', names.length, Buffer.from(names, 'latin1'));
  for (const { name, content } of members) {
    const stored = style === 'thin' ? Buffer.alloc(0) : content;
    add(short(name) ? `${name}/` : `/${inTable.get(name)}`, content.length, stored);
  }
  return Buffer.concat(parts);
}
