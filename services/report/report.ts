/** The report of a run: sections and their limits are the existing system's (upstream facts §1.6). Pure. */
import type { AgentState } from '../../events/agent-state.ts';
import type { ArtifactVerification, ElfFile } from '../../events/records.ts';
import { bullets, clipped, code, codeBlock, markdownTable } from './markdown.ts';

/** Source of all limits: upstream facts §1.6. */
const limits = {
  filesPerList: 20,
  testOutputChars: 1_500,
  findings: 5,
  findingChars: 200,
  patchChars: 500,
  errorChars: 300,
};

export interface ReportFacts {
  state: AgentState;
  exitCode: number;
  /** Epoch ms of the event that asked for the report. */
  at: number;
}

const statusText = ({ state, exitCode }: ReportFacts): string => {
  if (state.buildStatus === 'SUCCESS')
    return exitCode === 0
      ? 'Built, and its outputs are proven to be riscv64.'
      : 'Built, but no riscv64 output could be proven.';
  if (state.x.cancelRequested) return 'Cancelled before it was done.';
  return state.buildStatus === 'ESCALATED'
    ? 'Not ported: the run was escalated and needs a person.'
    : 'Not ported: the build failed.';
};

/** A proof says how it was made: compilers that run natively give the same outputs faster, but are not emulated. */
const sandboxText = ({ x: { sandbox } }: AgentState): string =>
  sandbox === null
    ? ''
    : `, ${sandbox.driver} sandbox, ${sandbox.accelerated ? "the compiler's inner programs ran natively" : 'strict: everything was emulated'}`;

const summary = (facts: ReportFacts): string => {
  const { state, at } = facts;
  const reason = state.x.outcome?.reason;
  return (
    `## Executive Summary\n\n**${statusText(facts)}**\n\n` +
    (reason ? `${reason}\n\n` : '') +
    bullets(
      [
        `Target: ${code(state.x.platform)}${sandboxText(state)}`,
        `Repository: ${code(state.x.source)}`,
        ...(state.x.sourceVersion ? [`Version: ${state.x.sourceVersion}`] : []),
        `Run: ${code(state.x.runId)}`,
        `Generated: ${new Date(at).toISOString()}`,
        ...state.x.sourceNotes.map((note) => `Note: ${note}`),
      ],
      limits.filesPerList,
    )
  );
};

const metrics = ({ state, at }: ReportFacts): string =>
  `## Metrics\n\n${markdownTable(
    ['Metric', 'Value'],
    [
      ['Status', state.buildStatus],
      ['Duration', `${((at - state.executionStartTime) / 1000).toFixed(1)} s`],
      ['Attempts', `${state.attemptCount} of ${state.maxAttempts}`],
      ['Model calls', String(state.apiCallsMade)],
      ['Scripted operations', String(state.scriptedOpsCount)],
      ['Tokens in / out', `${state.apiTokensIn} / ${state.apiTokensOut}`],
      ['Cost', `$${state.apiCostUsd.toFixed(4)}`],
    ],
  )}`;

const fileList = (title: string, files: readonly ElfFile[]): string =>
  files.length === 0
    ? ''
    : `\n${title}:\n\n${bullets(
        files.map(
          ({ path, type, machine, abi }) => `${code(path)}: ${type}, ${machine}${abi ? ` ${abi}` : ''}`,
        ),
        limits.filesPerList,
      )}`;

const verdictSection = (verification: ArtifactVerification): string =>
  bullets(
    [
      `Verdict: **${verification.status}**`,
      `Reason: ${verification.reason}`,
      `Source commit: ${code(verification.sourceCommit || 'not known')}`,
      `riscv64: ${verification.counts.riscv64}, other machines: ${verification.counts.foreign}, shipped with the source for other machines: ${verification.counts.prebuiltForeign}`,
      ...(verification.scanError === null ? [] : [`Scan error: ${verification.scanError}`]),
    ],
    limits.filesPerList,
  ) +
  fileList('riscv64', verification.riscv64) +
  fileList('Built for other machines', verification.foreign) +
  fileList('Shipped with the source for other machines', verification.prebuiltForeign) +
  (verification.abiWarnings.length === 0
    ? ''
    : `\nABI warnings:\n\n${bullets(verification.abiWarnings, limits.filesPerList)}`) +
  (verification.expectedMissing.length === 0
    ? ''
    : `\nExpected, but not built:\n\n${bullets(verification.expectedMissing.map(code), limits.filesPerList)}`);

const verification = ({ state }: ReportFacts): string =>
  `## Artifact Verification\n\n${
    state.artifactVerification === null
      ? 'No outputs were looked at.\n'
      : verdictSection(state.artifactVerification)
  }`;

const tests = ({ state: { packageTests } }: ReportFacts): string => {
  const head = "## Package Tests\n\nThe package's own tests inform; they do not decide the verdict.\n\n";
  if (packageTests === null) return `${head}They were not run.\n`;
  const { status, framework, command, durationSeconds, reason, outputTail } = packageTests;
  return (
    head +
    bullets(
      [
        `Result: ${status}`,
        ...(framework ? [`Framework: ${framework}`] : []),
        ...(command ? [`Command: ${code(command)} (${durationSeconds.toFixed(1)} s)`] : []),
        ...(reason ? [`Reason: ${reason}`] : []),
      ],
      limits.filesPerList,
    ) +
    (outputTail.trim() === '' ? '' : `\n${codeBlock(outputTail.slice(-limits.testOutputChars))}`)
  );
};

const buildSystem = ({ state }: ReportFacts): string => {
  const { buildSystemInfo, buildPlan, dependencies } = state;
  const system =
    buildSystemInfo === null
      ? 'Not determined.\n'
      : `${buildSystemInfo.type}, confidence ${Math.round(buildSystemInfo.confidence * 100)} %, from ${code(buildSystemInfo.primaryFile)}.\n`;
  const phases =
    buildPlan === null
      ? ''
      : `\nPhases:\n\n${bullets(
          buildPlan.phases.map(({ id, name, commands }) => `${id} ${name}: ${commands.map(code).join(', ')}`),
          limits.filesPerList,
        )}`;
  const packages = [...new Set([...(dependencies?.systemPackages ?? []), ...state.x.installedPackages])];
  const needs =
    packages.length === 0 ? '' : `\nPackages:\n\n${bullets(packages.map(code), limits.filesPerList)}`;
  return `## Build System Analysis\n\n${system}${phases}${needs}`;
};

const architecture = ({ state: { archSpecificCode } }: ReportFacts): string =>
  archSpecificCode.length === 0
    ? ''
    : `## Architecture-Specific Code\n\n${archSpecificCode.length} found.\n\n${archSpecificCode
        .slice(0, limits.findings)
        .map(
          ({ file, line, archType, severity, codeSnippet, suggestedFix }) =>
            `${code(`${file}:${line}`)}, ${archType}, ${severity}${suggestedFix ? `: ${suggestedFix}` : ''}\n\n${codeBlock(clipped(codeSnippet, limits.findingChars))}\n`,
        )
        .join('')}`;

const patches = ({ state: { patchesGenerated } }: ReportFacts): string =>
  patchesGenerated.length === 0
    ? ''
    : `## Patches\n\n${patchesGenerated.map((patch) => codeBlock(clipped(patch, limits.patchChars), 'diff')).join('\n')}`;

const errors = ({ state: { errorHistory, fixesAttempted } }: ReportFacts): string =>
  errorHistory.length === 0
    ? ''
    : `## Error Resolution History\n\n${errorHistory
        .map(
          ({ attemptNumber, category, severity, message }) =>
            `${attemptNumber}. ${category}, ${severity}\n\n${codeBlock(clipped(message, limits.errorChars))}\n`,
        )
        .join('')}${bullets(
        fixesAttempted.map(
          ({ strategy, success }) => `Fix: ${strategy} (${success ? 'it helped' : 'it did not help'})`,
        ),
        limits.filesPerList,
      )}`;

const recommendations = ({ state, exitCode }: ReportFacts): string => {
  const action = state.errorHistory.at(-1)?.action;
  const missing = state.artifactVerification?.expectedMissing ?? [];
  const items = [
    ...(exitCode === 0 ? ['Run the package on riscv64 hardware before it is released.'] : []),
    ...(exitCode === 3
      ? ['Find out where the build leaves its outputs: none of them is a riscv64 program or library.']
      : []),
    ...(exitCode === 1 && action ? [action] : []),
    ...(missing.length > 0 ? ['See why the expected outputs above were not built.'] : []),
    ...(state.packageTests?.status === 'failed'
      ? ["Look at the package's failed tests: an emulator can fail tests that pass on hardware."]
      : []),
    ...state.x.losses.map(({ what, because }) => `Bring back ${what}, which was switched off: ${because}`),
    ...(state.patchesGenerated.length > 0 ? ['Offer the patches to the package.'] : []),
  ];
  return `## Recommendations\n\n${items.length === 0 ? 'None.\n' : bullets(items, limits.filesPerList)}`;
};

const escalation = ({ state: { contextCache } }: ReportFacts): string =>
  contextCache.escalationReport ? `## Escalation\n\n${contextCache.escalationReport.trimEnd()}\n` : '';

const performance = ({ state: { optimization } }: ReportFacts): string =>
  optimization === null ? '' : `## Performance\n\n${optimization.status}: ${optimization.reason}\n`;

/** The whole report as Markdown; a section with nothing to say is left out. */
export const reportMarkdown = (facts: ReportFacts): string =>
  [
    `# Port of ${facts.state.repoName} to riscv64\n`,
    summary(facts),
    metrics(facts),
    verification(facts),
    tests(facts),
    buildSystem(facts),
    architecture(facts),
    patches(facts),
    errors(facts),
    performance(facts),
    escalation(facts),
    recommendations(facts),
  ]
    .filter((section) => section !== '')
    .join('\n');
