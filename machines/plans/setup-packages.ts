/** The packages that a plan's setup phase installs. */
import type { PackageAnalysis } from '../../events/records.ts';
import { debianRiscv64 } from '../../seeds/platforms/debian-riscv64.ts';
import { canonicalName, packagesOf } from '../package-names.ts';
import type { PlanFacts } from './facts.ts';

/** Source: seed, heuristic planner: the first 15 names of the map. */
const canonicalsMax = 15;
/** Build dependencies of a Debian source taken over as they are. The largest of 40 sources looked at had 34. */
const debianBuildDependsMax = 60;

/** What a package build of Debian needs and a plain build does not: its own helpers and documentation tools. */
const packagingOnly =
  /^(debhelper|debhelper-compat|dh-.*|dpkg-dev|devscripts|quilt|lintian|po-debconf|config-package-dev|texlive.*|doxygen.*|graphviz|pandoc|ghostscript|gtk-doc-tools|docbook.*|xmlto|sphinx-.*|python3-sphinx.*|publicsuffix|libjs-.*)$/;

/**
 * Packages for the canonical `base` names, the analyst's dependencies and what the scan found, without doubles,
 * in that order; then the build dependencies that a Debian source names itself.
 */
export function setupPackages(
  base: readonly string[],
  facts: PlanFacts,
  analysis: Pick<PackageAnalysis, 'dependencies'> | null,
): string[] {
  const { buildTools, libraries, systemPackages } = facts.dependencies;
  const found = [
    ...base,
    ...(analysis?.dependencies ?? []).map((dependency) => dependency.name),
    ...buildTools,
    ...libraries,
    ...systemPackages,
  ].flatMap((name) => canonicalName(name) ?? []);
  const canonicals = [...new Set(found)].slice(0, canonicalsMax);
  const fromDebian = facts.debianBuildDepends
    .filter((name) => !packagingOnly.test(name))
    .slice(0, debianBuildDependsMax);
  return [...new Set([...canonicals.flatMap(packagesOf), ...fromDebian])];
}

/** The command that a person would type for it. */
export const installCommand = (packages: readonly string[]): string =>
  `${debianRiscv64.update} && ${debianRiscv64.install} ${packages.join(' ')}`;
