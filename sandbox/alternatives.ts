/**
 * The links that `update-alternatives` would make when a package is configured. Roots and layers are
 * unpacked without running maintainer scripts, so the calls are read from the scripts instead.
 */
import { lstat, mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export interface Alternative {
  /** Absolute path of the link, e.g. `/usr/bin/yacc`. */
  link: string;
  /** What it stands for, e.g. `/usr/bin/bison.yacc`. */
  target: string;
  priority: number;
}

/**
 * Reads literal `update-alternatives --install LINK NAME PATH PRIORITY [--slave LINK NAME PATH]…` calls.
 * Calls built from shell variables are left out: those few are in `knownAlternatives`.
 */
export function alternativesOf(script: string): Alternative[] {
  const found: Alternative[] = [];
  const joined = script.replace(/\\\n/g, ' ');
  for (const match of joined.matchAll(
    /update-alternatives\s+(?:--quiet\s+|--force\s+)*--install\s+([^\n;|&]*)/g,
  )) {
    const words = (match[1] ?? '')
      .split(/\s+/)
      .map((word) => word.replace(/^["']|["']$/g, ''))
      .filter((word) => word !== '');
    const priority = Number(words[3]);
    if (Number.isNaN(priority)) continue;
    add(words[0], words[2], priority);
    for (let i = 4; i + 3 < words.length; i += 4) {
      if (words[i] !== '--slave') break;
      if (!words[i + 1]?.startsWith('/usr/share/man/')) add(words[i + 1], words[i + 3], priority);
    }
  }
  return found;

  function add(link: string | undefined, target: string | undefined, priority: number) {
    if (isLiteralPath(link) && isLiteralPath(target)) found.push({ link, target, priority });
  }
}

/**
 * What Debian's scripts build from variables, or what is a plain convention of its compilers.
 * Source: postinst of gcc, g++, cpp, mawk, automake in trixie.
 */
export const knownAlternatives: readonly Alternative[] = [
  { link: '/usr/bin/awk', target: '/usr/bin/mawk', priority: 5 },
  { link: '/usr/bin/awk', target: '/usr/bin/gawk', priority: 10 },
  { link: '/usr/bin/cc', target: '/usr/bin/gcc', priority: 20 },
  { link: '/usr/bin/c++', target: '/usr/bin/g++', priority: 20 },
  { link: '/usr/bin/c89', target: '/usr/bin/c89-gcc', priority: 20 },
  { link: '/usr/bin/c99', target: '/usr/bin/c99-gcc', priority: 20 },
  { link: '/lib/cpp', target: '/usr/bin/cpp', priority: 10 },
  { link: '/usr/bin/automake', target: '/usr/bin/automake-1.17', priority: 10 },
  { link: '/usr/bin/aclocal', target: '/usr/bin/aclocal-1.17', priority: 10 },
  { link: '/usr/bin/f77', target: '/usr/bin/gfortran', priority: 20 },
  { link: '/usr/bin/f95', target: '/usr/bin/gfortran', priority: 20 },
];

/**
 * Makes the links in `tree` whose targets exist there, highest priority first. A file or link that a
 * package brought itself is left alone. @returns the links that were made
 */
export async function makeAlternatives(
  tree: string,
  alternatives: readonly Alternative[],
): Promise<string[]> {
  const made: string[] = [];
  for (const { link, target } of [...alternatives].sort((a, b) => b.priority - a.priority)) {
    const place = join(tree, unmerged(link));
    if (!(await exists(join(tree, unmerged(target)))) || (await exists(place))) continue;
    await mkdir(dirname(place), { recursive: true });
    await symlink(target, place);
    made.push(link);
  }
  return made;
}

/** Through `/usr`, because following the link `/bin` would leave a tree on the host. */
const unmerged = (path: string) => path.replace(/^\/(bin|sbin|lib|lib64)\//, '/usr/$1/');

const isLiteralPath = (word: string | undefined): word is string =>
  word?.startsWith('/') === true && !/[$`*"'\\]|\.\./.test(word);

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
