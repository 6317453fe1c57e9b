/** From the names that builds use to packages of the system. A name is never guessed: the map knows it or not. */
import { libraryNames } from '../seeds/library-names.ts';
import { debianRiscv64 } from '../seeds/platforms/debian-riscv64.ts';

/** The canonical name that a library or tool name means, whatever its case and with or without `lib`; else null. */
export function canonicalName(name: string): string | null {
  const plain = name.trim();
  const lower = plain.toLowerCase();
  const bare = lower.replace(/^lib/, '').replace(/[-_]?(dev|devel)$/, '');
  for (const candidate of [plain, lower, bare, `lib${bare}`]) {
    const known = Object.hasOwn(libraryNames, candidate) ? (libraryNames[candidate] as string) : candidate;
    if (Object.hasOwn(debianRiscv64.packages, known)) return known;
  }
  return null;
}

/** The packages that bring a canonical name; [] for one that the map does not have. */
export const packagesOf = (canonical: string): readonly string[] =>
  (Object.hasOwn(debianRiscv64.packages, canonical) ? debianRiscv64.packages[canonical] : undefined) ?? [];
