/** Names of what a cmake project builds. Read from the text, so what a condition or a loop decides is not known. */

export interface CmakeFacts {
  /** Output names: `libz` for a library, the program's name otherwise. */
  always: string[];
  /** Those inside an `if` or a function. */
  sometimes: string[];
  /** Those that the project installs always, or if it installs none always, under a condition. */
  installed: string[];
}

const notBuilt = /\b(INTERFACE|IMPORTED|ALIAS|OBJECT|EXCLUDE_FROM_ALL)\b/;

/** Reads all `CMakeLists.txt` of a project together, the top one first. */
export function cmakeTargets(texts: readonly string[]): CmakeFacts {
  const variables = new Map<string, string>();
  const outputs = new Map<string, string>();
  const targets: Array<{ name: string; library: boolean; depth: number }> = [];
  const installs = new Map<string, number>();
  for (const text of texts) readText(text, variables, outputs, targets, installs);
  const named = targets.map(({ name, library, depth }) => {
    const output = outputs.get(name) ?? name;
    return { name, depth, output: library && !output.startsWith('lib') ? `lib${output}` : output };
  });
  const pick = (fits: (target: { name: string; depth: number }) => boolean) => [
    ...new Set(named.filter(fits).map(({ output }) => output)),
  ];
  const least = Math.min(...installs.values());
  return {
    always: pick(({ depth }) => depth === 0),
    sometimes: pick(({ depth }) => depth > 0),
    installed: pick(({ name }) => installs.has(name) && (least > 0 || installs.get(name) === 0)),
  };
}

function readText(
  text: string,
  variables: Map<string, string>,
  outputs: Map<string, string>,
  targets: Array<{ name: string; library: boolean; depth: number }>,
  installs: Map<string, number>,
): void {
  const plain = text.replace(/#\[\[[\s\S]*?\]\]|#[^\n]*/g, '');
  let depth = 0;
  for (const [, word = '', args = ''] of plain.matchAll(/\b(\w+)\s*\(((?:[^()]|\([^()]*\))*)\)/g)) {
    const command = word.toLowerCase();
    const [first = '', ...rest] = expand(args, variables).trim().split(/\s+/);
    if (/^(if|function|macro|foreach|while)$/.test(command)) depth += 1;
    else if (/^end(if|function|macro|foreach|while)$/.test(command)) depth = Math.max(0, depth - 1);
    else if (command === 'project') {
      variables.set('PROJECT_NAME', unquoted(first));
      if (!variables.has('CMAKE_PROJECT_NAME')) variables.set('CMAKE_PROJECT_NAME', unquoted(first));
    } else if (command === 'set' && rest.length === 1) variables.set(first, unquoted(rest[0] ?? ''));
    else if (command === 'list' && first === 'APPEND') {
      const [variable = '', ...values] = rest;
      variables.set(variable, `${variables.get(variable) ?? ''} ${values.map(unquoted).join(' ')}`.trim());
    } else if (command === 'install' && first === 'TARGETS') {
      for (const word of rest) {
        if (/^[A-Z_]{4,}$/.test(word)) break; // EXPORT, DESTINATION and their like end the list
        installs.set(unquoted(word), Math.min(depth, installs.get(unquoted(word)) ?? depth));
      }
    } else if (command === 'set_target_properties' || command === 'set_property') {
      const output = /\bOUTPUT_NAME\s+"?([\w.+-]+)"?/.exec(rest.join(' '))?.[1];
      const upTo = [first, ...rest].findIndex((name) => /^PROPERT(Y|IES)$/.test(name));
      if (output)
        for (const name of [first, ...rest].slice(0, Math.max(1, upTo))) outputs.set(unquoted(name), output);
    } else if (command === 'add_library' || command === 'add_executable') {
      const name = unquoted(first);
      const isModule = /\bMODULE\b/.test(args);
      if (/^[\w.+-]+$/.test(name) && !notBuilt.test(args) && !isModule) {
        targets.push({ name, library: command === 'add_library', depth });
      }
    }
  }
}

const unquoted = (word: string): string => word.replace(/^"|"$/g, '');

/** Known variables replaced, three levels deep; the others stay and make a name unusable. */
function expand(text: string, variables: Map<string, string>): string {
  let expanded = text;
  for (let level = 0; level < 3 && expanded.includes('${'); level++) {
    expanded = expanded.replace(/\$\{(\w+)\}/g, (whole, name: string) => variables.get(name) ?? whole);
  }
  return expanded;
}
