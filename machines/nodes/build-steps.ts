/** The steps of the build node as pure functions: context in, context out, facts gathered on it. */
import type { AnyFact } from '../../events/envelope.ts';
import type { BuildPhase, CommandResult } from '../../events/records.ts';
import { fact, type NodeInput } from '../actor-kit.ts';
import type { EffectInput, EffectOutput } from '../effects.ts';
import { errorRecordOf } from '../errors/record.ts';
import {
  type RetryAction,
  retriesMax,
  retryFor,
  retryQueries,
  rewriteQueries,
  rewritesFor,
} from '../heuristics/apply.ts';
import type { Answers, Failure } from '../heuristics/types.ts';
import { commandKey } from '../plans/command-key.ts';
import { phasePolicy } from '../plans/phase-policy.ts';
import { type CommandStep, stepsOf } from '../shell/steps.ts';

/** Limit of one package installation, ms. Source: upstream facts §6.1, one limit for every build command. */
const installTimeoutMs = 1_800_000;

export interface CurrentCommand {
  phase: BuildPhase;
  index: number;
  /** The plan's text, and what is run in its place. */
  planned: string;
  command: string;
  cacheKey: string;
}

export interface BuildContext extends NodeInput {
  phaseIndex: number;
  commandIndex: number;
  /** Cache keys of commands that have succeeded, before this visit and in it. */
  succeeded: ReadonlySet<string>;
  current: CurrentCommand | null;
  /** What is left to do for the current command, or for the retry in hand. */
  steps: readonly CommandStep[];
  retry: RetryAction | null;
  usedKeys: readonly string[];
  firings: number;
  answers: Answers;
  queries: string[];
  stepFailed: boolean;
  /** The last failed result of the command itself; a failed preparation does not replace it. */
  failure: { command: string; result: CommandResult } | null;
  facts: AnyFact[];
}

export function startOf(input: NodeInput): BuildContext {
  const { state } = input;
  return {
    ...input,
    phaseIndex: 0,
    commandIndex: 0,
    succeeded: new Set(Object.keys(state.commandResultsCache)),
    current: null,
    steps: [],
    retry: null,
    usedKeys: state.contextCache.builderRetryKeys ?? [],
    firings: 0,
    answers: {},
    queries: [],
    stepFailed: false,
    failure: null,
    facts: [fact('build.started', { resumesAfterPhase: state.lastSuccessfulPhase })],
  };
}

/** Goes on to the next command that is to be run; phases and commands that need no run are stated as skipped. */
export function chooseNext(context: BuildContext): BuildContext {
  const { state } = context;
  const phases = state.buildPlan?.phases ?? [];
  const facts: AnyFact[] = [];
  let { phaseIndex, commandIndex } = context;
  for (; phaseIndex < phases.length; phaseIndex += 1, commandIndex = 0) {
    const phase = phases[phaseIndex] as BuildPhase;
    if (phase.id <= state.lastSuccessfulPhase) {
      facts.push(fact('build.phaseSkipped', { phaseId: phase.id, name: phase.name }));
      continue;
    }
    if (commandIndex === 0) facts.push(fact('build.phaseStarted', { phaseId: phase.id, name: phase.name }));
    for (; commandIndex < phase.commands.length; commandIndex += 1) {
      const planned = phase.commands[commandIndex] as string;
      const cacheKey = keyOf(context, phase, commandIndex, planned);
      if (context.succeeded.has(cacheKey)) {
        facts.push(fact('build.commandSkipped', { phaseId: phase.id, command: planned, reason: 'cached' }));
        continue;
      }
      const current = { phase, index: commandIndex, planned, command: planned, cacheKey };
      const asked = ruleContext(context, current);
      const queries = rewriteQueries(planned).filter((query) => !(query in asked.answers));
      return { ...fresh(context), phaseIndex, commandIndex, current, queries, facts };
    }
    facts.push(fact('build.phaseFinished', { phaseId: phase.id, name: phase.name }));
  }
  return { ...fresh(context), phaseIndex, commandIndex, current: null, facts };
}

/** Facts about the tree are asked anew for every command: the command before may have changed it. */
const fresh = (context: BuildContext): BuildContext => ({
  ...context,
  steps: [],
  retry: null,
  firings: 0,
  answers: {},
  queries: [],
  stepFailed: false,
  failure: null,
});

function keyOf(context: BuildContext, phase: BuildPhase, index: number, command: string): string {
  const { state } = context;
  return commandKey({
    command,
    cwd: state.repoPath,
    env: phasePolicy(phase.name, command).env,
    treeVersion: state.x.treeVersion,
    phaseId: phase.id,
    index,
  });
}

export const withAnswers = (context: BuildContext, answers: Answers): BuildContext => ({
  ...context,
  answers: { ...context.answers, ...answers },
});

/** Applies the rewrites (B2) and cuts the command into runs and package installations. */
export function rewrite(context: BuildContext): BuildContext {
  const current = currentOf(context);
  const { command, applied } = rewritesFor(current.planned, ruleContext(context, current));
  const facts = applied.map((one) =>
    fact('build.heuristicApplied', {
      heuristic: one.heuristic,
      seed: one.seed,
      kind: 'rewrite',
      command: one.from,
      becomes: [one.to],
      retryKey: null,
      loss: null,
    }),
  );
  return { ...context, current: { ...current, command }, steps: stepsOf(command), facts };
}

export function nextRun(context: BuildContext): EffectInput<'runCommand'> {
  const current = currentOf(context);
  const { command } = stepOf(context, 'run');
  const { network, user, timeoutMs, env } = phasePolicy(current.phase.name, command);
  return { command, cwd: context.state.repoPath, env, timeoutMs, network, user, phase: current.phase.name };
}

export function nextInstall(context: BuildContext): EffectInput<'installPackages'> {
  const { names, text } = stepOf(context, 'install');
  return { names, command: text, timeoutMs: installTimeoutMs };
}

export function installed(context: BuildContext, output: EffectOutput<'installPackages'>): BuildContext {
  const { names, text } = stepOf(context, 'install');
  const { result, installed: fresh_, alreadyThere, missing } = output;
  const done = fact('build.packagesInstalled', { names, installed: fresh_, alreadyThere, missing });
  return afterStep(context, text, result, [done]);
}

export const ran = (context: BuildContext, result: CommandResult): BuildContext =>
  afterStep(context, stepOf(context, 'run').command, result, []);

function afterStep(
  context: BuildContext,
  text: string,
  result: CommandResult,
  more: AnyFact[],
): BuildContext {
  const current = currentOf(context);
  const steps = context.steps.slice(1);
  const isLast = steps.length === 0;
  const stepFailed = result.exitCode !== 0;
  const isCommandItself = context.retry === null || isLast;
  const { phase, planned, cacheKey } = current;
  const facts = [
    fact('build.commandFinished', {
      phaseId: phase.id,
      phase: phase.name,
      command: planned,
      ran: text,
      cacheKey: isLast ? cacheKey : '',
      heuristic: context.retry?.heuristic ?? null,
      result,
    }),
    ...more,
  ];
  const failure = stepFailed && isCommandItself ? { command: current.command, result } : context.failure;
  return { ...context, steps: stepFailed ? [] : steps, stepFailed, failure, facts };
}

/** The command has succeeded: the plan takes over what a retry found, where its rule says so. */
export function commandDone(context: BuildContext): BuildContext {
  const { phase, index, planned, cacheKey } = currentOf(context);
  const { retry } = context;
  const facts =
    retry?.planCommand && retry.planCommand !== planned
      ? [
          fact('build.planChanged', {
            phaseId: phase.id,
            index,
            from: planned,
            to: retry.planCommand,
            heuristic: retry.heuristic,
          }),
        ]
      : [];
  const succeeded = new Set(context.succeeded).add(cacheKey);
  return { ...context, succeeded, commandIndex: context.commandIndex + 1, facts };
}

/** What the rules want to know about the tree before they can answer the failure. */
export function failureQueries(context: BuildContext): BuildContext {
  const failure = failureOf(context);
  const asked = failure ? retryQueries(failure, context.usedKeys) : [];
  return { ...context, queries: asked.filter((query) => !(query in context.answers)), facts: [] };
}

/** The next untried rule that has something to do; its steps, or none when the fixer is next. */
export function chooseRetry(context: BuildContext): BuildContext {
  const failure = failureOf(context);
  const none = { ...context, steps: [], facts: [] };
  if (!failure || context.firings >= retriesMax) return none;
  const retry = retryFor(failure, context.usedKeys);
  if (!retry) return none;
  const becomes = retry.steps.map((step) =>
    'install' in step
      ? `apt-get install -y ${step.install.join(' ')}`
      : 'run' in step
        ? step.run
        : step.retry,
  );
  const retried = retry.steps.flatMap((step): CommandStep[] =>
    'install' in step
      ? [{ kind: 'install', names: step.install, text: `apt-get install -y ${step.install.join(' ')}` }]
      : stepsOf('run' in step ? step.run : step.retry),
  );
  const current = currentOf(context);
  const command =
    retry.steps.flatMap((step) => ('retry' in step ? [step.retry] : [])).at(-1) ?? current.command;
  return {
    ...context,
    retry,
    current: { ...current, command },
    steps: retried,
    usedKeys: [...context.usedKeys, retry.retryKey],
    firings: context.firings + 1,
    answers: {},
    facts: [
      fact('build.heuristicApplied', {
        heuristic: retry.heuristic,
        seed: retry.seed,
        kind: 'retry',
        command: failure.command,
        becomes,
        retryKey: retry.oncePerRun ? retry.retryKey : null,
        loss: retry.loss,
      }),
    ],
  };
}

export const finished = (context: BuildContext): AnyFact[] => [
  fact('build.succeeded', { phases: context.state.buildPlan?.phases.length ?? 0 }),
];

/** B3: the one error of a failed visit, from the last failed result of the command itself. */
export function failedFacts(context: BuildContext): AnyFact[] {
  const { current, failure } = context;
  if (!current || !failure) {
    return [
      fact('error.recorded', { error: noPlanError, keepsLastError: false }),
      fact('build.failed', { phaseId: null, command: null }),
    ];
  }
  const error = errorRecordOf({ command: failure.command, result: failure.result });
  return [
    fact('error.recorded', { error, keepsLastError: false }),
    fact('build.failed', { phaseId: current.phase.id, command: current.planned }),
  ];
}

/** Source: upstream facts §4.3: no build plan is a CONFIGURATION error. */
const noPlanError = {
  category: 'CONFIGURATION' as const,
  seedCategory: 'CONFIGURATION' as const,
  message: 'There is no build plan to run',
  severity: 'medium' as const,
  command: null,
  file: null,
  line: null,
  action: 'write a plan',
  signature: 'CONFIGURATION|no build plan',
};

function failureOf(context: BuildContext): Failure | null {
  if (!context.failure || !context.current) return null;
  const { command, result } = context.failure;
  return { ...ruleContext(context, context.current), planned: context.current.planned, command, result };
}

const ruleContext = (context: BuildContext, current: CurrentCommand) => ({
  phase: current.phase.name,
  repoName: context.state.repoName,
  answers: context.answers,
});

function currentOf(context: BuildContext): CurrentCommand {
  if (!context.current) throw new Error('The build node has no command in hand.');
  return context.current;
}

function stepOf<K extends CommandStep['kind']>(
  context: BuildContext,
  kind: K,
): Extract<CommandStep, { kind: K }> {
  const step = context.steps[0];
  if (step?.kind !== kind) throw new Error(`The build node has no step of kind ${kind} in hand.`);
  return step as Extract<CommandStep, { kind: K }>;
}
