/**
 * What an event says to a person: one line, or none for events that only matter to machines. Pure.
 * The words are the same in the live view, `show` and `events`.
 */
import type { EventType } from '../../events/catalogue.ts';
import type { AnyEvent } from '../../events/envelope.ts';
import { count, duration, oneLine } from './format.ts';

export type Tone = 'plain' | 'good' | 'bad' | 'warn' | 'faint';

export interface EventLine {
  /** What it is about, one word: `source`, `build`, `error`. */
  label: string;
  text: string;
  tone: Tone;
}

const line = (label: string, text: string, tone: Tone = 'plain'): EventLine => ({
  label,
  text: oneLine(text),
  tone,
});

/** The first line of a text that may have many. */
const first = (text: string): string => oneLine(text.trimStart().split('\n')[0] ?? '');

type Teller<T extends EventType> = (event: Extract<AnyEvent, { type: T }>) => EventLine | EventLine[] | null;

const tellers: { [T in EventType]?: Teller<T> } = {
  'run.started': ({ data, runId }) => line('run', `${data.repoName} from ${data.source}, run ${runId}`),
  'run.pauseRequested': () => line('run', 'asked to stop', 'warn'),
  'run.resumeRequested': () => line('run', 'goes on'),
  'run.cancelRequested': () => line('run', 'cancelled', 'warn'),
  'run.forked': ({ data }) =>
    line('run', `forked from ${data.parent} at event ${data.atSeq}: ${data.reason}`),
  'init.sandboxOpened': ({ data }) =>
    line(
      'sandbox',
      `${data.platform} by ${data.driver}, ${data.accelerated ? 'compiler runs natively' : 'everything emulated'} (${duration(data.durationMs)})`,
    ),
  'init.repositoryCloned': ({ data }) => [
    line(
      'source',
      `${data.version ? `version ${data.version}, ` : ''}commit ${data.commit.slice(0, 12)}, ${count(data.fileCount, 'file')} (${duration(data.durationMs)})`,
    ),
    ...data.notes.map((note) => line('source', note, 'warn')),
  ],
  'init.repositoryScanned': ({ data: { scan, missingTools } }) =>
    line(
      'scan',
      [
        `${scan.buildSystem.type} (${Math.round(scan.buildSystem.confidence * 100)} %)`,
        ...(scan.archFindings.length > 0
          ? [count(scan.archFindings.length, 'architecture-specific place')]
          : []),
        ...(missingTools.length > 0 ? [`lacks ${missingTools.join(', ')}`] : []),
      ].join(', '),
    ),
  'cachedRecipe.served': ({ data }) => line('cache', `recipe of ${data.lastBuilt} still holds`, 'good'),
  'cachedRecipe.commitDiffered': ({ data }) =>
    line(
      'cache',
      `recipe is of ${data.cached.slice(0, 12)}, the source is at ${data.current.slice(0, 12)}`,
      'warn',
    ),
  'cachedRecipe.entryCleared': ({ data }) => line('cache', data.reason, 'warn'),
  'cachedRecipe.planWritten': ({ data }) => line('plan', planText(data.plan, 'from the cached recipe')),
  'analyst.analysisWritten': ({ data }) =>
    line('analysis', `${data.analysis.language} ${data.analysis.buildSystem}${by(data.fallbackReason)}`),
  'heuristicPlan.planWritten': ({ data }) => line('plan', planText(data.plan, 'default')),
  'heuristicPlan.planDeclined': ({ data }) =>
    line('plan', `no default plan: ${data.reasons.join('; ')}`, 'warn'),
  'scout.replanStarted': ({ data }) => line('plan', `a new plan, because ${data.because}`, 'warn'),
  'scout.planWritten': ({ data }) => line('plan', planText(data.plan, 'scouted') + by(data.fallbackReason)),
  'build.started': ({ data }) =>
    data.resumesAfterPhase > 0 ? line('build', `goes on after phase ${data.resumesAfterPhase}`) : null,
  'build.phaseStarted': ({ data }) => line('phase', `${data.phaseId} ${data.name}`),
  'build.phaseSkipped': ({ data }) => line('phase', `${data.phaseId} ${data.name}: done before`, 'faint'),
  'build.commandSkipped': ({ data }) => line('build', `${data.command}: ${data.reason}`, 'faint'),
  'build.commandFinished': ({ data: { ran, result } }) => {
    const how = result.timedOut
      ? 'timed out after'
      : result.exitCode === 0
        ? 'took'
        : `exit ${result.exitCode}${result.oomKilled ? ' (out of memory)' : ''} after`;
    return line(
      'build',
      `${first(ran)}: ${how} ${duration(result.durationMs)}`,
      result.exitCode === 0 ? 'good' : 'bad',
    );
  },
  'build.heuristicApplied': ({ data }) => {
    const what = data.becomes.length === 0 ? 'tried' : data.becomes.map(first).join(' ; ');
    const loss = data.loss === null ? '' : ` (loses: ${data.loss})`;
    return line('rule', `${data.heuristic}: ${what}${loss}`, 'warn');
  },
  'build.packagesInstalled': ({ data }) => [
    ...(data.installed.length > 0 ? [line('packages', `installed ${data.installed.join(' ')}`)] : []),
    ...(data.installed.length + data.missing.length === 0
      ? [line('packages', 'all there already', 'faint')]
      : []),
    ...(data.missing.length > 0 ? [line('packages', `not to be had: ${data.missing.join(' ')}`, 'bad')] : []),
  ],
  'build.failed': ({ data }) =>
    line('build', data.command === null ? 'failed' : `failed at ${first(data.command)}`, 'bad'),
  'error.recorded': ({ data: { error } }) =>
    line('error', `${error.category}, ${error.severity}: ${first(error.message)}`, 'bad'),
  'verify.outputsScanned': ({ data: { verification } }) => {
    const { riscv64, foreign } = verification.counts;
    const tone = verification.verified ? 'good' : verification.status === 'wrong_arch' ? 'bad' : 'warn';
    return line('verify', `${verification.status}: ${riscv64} riscv64, ${foreign} of other machines`, tone);
  },
  'fix.patchApplied': ({ data }) => line('fix', `patched ${data.files.join(', ')}`),
  'fix.applied': ({ data }) => line('fix', data.fix.strategy),
  'fix.declined': ({ data }) => line('fix', data.reason, 'warn'),
  'fix.treeRewound': ({ data }) =>
    line('fix', `starts again after phase ${data.lastSuccessfulPhase}`, 'warn'),
  'fix.planReplaced': ({ data }) => line('plan', planText(data.plan, 'replaced')),
  'finish.testsFinished': ({ data: { tests } }) =>
    line(
      'tests',
      `${tests.status}${tests.command ? ` (${tests.command}, ${duration(tests.durationSeconds * 1000)})` : ''}${tests.reason ? `: ${first(tests.reason)}` : ''}`,
      tests.status === 'passed' ? 'good' : tests.status === 'skipped' ? 'faint' : 'warn',
    ),
  'finish.recipeCached': ({ data }) => (data.stored ? line('cache', 'recipe kept', 'faint') : null),
  'optimize.finished': ({ data }) =>
    line('optimize', `${data.optimization.status}: ${first(data.optimization.reason)}`),
  'escalate.reportWritten': ({ data }) => line('escalated', first(data.recommendation), 'bad'),
  'sandbox.rebuildDiverged': ({ data }) =>
    line('sandbox', `${data.command}: ${data.actual}, was ${data.expected}`, 'bad'),
  'effect.failed': ({ data }) =>
    // A source that cannot be had is told by the error that follows.
    data.name === 'cloneRepository'
      ? null
      : line('effect', `${data.name} failed (${data.error.code}): ${first(data.error.message)}`, 'bad'),
  'effect.expired': ({ data }) => line('effect', `${data.name} did not answer in time`, 'bad'),
  'actor.crashed': ({ data }) => line('fault', `${data.node ?? 'host'}: ${first(data.message)}`, 'bad'),
  'actor.retryScheduled': ({ data }) =>
    line('retry', `${data.node} again in ${duration(data.waitMs)}: ${first(data.reason)}`, 'warn'),
};

const planText = (plan: { phases: Array<{ name: string }> }, kind: string): string =>
  `${count(plan.phases.length, 'phase')} (${kind}): ${plan.phases.map(({ name }) => name).join(', ')}`;

const by = (fallbackReason: string | null): string =>
  fallbackReason === null ? '' : ` (without a model: ${first(fallbackReason)})`;

/** The lines that an event is worth; mostly one, often none. */
export const linesOf = (event: AnyEvent): EventLine[] => {
  const teller = tellers[event.type] as ((event: AnyEvent) => EventLine | EventLine[] | null) | undefined;
  const told = teller?.(event) ?? [];
  return Array.isArray(told) ? told : [told];
};
