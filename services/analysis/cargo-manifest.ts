/** The few facts of a `Cargo.toml` that are needed, read line by line: no dependency for one file format. */

interface TomlLine {
  /** `package`, `dependencies`, `bin` for `[[bin]]` … */
  section: string;
  key: string;
  value: string;
  /** Counts sections, so that the keys of two `[[bin]]` are told apart. */
  index: number;
}

function readLines(text: string): TomlLine[] {
  const lines: TomlLine[] = [];
  let section = '';
  let index = 0;
  let open: TomlLine | null = null;
  for (const raw of text.split('\n')) {
    const line = raw.replace(/(^|\s)#.*$/, '').trim();
    if (open) {
      // A list over several lines.
      open.value += ` ${line}`;
      if (line.includes(']')) open = null;
      continue;
    }
    const header = /^\[\[?\s*([^\]]+?)\s*\]\]?$/.exec(line);
    if (header) {
      section = (header[1] ?? '').replace(/"/g, '');
      index += 1;
      continue;
    }
    const pair = /^([\w."-]+)\s*=\s*(.*)$/.exec(line);
    if (!pair) continue;
    const entry = { section, index, key: (pair[1] ?? '').replace(/"/g, ''), value: pair[2] ?? '' };
    lines.push(entry);
    if (entry.value.startsWith('[') && !entry.value.includes(']')) open = entry;
  }
  return lines;
}

const text = (value: string | undefined): string => /^\s*["']([^"']*)["']/.exec(value ?? '')?.[1] ?? '';
const list = (value: string | undefined): string[] =>
  [...(value ?? '').matchAll(/["']([^"']+)["']/g)].map((match) => match[1] ?? '');

/** Names under `[dependencies]`, of all targets; not those of tests and builds. */
export function cargoDependencies(manifest: string): string[] {
  const names = new Set<string>();
  for (const { section, key } of readLines(manifest)) {
    if (/^(target\..*\.|workspace\.)?dependencies$/.test(section)) names.add(key.split('.')[0] ?? key);
    const own = /^(?:target\..*\.)?dependencies\.(.+)$/.exec(section)?.[1];
    if (own) names.add(own);
  }
  return [...names];
}

export interface CargoPackage {
  /** '' for a workspace without a package of its own. */
  name: string;
  binaries: string[];
  /** Base name of a shared or static library for C callers, or ''. */
  cLibrary: string;
  members: string[];
}

export function cargoPackage(manifest: string): CargoPackage {
  const lines = readLines(manifest);
  const get = (section: string, key: string) =>
    lines.find((line) => line.section === section && line.key === key)?.value;
  const name = text(get('package', 'name'));
  const isC = list(get('lib', 'crate-type')).some((type) => type === 'cdylib' || type === 'staticlib');
  return {
    name,
    binaries: lines
      .filter((line) => line.section === 'bin' && line.key === 'name')
      .map((line) => text(line.value)),
    cLibrary: isC ? `lib${(text(get('lib', 'name')) || name).replaceAll('-', '_')}` : '',
    members: list(get('workspace', 'members')),
  };
}
