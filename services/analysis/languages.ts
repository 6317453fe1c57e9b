/** How many files of each language there are. */
import { isSkipped } from './folders.ts';
import type { TreeReader } from './tree-reader.ts';

const languageOf: Readonly<Record<string, string>> = {
  c: 'C',
  h: 'C',
  cc: 'C++',
  cpp: 'C++',
  cxx: 'C++',
  hh: 'C++',
  hpp: 'C++',
  hxx: 'C++',
  go: 'Go',
  rs: 'Rust',
  py: 'Python',
  pyx: 'Cython',
  pl: 'Perl',
  pm: 'Perl',
  xs: 'Perl XS',
  js: 'JavaScript',
  ts: 'TypeScript',
  java: 'Java',
  kt: 'Kotlin',
  S: 'Assembly',
  s: 'Assembly',
  asm: 'Assembly',
  sh: 'Shell',
  f: 'Fortran',
  f90: 'Fortran',
  zig: 'Zig',
  rb: 'Ruby',
  lua: 'Lua',
};

/** Files of a language, most first; tests and examples do not tell what a package is written in. */
export function countLanguages(tree: TreeReader): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { path, kind } of tree.entries) {
    const ending = path.slice(path.lastIndexOf('.') + 1);
    if (kind !== 'file' || !Object.hasOwn(languageOf, ending) || isSkipped(path)) continue;
    const language = languageOf[ending] as string;
    counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  return Object.fromEntries([...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)));
}
