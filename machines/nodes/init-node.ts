/**
 * Init node: opens a clean sandbox, puts the source into it and analyses it by script. No model.
 * I1 a failed clone records an error of severity high and sets FAILED (seed: a clone that fails).
 * I2 a failed analysis is no failed port: the run goes on without facts (upstream facts §3.6).
 */
import { assign, setup } from 'xstate';
import { effect, fact, type NodeInput, recordAction } from '../actor-kit.ts';
import type { EffectFailure, EffectOutput } from '../effects.ts';
import { noFactsScan } from '../plans/no-facts.ts';
import { cloneFailedFacts, missingToolsOf } from './init-facts.ts';

interface InitContext extends NodeInput {
  repoPath: string;
}

const sourceFailures = ['badSource', 'sourceNotFound', 'sourceUnreachable', 'timedOut', 'denied'];

export const initNode = setup({
  types: {} as { input: NodeInput; context: InitContext },
  actors: {
    openSandbox: effect('openSandbox'),
    cloneRepository: effect('cloneRepository'),
    scanRepository: effect('scanRepository'),
  },
  guards: {
    isSourceFailure: (_, failure: EffectFailure) => sourceFailures.includes(failure.code),
    isScriptFailure: (_, failure: EffectFailure) =>
      failure.code === 'internal' || failure.code === 'timedOut',
  },
  actions: { record: recordAction },
}).createMachine({
  id: 'init_node',
  context: ({ input }) => ({ ...input, repoPath: input.state.repoPath }),
  initial: 'opening',
  states: {
    opening: {
      invoke: {
        id: 'openSandbox',
        src: 'openSandbox',
        input: ({ context }) => ({ platform: context.state.x.platform, strict: context.state.x.strict }),
        onDone: {
          target: 'cloning',
          actions: { type: 'record', params: ({ event }) => fact('init.sandboxOpened', event.output) },
        },
      },
    },
    cloning: {
      invoke: {
        id: 'cloneRepository',
        src: 'cloneRepository',
        input: ({ context: { state } }) => ({
          source: state.x.source,
          repoName: state.repoName,
          repoPath: state.repoPath,
        }),
        onDone: {
          target: 'scanning',
          actions: [
            assign({ repoPath: ({ event }) => event.output.path }),
            { type: 'record', params: ({ event }) => fact('init.repositoryCloned', event.output) },
          ],
        },
        onError: {
          guard: { type: 'isSourceFailure', params: ({ event }) => event.error as EffectFailure },
          target: 'ended',
          actions: {
            type: 'record',
            params: ({ event, context }) => cloneFailedFacts(context.state, event.error as EffectFailure),
          },
        },
      },
    },
    scanning: {
      invoke: {
        id: 'scanRepository',
        src: 'scanRepository',
        input: ({ context }) => ({ repoPath: context.repoPath, repoName: context.state.repoName }),
        onDone: {
          target: 'ended',
          actions: { type: 'record', params: ({ event }) => scannedFact(event.output) },
        },
        onError: {
          guard: { type: 'isScriptFailure', params: ({ event }) => event.error as EffectFailure },
          target: 'ended',
          actions: { type: 'record', params: scannedFact(noFactsScan) },
        },
      },
    },
    ended: { type: 'final' },
  },
});

function scannedFact(scan: EffectOutput<'scanRepository'>) {
  return fact('init.repositoryScanned', { scan, missingTools: missingToolsOf(scan) });
}
