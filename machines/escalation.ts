/** The report on a port that was given up. Parts: seed; their limits: upstream facts §4.2. */
import type { AgentState } from '../events/agent-state.ts';
import type { ErrorRecordData } from '../events/records.ts';
import { escalationReason } from './routing-checks.ts';
import { utcTime } from './utc-time.ts';

const lastErrorChars = 500;
const fixesMax = 5;
const findingsMax = 5;
const errorsMax = 5;
const errorChars = 260;

/** @param now epoch ms of the event that the report belongs to */
export function escalationReport(state: AgentState, now: number): string {
  return [
    `# Escalation: ${state.repoName}`,
    '',
    '## Summary',
    '',
    `- Repository: ${state.x.source || state.repoUrl}`,
    `- Status: ${state.buildStatus}`,
    `- Attempts: ${state.attemptCount} of ${state.maxAttempts}`,
    `- Cost: $${state.apiCostUsd.toFixed(4)} in ${state.apiCallsMade} model calls`,
    `- Duration: ${duration(now - (state.executionStartTime || state.createdAt))}`,
    '',
    '## Last error',
    '',
    ...lastError(state),
    '',
    '## Fixes tried',
    '',
    ...fixes(state),
    '',
    '## Architecture findings',
    '',
    ...findings(state),
    '',
    '## Recommendation',
    '',
    ...recommendation(state),
    '',
    '## Recent errors',
    '',
    ...recentErrors(state),
    '',
  ].join('\n');
}

function lastError(state: AgentState): string[] {
  if (state.lastError === null) return ['None was recorded.'];
  const category = state.lastErrorCategory ?? 'UNKNOWN';
  return [
    `${category} (${state.lastErrorSeverity ?? 'medium'})`,
    '',
    ...fenced(state.lastError, lastErrorChars),
  ];
}

function fixes({ fixesAttempted }: AgentState): string[] {
  const last = fixesAttempted.slice(-fixesMax);
  if (last.length === 0) return ['None.'];
  return last.map(
    (fix) => `- ${fix.success ? 'worked' : 'did not work'}: ${fix.strategy} (for ${fix.errorCategory})`,
  );
}

function findings({ archSpecificCode }: AgentState): string[] {
  const grave = archSpecificCode
    .filter((finding) => finding.severity === 'critical' || finding.severity === 'high')
    .slice(0, findingsMax);
  if (grave.length === 0) return ['None of high severity.'];
  return grave.map(
    (finding) =>
      `- ${finding.severity}: ${finding.archType.replaceAll('_', ' ')} in ${finding.file}:${finding.line}`,
  );
}

/** Why the run stops, and what a person can do: the last build error's own advice, where there is one. */
function recommendation(state: AgentState): string[] {
  const reason = escalationReason(state) ?? 'A step of the port could not be done';
  const advice = state.errorHistory.findLast(
    (error) => error.action !== null && !error.outsideLoopCheck,
  )?.action;
  return advice ? [`- ${reason}.`, `- Next step: ${advice}.`] : [`- ${reason}.`];
}

function recentErrors({ errorHistory }: AgentState): string[] {
  const last = errorHistory.slice(-errorsMax);
  if (last.length === 0) return ['None.'];
  return last.map((error) => `- ${utcTime(error.timestamp)} ${describe(error)}`);
}

function describe(error: ErrorRecordData): string {
  const command = error.command === null ? '' : ` \`${oneLine(error.command, errorChars)}\``;
  return `${error.severity} ${error.category}${command}: ${oneLine(error.message, errorChars)}`;
}

const oneLine = (text: string, chars: number): string => {
  const line = text.replaceAll('```', "'''").replaceAll(/\s+/g, ' ').trim();
  return line.length > chars ? `${line.slice(0, chars)}…` : line;
};

function fenced(text: string, chars: number): string[] {
  const cut = text.length > chars ? `${text.slice(0, chars)}…` : text;
  return ['```', cut.replaceAll('```', "'''"), '```'];
}

function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
