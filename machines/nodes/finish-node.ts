/**
 * Finish node: the package's own tests, the recipe, the outputs, and what is learned.
 *
 * F1 the tests never change the build status (seed, architecture).
 * F2 an unverified build saves nothing: no examples, no recipe cache entry.
 * F3 what tests or the cache cannot do is stated and passed over; what the port promises (its files) is not.
 */
import { setup } from 'xstate';
import { effect, fact, type NodeInput, recordAction } from '../actor-kit.ts';
import { curate } from '../curate.ts';
import type { EffectFailure } from '../effects.ts';
import { noModelReason } from '../no-model.ts';
import { fallbackRecipe } from '../recipe.ts';
import { cacheEntryOf, completedFact, examplesOf, sandboxKeyOf, skippedTests, testsError } from './finish-facts.ts';

interface FinishContext extends NodeInput {
  tests: string;
  collected: Array<{ path: string; hostPath: string }>;
}

export const finishNode = setup({
  types: {} as { input: NodeInput; context: FinishContext },
  actors: {
    runPackageTests: effect('runPackageTests'),
    collectArtifacts: effect('collectArtifacts'),
    writeRecipeCache: effect('writeRecipeCache'),
    saveExamples: effect('saveExamples'),
  },
  guards: {
    testsAreOff: ({ context }) => context.state.x.packageTestTimeoutS === 0,
    isVerified: ({ context }) => context.state.artifactVerification?.verified === true,
    hasArtifacts: ({ context }) => context.state.buildArtifacts.length > 0,
  },
  actions: { record: recordAction },
}).createMachine({
  id: 'finish_node',
  context: ({ input }) => ({ ...input, tests: '', collected: [] }),
  initial: 'choosing',
  states: {
    choosing: {
      always: [
        { guard: 'testsAreOff', target: 'writing', actions: { type: 'record', params: skippedTests } },
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
          target: 'writing',
          actions: { type: 'record', params: ({ event }) => fact('finish.testsFinished', { tests: event.output }) },
        },
        onError: {
          target: 'writing',
          actions: { type: 'record', params: ({ event }) => testsError(event.error as EffectFailure) },
        },
      },
    },
    writing: {
      entry: {
        type: 'record',
        params: ({ context: { state } }) => {
          const { artifacts, dropped } = curate(state);
          return [
            fact('finish.recipeWritten', { recipe: fallbackRecipe(state), fallbackReason: noModelReason }),
            fact('finish.artifactsCurated', { artifacts, dropped }),
          ];
        },
      },
      always: [{ guard: 'hasArtifacts', target: 'collecting' }, { target: 'completed' }],
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
        onDone: [
          {
            guard: 'isVerified',
            target: 'caching',
            actions: [
              { type: 'keep', params: ({ event }) => event.output.files },
              { type: 'record', params: ({ event }) => fact('finish.artifactsCollected', event.output) },
            ],
          },
          {
            target: 'completed',
            actions: { type: 'record', params: ({ event }) => fact('finish.artifactsCollected', event.output) },
          },
        ],
      },
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
              fact('finish.recipeCached', { stored: event.output.stored, sandboxKey: sandboxKeyOf(context.state) }),
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
          actions: { type: 'record', params: ({ event }) => fact('finish.examplesSaved', { saved: event.output.saved }) },
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
