/**
 * Cached recipe node: turns a verified recipe cache entry into the build plan. No model (seed, architecture).
 * C1 a cached patch that does not apply is only a warning: the build decides.
 * C2 an entry without a command is cleared, and the run plans as usual.
 */
import { assign, setup } from 'xstate';
import { effect, fact, type NodeInput, recordAction } from '../actor-kit.ts';
import { cachedAnalysis, cachedPlan, hasCommands } from '../plans/cached-plan.ts';

interface CachedRecipeContext extends NodeInput {
  /** Patches still to be applied. */
  patches: readonly string[];
}

const nextPatch = (context: CachedRecipeContext): string => context.patches[0] ?? '';

export const cachedRecipeNode = setup({
  types: {} as { input: NodeInput; context: CachedRecipeContext },
  actors: { applyPatch: effect('applyPatch') },
  guards: {
    hasCommands: ({ context }) => hasCommands(context.state.cachedRecipe),
    hasPatches: ({ context }) => context.patches.length > 0,
  },
  actions: { record: recordAction },
}).createMachine({
  id: 'cached_recipe_node',
  context: ({ input }) => ({ ...input, patches: input.state.cachedRecipe?.patches ?? [] }),
  initial: 'reading',
  states: {
    reading: {
      always: [
        { guard: 'hasCommands', target: 'patching' },
        {
          target: 'ended',
          actions: {
            type: 'record',
            params: fact('cachedRecipe.entryCleared', { reason: 'it has no command' }),
          },
        },
      ],
    },
    patching: { always: [{ guard: 'hasPatches', target: 'applying' }, { target: 'planned' }] },
    applying: {
      invoke: {
        id: 'applyPatch',
        src: 'applyPatch',
        input: ({ context }) => ({ cwd: context.state.repoPath, patch: nextPatch(context) }),
        onDone: {
          target: 'patching',
          actions: [
            {
              type: 'record',
              params: ({ context, event }) =>
                fact('cachedRecipe.patchApplied', {
                  patch: nextPatch(context),
                  applied: event.output.applied,
                  message: event.output.message,
                }),
            },
            assign({ patches: ({ context }) => context.patches.slice(1) }),
          ],
        },
      },
    },
    planned: {
      entry: {
        type: 'record',
        params: ({ context: { state } }) => {
          const entry = state.cachedRecipe;
          if (!entry) return [];
          const differs = entry.sourceCommit !== state.x.sourceCommit;
          return [
            ...(differs
              ? [
                  fact('cachedRecipe.commitDiffered', {
                    cached: entry.sourceCommit,
                    current: state.x.sourceCommit,
                  }),
                ]
              : []),
            fact('cachedRecipe.planWritten', {
              plan: cachedPlan(entry),
              analysis: cachedAnalysis(entry, state),
            }),
          ];
        },
      },
      always: 'ended',
    },
    ended: { type: 'final' },
  },
});
