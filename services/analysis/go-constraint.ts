/**
 * Which Go files are built on which machine: file names, `//go:build` and `// +build` lines.
 * Source: the go command's documentation, "Build constraints".
 */

const systemNames = new Set(
  'aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd openbsd plan9 solaris wasip1 windows zos'.split(
    ' ',
  ),
);
const archNames = new Set(
  '386 amd64 amd64p32 arm armbe arm64 arm64be loong64 mips mipsle mips64 mips64le mips64p32 mips64p32le ppc ppc64 ppc64le riscv riscv64 s390 s390x sparc sparc64 wasm'.split(
    ' ',
  ),
);

/** True when the go command builds the file on linux with this GOARCH and cgo. */
export function isBuiltOn(path: string, text: string, arch: string): boolean {
  return nameFits(path, arch) && constraintFits(text, arch);
}

/** `x_linux_amd64.go` and its like; `_test` is not looked at. */
export function nameFits(path: string, arch: string): boolean {
  const base = path
    .slice(path.lastIndexOf('/') + 1)
    .replace(/\.(go|s|S|c|h|cc|cpp)$/, '')
    .replace(/_test$/, '');
  const parts = base.split('_').slice(1);
  const last = parts.at(-1) ?? '';
  const before = parts.at(-2) ?? '';
  if (archNames.has(last)) {
    if (last !== arch) return false;
    return !systemNames.has(before) || before === 'linux';
  }
  return !systemNames.has(last) || last === 'linux';
}

/** The constraint lines of a file's head; a file without them fits everywhere. A broken line fits nowhere. */
export function constraintFits(text: string, arch: string): boolean {
  const head = text.split(/^package\s/m)[0] ?? '';
  const isTrue = (tag: string) =>
    tag === 'linux' ||
    tag === 'unix' ||
    tag === 'gc' ||
    tag === 'cgo' ||
    tag === arch ||
    /^go1(\.\d+)?$/.test(tag);
  const expression = /^\/\/go:build\s+(.*)$/m.exec(head)?.[1];
  if (expression !== undefined) return evaluate(expression, isTrue) ?? false;
  const lines = [...head.matchAll(/^\/\/\s*\+build\s+(.*)$/gm)].map((match) => match[1] ?? '');
  return lines.every((line) =>
    line
      .trim()
      .split(/\s+/)
      .some((option) =>
        option.split(',').every((term) => (term.startsWith('!') ? !isTrue(term.slice(1)) : isTrue(term))),
      ),
  );
}

/** Value of a `//go:build` expression, or null when it cannot be read. */
export function evaluate(expression: string, isTrue: (tag: string) => boolean): boolean | null {
  const tokens = expression.replace(/\/\/.*$/, '').match(/\|\||&&|[!()]|[\w.]+|\S/gu) ?? [];
  let at = 0;
  const or = (depth: number): boolean | null => {
    let value = and(depth);
    while (value !== null && tokens[at] === '||') {
      at += 1;
      const right = and(depth);
      value = right === null ? null : value || right;
    }
    return value;
  };
  const and = (depth: number): boolean | null => {
    let value = not(depth);
    while (value !== null && tokens[at] === '&&') {
      at += 1;
      const right = not(depth);
      value = right === null ? null : value && right;
    }
    return value;
  };
  const not = (depth: number): boolean | null => {
    const token = tokens[at];
    if (token === undefined || depth > 100) return null; // deeper than any honest line: no stack is worth it
    at += 1;
    if (token === '!') {
      const value = not(depth + 1);
      return value === null ? null : !value;
    }
    if (token === '(') {
      const value = or(depth + 1);
      if (tokens[at] !== ')') return null;
      at += 1;
      return value;
    }
    return /^[\w.]+$/.test(token) ? isTrue(token) : null;
  };
  const value = or(0);
  return at === tokens.length ? value : null;
}
