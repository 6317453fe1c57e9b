/** The scripted analysis of a source tree: all that can be known without running or asking anything. */
import type { RepositoryScan } from '../../events/records.ts';
import { scanArchitecture } from './arch-scan.ts';
import { detectBuildSystems } from './build-system.ts';
import { debianBuildDepends } from './debian-control.ts';
import { readDependencies } from './dependencies.ts';
import { buildEvidence, readDocumentation, treeText } from './evidence.ts';
import { expectedArtifacts } from './expected-artifacts.ts';
import { findGoMain } from './go-modules.ts';
import { countLanguages } from './languages.ts';
import type { TreeReader } from './tree-reader.ts';

/**
 * Reads a tree; the same tree always gives the same scan, and its JSON stays under 64 KiB.
 * @param repoName tells a Go program's own `cmd/NAME` from its helpers
 */
export async function scanTree(
  tree: TreeReader,
  repoName: string,
): Promise<Omit<RepositoryScan, 'durationMs'>> {
  const candidates = await detectBuildSystems(tree, repoName);
  const [buildSystem] = candidates;
  if (buildSystem === undefined) throw new Error('a source has at least the build system unknown');
  const goMain = await findGoMain(tree, buildSystem.type === 'go' ? buildSystem.moduleDir : '', repoName);
  const control = await tree.read('debian/control', 256 * 1024);
  return {
    buildSystem,
    candidates: candidates.slice(0, 12),
    dependencies: await readDependencies(tree, buildSystem, repoName),
    archFindings: await scanArchitecture(tree),
    goMain,
    tree: treeText(tree),
    documentation: await readDocumentation(tree),
    evidence: await buildEvidence(tree),
    languages: countLanguages(tree),
    fileCount: tree.entries.filter(({ kind }) => kind !== 'folder').length,
    hasSubmodules: tree.find('.gitmodules') !== null,
    expectedArtifacts: await expectedArtifacts(tree, buildSystem, goMain, repoName),
    debianBuildDepends: control === null ? [] : debianBuildDepends(control),
  };
}
