/** Names of what a cmake project builds. Read from the text, so what a condition or a loop decides is not known. */

import { cmakeCommands, unquoted } from './cmake-text.ts';
import { expand, expandedCharsMax } from './expand.ts';

export interface CmakeFacts {
  /** Output names: `libz` for a library, the program's name otherwise. */
  always: string[];
  /** Those inside an `if` or a function. */
  sometimes: string[];
  /** Those that the project installs always, or if it installs none always, under a condition. */
  installed: string[];
}

const reference = /\$\{(\w+)\}/g;
const notBuilt = /\b(INTERFACE|IMPORTED|ALIAS|OBJECT|EXCLUDE_FROM_ALL)\b/;

/** Reads all `CMakeLists.txt` of a project together, the top one first. */
export function cmakeTargets(texts: readonly string[]): CmakeFacts {
  const variables = new Map<string, string>();
  const outputs = new Map<string, string>();
  const targets: Target[] = [];
  const installs = new Map<string, boolean>();
  for (const text of texts) readText(text, variables, outputs, targets, installs);
  const named = targets.map(({ name, library, always }) => {
    const output = outputs.get(name) ?? name;
    return { name, always, output: library && !output.startsWith('lib') ? `lib${output}` : output };
  });
  const pick = (fits: (target: { name: string; always: boolean }) => boolean) => [
    ...new Set(named.filter(fits).map(({ output }) => output)),
  ];
  const anyAlways = [...installs.values()].includes(true);
  return {
    always: pick(({ always }) => always),
    sometimes: pick(({ always }) => !always),
    installed: pick(({ name }) => installs.has(name) && (!anyAlways || installs.get(name) === true)),
  };
}

interface Target {
  name: string;
  library: boolean;
  always: boolean;
}

function readText(
  text: string,
  variables: Map<string, string>,
  outputs: Map<string, string>,
  targets: Target[],
  installs: Map<string, boolean>,
): void {
  for (const { name: command, args, always } of cmakeCommands(text)) {
    const [first = '', ...rest] = expand(args, reference, variables).trim().split(/\s+/);
    if (command === 'project') {
      variables.set('PROJECT_NAME', unquoted(first));
      if (!variables.has('CMAKE_PROJECT_NAME')) variables.set('CMAKE_PROJECT_NAME', unquoted(first));
    } else if (command === 'set' && rest.length === 1) variables.set(first, unquoted(rest[0] ?? ''));
    else if (command === 'list' && first === 'APPEND') {
      const [variable = '', ...values] = rest;
      const value = `${variables.get(variable) ?? ''} ${values.map(unquoted).join(' ')}`;
      variables.set(variable, value.trim().slice(0, expandedCharsMax));
    } else if (command === 'install' && first === 'TARGETS') {
      for (const word of rest) {
        if (/^[A-Z_]{4,}$/.test(word)) break; // EXPORT, DESTINATION and their like end the list
        installs.set(unquoted(word), always || installs.get(unquoted(word)) === true);
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
        targets.push({ name, library: command === 'add_library', always });
      }
    }
  }
}

/**
 * Source files that a `CMakeLists.txt` names by a plain path, outside of conditions, relative to its folder.
 * One that is not in the tree was left out of the release, and cmake will refuse to go on without it.
 */
export function namedSources(text: string): string[] {
  const names = new Set<string>();
  const made = new Set<string>();
  for (const { name: command, args, always } of cmakeCommands(text)) {
    const sources = args
      .split(/\s+/)
      .map(unquoted)
      .filter((name) => sourceName.test(name));
    // What a custom command or a template makes is not in the tree, and need not be.
    if (/^(add_custom_(command|target)|configure_file|execute_process|file)$/.test(command)) {
      for (const name of sources) made.add(name);
    } else if (always && /^(set|list|add_library|add_executable|target_sources)$/.test(command)) {
      for (const name of sources) names.add(name);
    }
  }
  return [...names].filter((name) => !made.has(name));
}

const sourceName = /^[\w./+-]+\.(c|cc|cpp|cxx|rc|S)$/;
