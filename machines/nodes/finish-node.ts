/**
 * Finish node: the package's own tests, the recipe, the outputs, and what is learned.
 *
 * F1 the tests never change the build status (seed, architecture).
 * F2 an unverified build saves nothing: no examples, no recipe cache entry.
 * F3 what tests or the cache cannot do is stated and passed over; what the port promises (its files) is not.
 */
import { assign, setup } from 'xstate';
import { effect, type FactsEvent, fact, type NodeInput, recordAction } from '../actor-kit.ts';
import { curate } from '../curate.ts';
import type { EffectFailure } from '../effects.ts';
import { noModelReason } from '../no-model.ts';
import { fallbackRecipe } from '../recipe.ts';
import {
  cacheEntryOf,
  completedFact,
  examplesOf,
  sandboxKeyOf,
  skippedTests,
  testsError,
} from './finish-facts.ts';

interface FinishContext extends NodeInput {
  /** Files copied out of the sandbox in this visit. */
  collected: Array<{ path: string; hostPath: string }>;
}

export const finishNode = setup({
  types: {} as { input: NodeInput; context: FinishContext; events: FactsEvent },
  actors: {
    runPackageTests: effect('runPackageTests'),
    collectArtifacts: effect('collectArtifacts'),
    writeRecipeCache: effect('writeRecipeCache'),
    saveExamples: effect('saveExamples'),
  },
  guards: {
    testsAreOff: ({ context }) => context.state.x.packageTestTimeoutS === 0,
    isVerified: ({ context }) => context.state.artifactVerification?.verified === true,
  },
  actions: { record: recordAction },
}).createMachine({
  id: 'finish_node',
  context: ({ input }) => ({ ...input, collected: [] }),
  // The recipe tells of the tests and the curated files that this very node has stated.
  on: { facts: { actions: assign({ state: ({ event }) => event.state }) } },
  initial: 'choosing',
  states: {
    choosing: {
      exit: {
        type: 'record',
        params: ({ context }) => fact('finish.artifactsCurated', curate(context.state)),
      },
      always: [
        { guard: 'testsAreOff', target: 'collecting', actions: { type: 'record', params: skippedTests } },
        { target: 'testing' },
      ],
    },
    testing: {
      invoke: {
        id: 'runPackageTests',
        src: 'runPackageTests',
        input: ({ context: { state } }) => ({
          repoPath: state.repoPath,
          buildSystem: state.buildPlan?.buildSystem ?? 'unknown',
          moduleDir: state.buildSystemInfo?.moduleDir ?? '',
          timeoutMs: state.x.packageTestTimeoutS * 1000,
        }),
        onDone: {
          target: 'collecting',
          actions: {
            type: 'record',
            params: ({ event }) => fact('finish.testsFinished', { tests: event.output }),
          },
        },
        onError: {
          target: 'collecting',
          actions: { type: 'record', params: ({ event }) => testsError(event.error as EffectFailure) },
        },
      },
    },
    collecting: {
      invoke: {
        id: 'collectArtifacts',
        src: 'collectArtifacts',
        input: ({ context: { state } }) => ({
          repoName: state.repoName,
          repoPath: state.repoPath,
          files: state.buildArtifacts.map((artifact) => artifact.filepath),
        }),
        onDone: {
          target: 'writing',
          actions: [
            assign({ collected: ({ event }) => event.output.files }),
            { type: 'record', params: ({ event }) => fact('finish.artifactsCollected', event.output) },
          ],
        },
      },
    },
    writing: {
      entry: {
        type: 'record',
        params: ({ context: { state } }) =>
          fact('finish.recipeWritten', { recipe: fallbackRecipe(state), fallbackReason: noModelReason }),
      },
      always: [{ guard: 'isVerified', target: 'caching' }, { target: 'completed' }],
    },
    caching: {
      invoke: {
        id: 'writeRecipeCache',
        src: 'writeRecipeCache',
        input: ({ context: { state, collected } }) => ({
          repoName: state.repoName,
          sandboxKey: sandboxKeyOf(state),
          entry: cacheEntryOf(state, fallbackRecipe(state), collected),
        }),
        onDone: {
          target: 'learning',
          actions: {
            type: 'record',
            params: ({ event, context }) =>
              fact('finish.recipeCached', {
                stored: event.output.stored,
                sandboxKey: sandboxKeyOf(context.state),
              }),
          },
        },
        onError: {
          target: 'learning',
          actions: {
            type: 'record',
            params: ({ context }) =>
              fact('finish.recipeCached', { stored: false, sandboxKey: sandboxKeyOf(context.state) }),
          },
        },
      },
    },
    learning: {
      invoke: {
        id: 'saveExamples',
        src: 'saveExamples',
        input: ({ context }) => ({ examples: examplesOf(context.state) }),
        onDone: {
          target: 'completed',
          actions: {
            type: 'record',
            params: ({ event }) => fact('finish.examplesSaved', { saved: event.output.saved }),
          },
        },
        onError: {
          target: 'completed',
          actions: { type: 'record', params: fact('finish.examplesSaved', { saved: 0 }) },
        },
      },
    },
    completed: {
      type: 'final',
      entry: { type: 'record', params: ({ context }) => completedFact(context.state) },
    },
  },
});
