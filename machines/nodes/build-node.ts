/**
 * Build node: runs the plan's commands in order until all have succeeded or one is beyond the fixed rules.
 *
 * B1 a phase up to `last_successful_phase`, and a command with a cached success for this tree, is not run again.
 * B2 rewrites come before a command, retries after a failed one, both in the table's order; a retry sees the
 *    result of the retry before it.
 * B3 at most one `error.recorded` a visit: when no retry succeeds.
 * B4 a state asks for one effect or waits for one timer, never both.
 * B5 an effect that could not be done at all (sandbox lost, disk full) is left to the node wrapper.
 */
import { assign, setup } from 'xstate';
import { effect, type NodeInput, recordAction } from '../actor-kit.ts';
import {
  type BuildContext,
  chooseNext,
  chooseRetry,
  commandDone,
  failedFacts,
  failureQueries,
  finished,
  installed,
  nextInstall,
  nextRun,
  ran,
  rewrite,
  startOf,
  withAnswers,
} from './build-steps.ts';

/** Facts gathered by the last pure step are stated right after it. */
const stated = { type: 'record' as const, params: ({ context }: { context: BuildContext }) => context.facts };

export const buildNode = setup({
  types: {} as { input: NodeInput; context: BuildContext },
  actors: {
    probeTree: effect('probeTree'),
    runCommand: effect('runCommand'),
    installPackages: effect('installPackages'),
  },
  guards: {
    hasNoPlan: ({ context }) => context.state.buildPlan === null,
    allDone: ({ context }) => context.current === null,
    needsFacts: ({ context }) => context.queries.length > 0,
    installsNext: ({ context }) => context.steps[0]?.kind === 'install',
    runsNext: ({ context }) => context.steps[0]?.kind === 'run',
    stepFailed: ({ context }) => context.stepFailed,
    hasRetry: ({ context }) => context.steps.length > 0,
  },
  actions: { record: recordAction },
}).createMachine({
  id: 'build_node',
  context: ({ input }) => startOf(input),
  initial: 'starting',
  states: {
    starting: {
      entry: stated,
      always: [{ guard: 'hasNoPlan', target: 'failed' }, { target: 'choosing' }],
    },
    choosing: {
      entry: [assign(({ context }) => chooseNext(context)), stated],
      always: [
        { guard: 'allDone', target: 'succeeded' },
        { guard: 'needsFacts', target: 'probing' },
        { target: 'rewriting' },
      ],
    },
    probing: {
      invoke: {
        id: 'probeTree',
        src: 'probeTree',
        input: ({ context }) => ({ cwd: context.state.repoPath, queries: context.queries }),
        onDone: {
          target: 'rewriting',
          actions: assign(({ context, event }) => withAnswers(context, event.output.answers)),
        },
      },
    },
    rewriting: {
      entry: [assign(({ context }) => rewrite(context)), stated],
      always: 'working',
    },
    working: {
      always: [
        { guard: 'installsNext', target: 'installing' },
        { guard: 'runsNext', target: 'running' },
        { target: 'commandDone' },
      ],
    },
    installing: {
      invoke: {
        id: 'installPackages',
        src: 'installPackages',
        input: ({ context }) => nextInstall(context),
        onDone: {
          target: 'judging',
          actions: [assign(({ context, event }) => installed(context, event.output)), stated],
        },
      },
    },
    running: {
      invoke: {
        id: 'runCommand',
        src: 'runCommand',
        input: ({ context }) => nextRun(context),
        onDone: {
          target: 'judging',
          actions: [assign(({ context, event }) => ran(context, event.output)), stated],
        },
      },
    },
    judging: { always: [{ guard: 'stepFailed', target: 'repairing' }, { target: 'working' }] },
    commandDone: {
      entry: [assign(({ context }) => commandDone(context)), stated],
      always: 'choosing',
    },
    repairing: {
      entry: assign(({ context }) => failureQueries(context)),
      always: [{ guard: 'needsFacts', target: 'probingFailure' }, { target: 'deciding' }],
    },
    probingFailure: {
      invoke: {
        id: 'probeFailure',
        src: 'probeTree',
        input: ({ context }) => ({ cwd: context.state.repoPath, queries: context.queries }),
        onDone: {
          target: 'deciding',
          actions: assign(({ context, event }) => withAnswers(context, event.output.answers)),
        },
      },
    },
    deciding: {
      entry: [assign(({ context }) => chooseRetry(context)), stated],
      always: [{ guard: 'hasRetry', target: 'working' }, { target: 'failed' }],
    },
    succeeded: {
      type: 'final',
      entry: { type: 'record', params: ({ context }) => finished(context) },
    },
    failed: {
      type: 'final',
      entry: { type: 'record', params: ({ context }) => failedFacts(context) },
    },
  },
});
