/** One entry of a Debian Sources index, as `apt-cache showsrc` prints it. */

export interface SourceFile {
  name: string;
  sha256: string;
  size: number;
}

export interface SourceStanza {
  name: string;
  version: string;
  format: string;
  /** Folder on the mirror, e.g. `pool/main/z/zlib`. */
  directory: string;
  files: SourceFile[];
}

/** Reads all complete stanzas of a text; one without name, version, folder or checksums is left out. */
export function readStanzas(text: string): SourceStanza[] {
  return text.split(/\n\s*\n/).flatMap((block) => {
    const fields = readFields(block);
    const [name, version, directory] = [
      fields.get('package'),
      fields.get('version'),
      fields.get('directory'),
    ];
    const files = (fields.get('checksums-sha256') ?? '').split('\n').flatMap(readFile);
    if (!name || !version || !directory || files.length === 0) return [];
    return [{ name, version, directory, files, format: fields.get('format') ?? '1.0' }];
  });
}

/** Fields of one stanza of a Debian control file, names in lower case, continuation lines joined by newlines. */
export function readFields(block: string): Map<string, string> {
  const fields = new Map<string, string>();
  let current = '';
  for (const line of block.split('\n')) {
    if (line.startsWith('#')) continue;
    const field = /^([A-Za-z0-9-]+):[ \t]*(.*)$/.exec(line);
    if (field) {
      current = (field[1] ?? '').toLowerCase();
      fields.set(current, field[2] ?? '');
    } else if (/^[ \t]/.test(line) && current !== '') {
      fields.set(current, `${fields.get(current)}\n${line.trim()}`);
    }
  }
  return fields;
}

function readFile(line: string): SourceFile[] {
  const match = /^([0-9a-f]{64}) (\d+) ([A-Za-z0-9._+~%-]+)$/.exec(line.trim());
  return match ? [{ sha256: match[1] ?? '', size: Number(match[2]), name: match[3] ?? '' }] : [];
}

export const isUpstreamTarball = (file: SourceFile): boolean =>
  /\.orig(-[A-Za-z0-9-]+)?\.tar\.(gz|xz|bz2|zst|lzma)$/.test(file.name);

/** What `orig:` unpacks: upstream's tarballs, or for a native package its only one. */
export function upstreamTarballs(stanza: SourceStanza): SourceFile[] {
  const tarballs = stanza.files.filter(isUpstreamTarball);
  return tarballs.length > 0
    ? tarballs
    : stanza.files.filter((file) => /\.tar\.(gz|xz|bz2|zst|lzma)$/.test(file.name));
}
