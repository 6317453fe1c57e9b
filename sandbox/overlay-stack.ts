/**
 * Which layers a run's files consist of, and where its marks are: pure decisions over one small record, kept in
 * the run's folder.
 * O1 the record is written before the mount that follows it, so a crash between them is repaired by opening.
 * O2 a folder that was frozen is never written again.
 * O3 marks point at a number of frozen entries; going back cuts the entries, and the marks beyond.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A frozen folder of this run (`u3`), or a package layer that runs share (its key). */
export type StackEntry = { upper: string } | { layer: string };

export interface OverlayStack {
  version: 1;
  rootName: string;
  rootDigest: string;
  /** True when the accelerated layer is left out. */
  strict: boolean;
  /** Oldest first; they lie on the base. */
  entries: StackEntry[];
  /** Name of a mark to the number of entries that were there. */
  marks: Record<string, number>;
  /** The folder that is written now. */
  current: string;
  next: number;
}

export function newStack(root: { name: string; digest: string }, strict: boolean): OverlayStack {
  return {
    version: 1,
    rootName: root.name,
    rootDigest: root.digest,
    strict,
    entries: [],
    marks: {},
    current: 'u1',
    next: 2,
  };
}

/** Freezes the current folder and begins a new one; one that is empty goes on being written. */
export function freeze(stack: OverlayStack, currentIsEmpty: boolean): OverlayStack {
  if (currentIsEmpty) return stack;
  return { ...begin(stack), entries: [...stack.entries, { upper: stack.current }] };
}

export function mark(stack: OverlayStack, name: string, currentIsEmpty: boolean): OverlayStack {
  const frozen = freeze(stack, currentIsEmpty);
  return { ...frozen, marks: { ...frozen.marks, [name]: frozen.entries.length } };
}

/** Back to a mark that exists. The current folder is given up even when it is empty: it costs nothing. */
export function restore(stack: OverlayStack, name: string): OverlayStack {
  const depth = stack.marks[name] ?? 0;
  const marks = Object.fromEntries(Object.entries(stack.marks).filter(([, at]) => at <= depth));
  return { ...begin(stack), entries: stack.entries.slice(0, depth), marks };
}

export function addLayer(stack: OverlayStack, layer: string, currentIsEmpty: boolean): OverlayStack {
  const frozen = freeze(stack, currentIsEmpty);
  return { ...frozen, entries: [...frozen.entries, { layer }] };
}

/**
 * Replaces the frozen folders by one over all package layers. Marks that pointed between them cannot be gone
 * back to any more; those at the end stay.
 */
export function flattened(stack: OverlayStack): { stack: OverlayStack; into: string } {
  const into = `u${stack.next}`;
  const entries = [...stack.entries.filter((entry) => 'layer' in entry), { upper: into }];
  const atEnd = Object.entries(stack.marks).filter(([, at]) => at === stack.entries.length);
  const marks = Object.fromEntries(atEnd.map(([name]) => [name, entries.length]));
  return { into, stack: { ...stack, entries, marks, next: stack.next + 1 } };
}

export const frozenCount = (stack: OverlayStack): number =>
  stack.entries.filter((entry) => 'upper' in entry).length;

/** Folders of the run that the stack needs. */
export const foldersOf = (stack: OverlayStack): Set<string> =>
  new Set([stack.current, ...stack.entries.flatMap((entry) => ('upper' in entry ? [entry.upper] : []))]);

/** The record of a run, null when it has none. */
export async function readStack(runDir: string): Promise<OverlayStack | null> {
  const text = await readFile(join(runDir, 'stack.json'), 'utf8').catch(() => null);
  return text === null ? null : (JSON.parse(text) as OverlayStack);
}

export async function writeStack(runDir: string, stack: OverlayStack): Promise<void> {
  const path = join(runDir, 'stack.json');
  await writeFile(`${path}.new`, `${JSON.stringify(stack)}\n`, { flush: true });
  await rename(`${path}.new`, path);
}

const begin = (stack: OverlayStack): OverlayStack => ({
  ...stack,
  current: `u${stack.next}`,
  next: stack.next + 1,
});
