/**
 * Reads static archives: regular ones, with GNU and BSD long names, and thin ones. Only headers and the first
 * bytes of each member are read, so the size of an archive does not matter. Garbage never throws.
 */

/** Bytes of a file from `offset` on: fewer than `length` at its end, none beyond it. */
export type ReadAt = (offset: number, length: number) => Promise<Uint8Array>;

export interface ArMember {
  name: string;
  /** Bytes of its content (of the file it names, in a thin archive). */
  size: number;
  /** The first bytes of its content, at most `headBytes`; empty in a thin archive, which holds none. */
  head: Uint8Array;
}

export interface Archive {
  kind: 'regular' | 'thin';
  /** In the archive's order, without symbol and name tables. */
  members: ArMember[];
  /** `damaged`: what follows the members cannot be read. `tooMany`: it has more than `membersMax`. */
  end: 'complete' | 'damaged' | 'tooMany';
}

/** Source: ar(5). */
const magicBytes = 8;
const headerBytes = 60;
/** Longest table of names that is read; a longer one costs the names only. */
const namesBytesMax = 4 * 1024 * 1024;
/** Longest BSD name that is read. Source: Linux PATH_MAX. */
const nameBytesMax = 4096;

/** Which kind of archive begins with these bytes; null for none. */
export function archiveKind(bytes: Uint8Array): Archive['kind'] | null {
  const magic = latin1(bytes.subarray(0, magicBytes));
  if (magic === '!<arch>\n') return 'regular';
  return magic === '!<thin>\n' ? 'thin' : null;
}

/** Reads the archive's members; null when it is none. Bounded by `membersMax` entries. Errors of `read` go through. */
export async function readArchive(
  read: ReadAt,
  limits: { membersMax: number; headBytes: number },
): Promise<Archive | null> {
  const kind = archiveKind(await read(0, magicBytes));
  if (kind === null) return null;
  const members: ArMember[] = [];
  let names = '';
  let offset = magicBytes;
  for (let entries = 0; ; entries += 1) {
    // the header and what is needed of the content come in one read
    const bytes = await read(offset, headerBytes + limits.headBytes);
    if (bytes.length === 0) return { kind, members, end: 'complete' };
    if (entries >= limits.membersMax) return { kind, members, end: 'tooMany' };
    const header = parseHeader(bytes);
    if (header === null) return { kind, members, end: 'damaged' };
    const content = offset + headerBytes;
    const table = isTable(header.name);
    if (header.name === '//') names = latin1(await read(content, Math.min(header.size, namesBytesMax)));
    const inside = kind === 'regular' || table ? header.size : 0;
    if (inside > 0 && (await read(content + inside - 1, 1)).length === 0)
      return { kind, members, end: 'damaged' };
    if (!table) {
      const bsd = bsdNameBytes(header);
      const name = bsd > 0 ? await bsdName(read, content, bsd) : memberName(header.name, names);
      const size = header.size - bsd;
      const length = Math.min(size, limits.headBytes);
      const head =
        bsd > 0 ? await read(content + bsd, length) : bytes.subarray(headerBytes, headerBytes + length);
      if (!isBsdTable(name)) members.push({ name, size, head: kind === 'thin' ? new Uint8Array() : head });
    }
    offset = content + inside + (inside % 2); // members begin at even offsets
  }
}

interface Header {
  name: string;
  size: number;
}

function parseHeader(bytes: Uint8Array): Header | null {
  if (bytes.length < headerBytes) return null;
  const text = latin1(bytes.subarray(0, headerBytes));
  const size = /^(\d{1,10}) *$/.exec(text.slice(48, 58))?.[1];
  if (!text.endsWith('`\n') || size === undefined) return null;
  return { name: text.slice(0, 16).trimEnd(), size: Number(size) };
}

/** Symbol tables of GNU (32 and 64 bit) and the table of long names. */
const isTable = (name: string): boolean => name === '/' || name === '//' || name === '/SYM64/';
const isBsdTable = (name: string): boolean => name.startsWith('__.SYMDEF');

/** `#1/N`: the name is the first N bytes of the content. */
function bsdNameBytes({ name, size }: Header): number {
  const length = Number(/^#1\/(\d{1,13})$/.exec(name)?.[1] ?? 0);
  return length <= size ? length : 0;
}

async function bsdName(read: ReadAt, offset: number, length: number): Promise<string> {
  return latin1(await read(offset, Math.min(length, nameBytesMax))).replace(/\0+$/, '');
}

/** `/N` is an offset into the table, where a name ends with `/` and a line end; `name/` is a short one. */
function memberName(name: string, names: string): string {
  const offset = /^\/(\d+)$/.exec(name)?.[1];
  if (offset === undefined) return name.replace(/\/$/, '');
  const end = names.indexOf('\n', Number(offset));
  return names.slice(Number(offset), end < 0 ? undefined : end).replace(/\/$/, '');
}

const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
