/**
 * The recipe without a model: what was done, exactly, so that doing it again rebuilds the port.
 * R1 the commands are those that ran and succeeded, after rewrites and retries, in the order they ran.
 * R2 every package that the run installed is named.
 */
import type { AgentState } from '../events/agent-state.ts';
import type { ArtifactVerification, BuildArtifact } from '../events/records.ts';
import { debianRiscv64 } from '../seeds/platforms/debian-riscv64.ts';

type LogEntry = AgentState['x']['buildLog'][number];

/** Files listed of each kind. */
const artifactsMax = 40;

export function fallbackRecipe(state: AgentState): string {
  return [
    `# Build ${state.repoName} for riscv64`,
    '',
    `Status: ${statusLine(state)}`,
    '',
    ...prerequisites(state),
    ...instructions(state),
    ...artifactLines(state.buildArtifacts, state.curatedArtifacts),
    ...verificationLines(state.artifactVerification),
    ...lossLines(state),
  ].join('\n');
}

function statusLine(state: AgentState): string {
  if (state.buildStatus !== 'SUCCESS')
    return `${state.buildStatus.toLowerCase()}, this recipe does not build the port`;
  return state.artifactVerification?.verified === true ? 'built and verified' : 'built, not verified';
}

function prerequisites(state: AgentState): string[] {
  const { x } = state;
  const sandbox = x.sandbox;
  const lines = [
    '## Source and system',
    '',
    `- Source: \`${x.source || state.repoUrl}\`${x.sourceVersion === '' ? '' : `, version ${x.sourceVersion}`}`,
    `- Commit: \`${x.sourceCommit || 'not known'}\``,
    `- System: ${debianRiscv64.distribution} ${debianRiscv64.suite}, ${debianRiscv64.triplet}`,
  ];
  if (sandbox !== null) {
    const tools = Object.entries(sandbox.toolVersions).map(([tool, version]) => `${tool} ${version}`);
    lines.push(`- Base: \`${sandbox.rootDigest}\`${tools.length > 0 ? `, with ${tools.join(', ')}` : ''}`);
  }
  lines.push(
    `- Packages installed by this run: ${x.installedPackages.length > 0 ? x.installedPackages.map((name) => `\`${name}\``).join(' ') : 'none'}`,
    '',
  );
  return lines;
}

/** Each block is one phase; each of its lines starts in a new shell at the root of the source. */
function instructions(state: AgentState): string[] {
  const done = effective(state.x.buildLog);
  const lines = ['## Commands', '', 'Each command starts in a fresh shell at the root of the source.', ''];
  if (done.length === 0) return [...lines, 'No command has succeeded.', ''];
  groupByPhase(done).forEach(({ phase, entries }, index) => {
    lines.push(`### ${index + 1}. ${phase}`, '', '```sh', ...entries.map((entry) => entry.ran), '```', '');
    for (const entry of entries) {
      if (entry.heuristic !== null) {
        lines.push(
          `- \`${oneLine(entry.ran)}\` was added by the rule ${entry.heuristic} for \`${oneLine(entry.command)}\`.`,
        );
      }
    }
    if (lines.at(-1) !== '') lines.push('');
  });
  return lines;
}

/** R1: successes only; an equal one right after another is one. */
function effective(log: readonly LogEntry[]): LogEntry[] {
  return log
    .filter((entry) => entry.exitCode === 0)
    .filter(
      (entry, index, all) => entry.ran !== all[index - 1]?.ran || entry.phase !== all[index - 1]?.phase,
    );
}

function groupByPhase(log: readonly LogEntry[]): Array<{ phase: string; entries: LogEntry[] }> {
  const groups: Array<{ phase: string; entries: LogEntry[] }> = [];
  for (const entry of log) {
    const last = groups.at(-1);
    if (last?.phase === entry.phase) last.entries.push(entry);
    else groups.push({ phase: entry.phase, entries: [entry] });
  }
  return groups;
}

function artifactLines(built: readonly BuildArtifact[], curated: readonly BuildArtifact[]): string[] {
  const list = curated.length > 0 ? curated : built;
  if (list.length === 0) return ['## Artifacts', '', 'None.', ''];
  const lines = list
    .slice(0, artifactsMax)
    .map(
      ({ filepath, type, architecture, role }) =>
        `- \`${filepath}\`: ${type}, ${architecture}${role ? `, ${role}` : ''}`,
    );
  if (list.length > artifactsMax) lines.push(`- and ${list.length - artifactsMax} more`);
  return ['## Artifacts', '', ...lines, ''];
}

function verificationLines(verification: ArtifactVerification | null): string[] {
  if (verification === null) return ['## Verification', '', 'Not done.', ''];
  const { status, reason, counts, abiWarnings, expectedMissing } = verification;
  return [
    '## Verification',
    '',
    `- Verdict: ${status}: ${reason}`,
    `- Files: ${counts.riscv64} riscv64, ${counts.foreign} for other machines, ${counts.prebuiltForeign} that came with the source for other machines`,
    ...abiWarnings.map((warning) => `- ABI: ${warning}`),
    ...(expectedMissing.length > 0 ? [`- Expected but not built: ${expectedMissing.join(', ')}`] : []),
    '',
  ];
}

function lossLines({ x }: AgentState): string[] {
  if (x.losses.length === 0) return [];
  return ['## Switched off', '', ...x.losses.map(({ what, because }) => `- ${what} (${because})`), ''];
}

const oneLine = (command: string): string => command.replaceAll(/\s+/g, ' ');
