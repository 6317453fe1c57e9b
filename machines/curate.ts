/** Which of the built files the port is about. Rules only; source: upstream facts §10.3. */
import type { AgentState } from '../events/agent-state.ts';
import type { BuildArtifact } from '../events/records.ts';
import { isBuildSystemNoise } from './artifact-noise.ts';

const helpers =
  /^(tests?|testing|checks?|examples?|samples?|demos?|benchmarks?|bench|tools|contrib|fuzz(ers?|ing)?)$/;
const helperName = /^(test|check|bench|example|demo)([-_.]|$)|[-_](tests?|bench|example|demo)(\.|$)/;

/** The result for the report and the recipe cache: primary files first. `dropped` is how many were noise. */
export function curate(state: Pick<AgentState, 'buildArtifacts' | 'repoName' | 'packageAnalysis'>): {
  artifacts: BuildArtifact[];
  dropped: number;
} {
  const kept = state.buildArtifacts.filter((artifact) => !isNoise(artifact, state.buildArtifacts));
  // When everything looks like noise the rule is wrong, not the build.
  const base = kept.length > 0 ? kept : state.buildArtifacts;
  const expected = state.packageAnalysis?.expectedArtifacts ?? [];
  const withRole = base.map((artifact) => ({
    ...artifact,
    role: roleOf(artifact, state.repoName, expected),
  }));
  const artifacts = [
    ...withRole.filter((artifact) => artifact.role === 'primary'),
    ...withRole.filter((artifact) => artifact.role === 'secondary'),
  ];
  return { artifacts, dropped: state.buildArtifacts.length - base.length };
}

/** libtool builds into `.libs` and leaves a script in front: such a file is the product when it stands alone. */
function isNoise({ filepath, type }: BuildArtifact, all: readonly BuildArtifact[]): boolean {
  if (type === 'object' || isBuildSystemNoise(filepath)) return true;
  if (!filepath.includes('.libs')) return false;
  const outside = filepath.replace('.libs/', '');
  return all.some((other) => other.filepath === outside);
}

function roleOf(
  { filepath, type }: BuildArtifact,
  repoName: string,
  expected: readonly string[],
): 'primary' | 'secondary' {
  const parts = filepath.split('/');
  const name = parts.pop() ?? '';
  const isExpected = expected.some((wanted) => name === wanted || name.startsWith(`${wanted}.`));
  if (isExpected) return 'primary';
  if (parts.some((part) => helpers.test(part.toLowerCase())) || helperName.test(name.toLowerCase())) {
    return 'secondary';
  }
  if (type.startsWith('library')) return 'primary';
  return isRelated(name, repoName) ? 'primary' : 'secondary';
}

/** `lz4c` of `lz4`, `jo` of `jo`, `minimap2` of `minimap`; short names must be equal. */
function isRelated(name: string, repoName: string): boolean {
  const plain = (text: string): string =>
    text
      .toLowerCase()
      .replace(/\.\w+$/, '')
      .replaceAll(/[^a-z0-9]/g, '');
  const a = plain(name);
  const b = plain(repoName);
  if (a === '' || b === '') return false;
  if (a === b) return true;
  return Math.min(a.length, b.length) >= 3 && (a.startsWith(b) || b.startsWith(a));
}
