/**
 * The import rule (docs/architecture.md): which folder may import which. Inner parts know nothing of outer ones,
 * and only `services/wire.ts` puts effects and drivers together.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { effectCapability } from '../../machines/effects.ts';

export interface Violation {
  file: string;
  imports: string;
  why: string;
}

const folders = ['seeds', 'events', 'machines', 'sandbox', 'services'] as const;
type Folder = (typeof folders)[number];

const mayImport: Record<Folder, readonly Folder[]> = {
  seeds: ['seeds'],
  events: ['events'],
  machines: ['machines', 'seeds'],
  sandbox: ['sandbox', 'seeds'],
  services: ['services', 'sandbox', 'machines', 'events', 'seeds'],
};

/** Packages that machines may use: the statechart library alone; nothing that reaches the world. */
const packagesOfMachines = ['xstate', '@xstate/graph'];

interface Import {
  /** As written: `./x.ts`, `node:fs`, `xstate`. */
  target: string;
  /** Erased before running: only its types are used. */
  typeOnly: boolean;
}

const statements = /(?:^|\n)\s*(import|export)\s+(type\s+)?(?:[\w$*{][^;'"]*?\sfrom\s+)?['"]([^'"]+)['"]/g;
const calls = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;

/** The imports of a source text, static and dynamic. */
export const importsOf = (source: string): Import[] => [
  ...[...source.matchAll(statements)].map(([, , type, target]) => ({
    target: target ?? '',
    typeOnly: type !== undefined,
  })),
  ...[...source.matchAll(calls)].map(([, target]) => ({ target: target ?? '', typeOnly: false })),
];

/** What machines may take of events besides types: the projection, and the words of the record (plain data). */
const isPureEvents = (path: string): boolean =>
  path.startsWith('events/projection') || ['events/catalogue.ts', 'events/records.ts'].includes(path);

const folderOf = (path: string): Folder | undefined =>
  folders.find((folder) => path.startsWith(`${folder}/`));

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** What is put together: the handler of each effect, and the sandbox drivers. */
const partsToAssemble = new Set(
  Object.keys(effectCapability).map((name) => `services/effects/${kebab(name)}.ts`),
);
const isPartToAssemble = (path: string): boolean =>
  partsToAssemble.has(path) || /^sandbox\/[a-z]+-driver\.ts$/.test(path);

const judge = (file: string, { target, typeOnly }: Import): string | null => {
  const from = folderOf(file);
  if (from === undefined) return null;
  if (!target.startsWith('.')) {
    if (from !== 'machines' || packagesOfMachines.some((name) => target === name)) return null;
    return 'machines reach nothing outside: ask for an effect';
  }
  const path = normalize(join(dirname(file), target));
  const to = folderOf(path);
  if (to === undefined) return `outside of ${folders.join(', ')}`;
  if (isPartToAssemble(path) && !typeOnly && !file.startsWith('services/wire') && from !== 'sandbox')
    return 'only services/wire.ts assembles effects and drivers';
  if (mayImport[from].includes(to)) return null;
  if (from === 'machines' && to === 'events')
    return typeOnly || isPureEvents(path)
      ? null
      : 'machines take of events only types, the projection and the words of the record';
  return `${from} may import ${mayImport[from].join(', ')}`;
};

/** Judges one file by its text; `file` is its path from the project's root. */
export const violationsOf = (file: string, source: string): Violation[] =>
  importsOf(source).flatMap((one) => {
    const why = judge(file, one);
    return why === null ? [] : [{ file, imports: one.target, why }];
  });

/** All violations in the project at `root`. */
export const findViolations = (root: string): Violation[] =>
  globSync(`{${folders.join(',')}}/**/*.ts`, { cwd: root })
    .sort()
    .flatMap((file) => violationsOf(file, readFileSync(join(root, file), 'utf8')));
