/**
 * Reads the index of a git repository: which files are tracked, with the ids of their contents. Pure; garbage is
 * answered with null, never thrown. Source: git's documentation, gitformat-index, versions 2, 3 and 4.
 *
 * The repository belongs to a build that may be hostile: git itself would take its configuration, its `gitdir:`
 * file and its alternates for its own.
 */

/** Path (relative to the work tree, UTF-8) to blob id in hex: 40 digits for SHA-1, 64 for SHA-256. */
export type TrackedFiles = ReadonlyMap<string, string>;

/** Bytes of an object id, by the format of the repository. The index does not say which. */
const idSizes = [20, 32] as const;

export function parseGitIndex(index: Uint8Array): TrackedFiles | null {
  const bytes = Buffer.from(index.buffer, index.byteOffset, index.byteLength);
  if (bytes.length < 12 || bytes.toString('latin1', 0, 4) !== 'DIRC') return null;
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) return null;
  for (const idSize of idSizes) {
    const files = parseEntries(bytes, { version, idSize, count: bytes.readUInt32BE(8) });
    if (files !== null) return files;
  }
  return null;
}

interface Format {
  version: number;
  idSize: number;
  count: number;
}

/** Times, device, inode, mode, owner and size stand before the id, flags of 2 bytes after it. */
const modeOffset = 24;
const idOffset = 40;
const extendedFlag = 0x4000;
const regularFile = 0o100;

function parseEntries(bytes: Buffer, { version, idSize, count }: Format): TrackedFiles | null {
  const end = bytes.length - idSize; // a checksum ends the file
  const files = new Map<string, string>();
  let path: Buffer = Buffer.alloc(0);
  let at = 12;
  for (let i = 0; i < count; i += 1) {
    const flagsAt = at + idOffset + idSize;
    if (flagsAt + 4 > end) return null;
    const type = bytes.readUInt32BE(at + modeOffset) >> 9;
    if (!fileTypes.has(type)) return null; // not this size of ids
    const flags = bytes.readUInt16BE(flagsAt);
    let nameAt = flagsAt + 2;
    if ((flags & extendedFlag) !== 0) {
      if (version < 3) return null;
      nameAt += 2;
    }
    let kept: Buffer = Buffer.alloc(0);
    if (version === 4) {
      const strip = readOffset(bytes, nameAt);
      if (strip === null || strip.value > path.length) return null;
      kept = path.subarray(0, path.length - strip.value);
      nameAt = strip.next;
    }
    const nameEnd = bytes.indexOf(0, nameAt);
    if (nameEnd < 0 || nameEnd >= end || nameEnd - nameAt > pathBytesMax) return null;
    path = Buffer.concat([kept, bytes.subarray(nameAt, nameEnd)]);
    const length = flags & 0xfff;
    if (path.length > pathBytesMax || length !== Math.min(path.length, 0xfff)) return null;
    const merged = (flags & 0x3000) === 0;
    if (type === regularFile && merged)
      files.set(path.toString('utf8'), bytes.toString('hex', at + idOffset, flagsAt));
    // entries of versions 2 and 3 are filled up with 1 to 8 zeros to a multiple of 8
    at = version === 4 ? nameEnd + 1 : at + ((nameEnd - at + 8) & ~7);
  }
  return hasSharedPart(bytes, at, end) ? null : files;
}

/** Regular file, folder (sparse index), symbolic link, submodule: the upper bits of the mode. */
const fileTypes = new Set([regularFile, 0o040, 0o120, 0o160]);
/** Source: Linux PATH_MAX. */
const pathBytesMax = 4096;

/** The variable-width number of git's pack files (offset encoding). */
function readOffset(bytes: Buffer, start: number): { value: number; next: number } | null {
  let value = 0;
  for (let i = 0; i < 4; i += 1) {
    const byte = bytes[start + i];
    if (byte === undefined) return null;
    value = (value << 7) | (byte & 0x7f);
    if ((byte & 0x80) === 0) return { value, next: start + i + 1 };
    value += 1;
  }
  return null;
}

/** A split index holds only what differs from another file: its extension is `link`. */
function hasSharedPart(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at + 8 <= end; at += 8 + bytes.readUInt32BE(at + 4))
    if (bytes.toString('latin1', at, at + 4) === 'link') return true;
  return false;
}
