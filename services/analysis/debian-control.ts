/** Build dependencies of a Debian source, read from `debian/control`. Source: Debian policy §7. */
import { readFields } from '../sources/source-stanza.ts';

const fieldNames = ['build-depends', 'build-depends-arch'];

/**
 * Names of the packages that a build on riscv64 needs, in their order, each once. The first of alternatives
 * is taken; what is only for other architectures or for a build profile is left out.
 */
export function debianBuildDepends(control: string): string[] {
  const fields = readFields(control.split(/\n\s*\n/).find((block) => /^Source:/im.test(block)) ?? '');
  const names = fieldNames
    .flatMap((field) => (fields.get(field) ?? '').split(','))
    .flatMap((group) => group.split('|').flatMap(readDependency).slice(0, 1));
  return [...new Set(names)];
}

function readDependency(text: string): string[] {
  const match = /^([a-z0-9][a-z0-9+.-]+)(?::\w+)?((?:\s*(?:\([^)]*\)|\[[^\]]*\]|<[^>]*>))*)$/.exec(
    text.trim().replace(/\s+/g, ' '),
  );
  if (!match?.[1]) return [];
  const rest = match[2] ?? '';
  const archs = /\[([^\]]*)\]/.exec(rest)?.[1];
  if (archs !== undefined && !archFits(archs)) return [];
  const profiles = [...rest.matchAll(/<([^>]*)>/g)].map((group) => group[1] ?? '');
  return profiles.length === 0 || profiles.some(profileFits) ? [match[1]] : [];
}

/** `[amd64 i386]` names where it is needed, `[!riscv64]` where not. */
function archFits(list: string): boolean {
  const names = list.trim().split(/\s+/);
  const isUs = (name: string) =>
    ['riscv64', 'any', 'any-riscv64', 'linux-any', 'linux-riscv64'].includes(name);
  if (names[0]?.startsWith('!')) return !names.some((name) => isUs(name.slice(1)));
  return names.some(isUs);
}

/** No profile is active: every term must be negated. */
const profileFits = (list: string): boolean =>
  list
    .trim()
    .split(/\s+/)
    .every((term) => term.startsWith('!'));
