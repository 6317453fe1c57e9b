/**
 * The build-fix subgraph: build → verify → fix, until a routing function ends it.
 * Its end gives control back to `supervisor_node` (seed, architecture).
 */
import { assign, setup } from 'xstate';
import { type FactsEvent, type NodeInput, recordAction } from './actor-kit.ts';
import { buildNode } from './nodes/build-node.ts';
import { fixNode } from './nodes/fix-node.ts';
import { verifyNode } from './nodes/verify-node.ts';
import { type ParentContext, routed, takesRoute } from './parent-kit.ts';

export const buildFixMachine = setup({
  types: {} as { input: NodeInput; context: ParentContext; events: FactsEvent },
  actors: { build_node: buildNode, verify_node: verifyNode, fix_node: fixNode },
  guards: { takesRoute },
  actions: { record: recordAction },
}).createMachine({
  id: 'build_fix_subgraph',
  context: ({ input }) => ({ state: input.state }),
  on: { facts: { actions: assign({ state: ({ event }) => event.state }) } },
  initial: 'build_node',
  states: {
    build_node: {
      invoke: {
        id: 'build_node',
        src: 'build_node',
        input: ({ context }) => ({ state: context.state, visit: 0 }),
        onDone: routed('build_node', { verify_node: 'verify_node', fix_node: 'fix_node', __end__: 'ended' }),
      },
    },
    verify_node: {
      invoke: {
        id: 'verify_node',
        src: 'verify_node',
        input: ({ context }) => ({ state: context.state, visit: 0 }),
        onDone: routed('verify_node', { fix_node: 'fix_node', __end__: 'ended' }),
      },
    },
    fix_node: {
      invoke: {
        id: 'fix_node',
        src: 'fix_node',
        input: ({ context }) => ({ state: context.state, visit: 0 }),
        onDone: routed('fix_node', { build_node: 'build_node', __end__: 'ended' }),
      },
    },
    ended: { type: 'final' },
  },
});
