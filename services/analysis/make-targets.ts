/** Names of what makefiles build: automake's variables, meson's calls, and the first target of a plain one. */
import { expand, expandedCharsMax } from './expand.ts';

/** `bin_PROGRAMS`, `lib_LTLIBRARIES` and their like, outside of conditions. */
export function automakeTargets(text: string): string[] {
  const names: string[] = [];
  let depth = 0;
  for (const line of joined(text)) {
    if (/^if\s/.test(line)) depth += 1;
    else if (/^endif\b/.test(line)) depth = Math.max(0, depth - 1);
    const match = /^(?:bin|sbin|libexec|lib)_(PROGRAMS|LTLIBRARIES|LIBRARIES)\s*\+?=\s*(.*)$/.exec(line);
    if (!match || depth > 0) continue;
    for (const word of (match[2] ?? '').split(/\s+/)) {
      if (/^[\w.+-]+$/.test(word)) names.push(word.replace(/\.(la|a)$/, ''));
    }
  }
  return [...new Set(names)];
}

/** `executable('x'`, `library('x'` of a meson project outside of conditions; a project name may stand for one. */
export function mesonTargets(text: string, projectName: string): string[] {
  const names: string[] = [];
  const plain = text.replace(/(^|\s)#[^\n]*/g, '');
  let depth = 0;
  const calls =
    /^\s*(if|foreach|endif|endforeach)\b|\b(executable|library|shared_library|static_library|both_libraries)\s*\(\s*('([^']+)'|meson\.project_name\(\))/gm;
  for (const [, word, kind, quoted, literal] of plain.matchAll(calls)) {
    if (word) depth = Math.max(0, depth + (word.startsWith('end') ? -1 : 1));
    if (!kind || !quoted || depth > 0) continue;
    const name = literal ?? projectName;
    if (/^[\w.+-]+$/.test(name))
      names.push(kind === 'executable' || name.startsWith('lib') ? name : `lib${name}`);
  }
  return [...new Set(names)];
}

export const mesonProjectName = (text: string): string => /\bproject\s*\(\s*'([^']+)'/.exec(text)?.[1] ?? '';

/**
 * What the first target of a plain makefile asks for, where that is told in the makefile itself: libraries,
 * and names that have a rule with a recipe.
 */
export function makefileTargets(text: string): string[] {
  const variables = new Map<string, string>();
  const rules = new Map<string, { needs: string; makes: boolean }>();
  let first: string | null = null;
  let current: string[] = [];
  for (const line of joined(text)) {
    if (line.startsWith('\t')) {
      for (const name of current) {
        const rule = rules.get(name);
        // `all-release: ; $(MAKE) …` makes something else than its name.
        if (rule && /\$@|(^|\s)-o\s/.test(line) && !/\$[({]MAKE[)}]/.test(line)) rule.makes = true;
      }
      continue;
    }
    const plain = line.replace(/(^|\s)#.*$/, '');
    const assignment = /^\s*([\w.]+)\s*(\?|:{1,3}|\+)?=\s*(.*)$/.exec(plain);
    if (assignment) {
      const [, name = '', operator, value = ''] = assignment;
      if (operator === '+')
        variables.set(name, `${variables.get(name) ?? ''} ${value}`.trim().slice(0, expandedCharsMax));
      else if (operator !== '?' || !variables.has(name)) variables.set(name, value.trim());
      continue;
    }
    const rule = /^([^\s:=][^:=]*?)\s*::?\s*([^=]*)$/.exec(plain);
    if (!rule) continue;
    current = expand(rule[1] ?? '', reference, variables).split(/\s+/);
    if (!current.every((name) => /^[\w./%+-]+$/.test(name))) current = []; // a call such as $(error …)
    for (const name of current) {
      const known = rules.get(name);
      rules.set(name, {
        needs: `${known?.needs ?? ''} ${rule[2] ?? ''}`,
        makes: known?.makes ?? false,
      });
      if (first === null && !name.startsWith('.') && !name.includes('%')) first = name;
    }
  }
  if (first === null) return [];
  // `all: build`, `build: prog`, `prog: libx.a`: a few words deep, never round in a circle.
  let wanted = [first];
  const seen = new Set<string>();
  const libraries = new Set<string>();
  const programs = new Set<string>();
  for (let level = 0; level < 4 && wanted.length > 0; level++) {
    const next: string[] = [];
    for (const name of wanted.slice(0, 40)) {
      if (seen.has(name)) continue;
      seen.add(name);
      const rule = rules.get(name);
      if (isLibrary(name)) libraries.add(name);
      if (rule?.makes && /^[\w+-]+$/.test(name) && !phony.test(name)) programs.add(name);
      next.push(
        ...expand(rule?.needs ?? '', reference, variables)
          .split(/\s+/)
          .filter(Boolean),
      );
    }
    wanted = next;
  }
  return [...new Set([...libraries, ...programs].map((name) => name.replace(/\.(a|so[\d.]*)$/, '')))];
}

/** Folders that a makefile calls make in, in its order. */
export function subFolders(text: string): string[] {
  const variables = new Map<string, string>();
  for (const [, name = '', value = ''] of text.matchAll(/^[ ]*([\w.]+)[ ]*[:?]{0,2}=[ \t]*([^\n#]*)/gm)) {
    variables.set(name, value.trim());
  }
  const called = [...text.matchAll(/\$[({]MAKE[)}][^\n]*?\s-C\s*(\S+)/g)].map(([, folder = '']) => folder);
  const names = called.map((folder) =>
    expand(folder, reference, variables).replace(/^\.\//, '').replace(/\/$/, ''),
  );
  return [...new Set(names)].filter(
    (name) => /^[\w.+/-]+$/.test(name) && !name.startsWith('/') && !name.includes('..'),
  );
}

const isLibrary = (name: string): boolean => /^lib[\w+-]+\.(a|so[\d.]*)$/.test(name);
const phony =
  /^(all|default|build|lib|libs|static|shared|dynamic|release|debug|check|tests?|docs?|man|install|clean|help|FORCE)$/;

const reference = /\$[({]([\w.]+)[)}]/g;

/** Lines with continuation lines joined. */
const joined = (text: string): string[] => text.replace(/\\\n[ \t]*/g, ' ').split('\n');
