/**
 * The port machine: the parent graph of ten nodes, and what comes before and after it.
 *
 * PM1 it holds the projected `AgentState`; where a node's end leads is decided by that node's routing function.
 * PM2 whatever happens, the run ends by closing the sandbox, deciding the outcome and writing the outputs.
 * PM3 a cached recipe without `--optimize` is served before the graph: three events and the end (design §11).
 */
import { assign, setup } from 'xstate';
import { effect, type FactsEvent, fact, type NodeInput, recordAction } from './actor-kit.ts';
import { buildFixMachine } from './build-fix.ts';
import { analystNode } from './nodes/analyst-node.ts';
import { cachedRecipeNode } from './nodes/cached-recipe-node.ts';
import { escalateNode } from './nodes/escalate-node.ts';
import { finishNode } from './nodes/finish-node.ts';
import { heuristicPlanNode } from './nodes/heuristic-plan-node.ts';
import { initNode } from './nodes/init-node.ts';
import { optimizeNode } from './nodes/optimize-node.ts';
import { scoutNode } from './nodes/scout-node.ts';
import { supervisorNode } from './nodes/supervisor-node.ts';
import { finishedOf, outcomeOf, servedFrom } from './outcome.ts';
import { type ParentContext, routed, takesRoute } from './parent-kit.ts';

/** `run.cancel` comes from a person; `host.escalate` from the host's limit on node visits. */
export type PortEvent = FactsEvent | { type: 'run.cancel' } | { type: 'host.escalate' };

const childInput = ({ context }: { context: ParentContext }): NodeInput => ({
  state: context.state,
  visit: 0,
});

export const portMachine = setup({
  types: {} as { input: NodeInput; context: ParentContext; events: PortEvent },
  actors: {
    init_node: initNode,
    cached_recipe_node: cachedRecipeNode,
    analyst_node: analystNode,
    heuristic_plan_node: heuristicPlanNode,
    scout_node: scoutNode,
    supervisor_node: supervisorNode,
    build_fix_subgraph: buildFixMachine,
    finish_node: finishNode,
    optimize_node: optimizeNode,
    escalate_node: escalateNode,
    closeSandbox: effect('closeSandbox'),
    writeOutputs: effect('writeOutputs'),
  },
  guards: {
    takesRoute,
    isServedFromCache: ({ context }) =>
      context.state.cachedRecipe !== null && !context.state.optimizeRequested,
  },
  actions: { record: recordAction },
}).createMachine({
  id: 'port',
  context: ({ input }) => ({ state: input.state }),
  on: {
    facts: { actions: assign({ state: ({ event }) => event.state }) },
    'run.cancel': { target: '.closing' },
    'host.escalate': { target: '.escalate_node' },
  },
  initial: 'starting',
  states: {
    starting: { always: [{ guard: 'isServedFromCache', target: 'served' }, { target: 'init_node' }] },
    served: {
      type: 'final',
      entry: { type: 'record', params: ({ context }) => servedFrom(context.state) },
    },
    init_node: {
      invoke: {
        id: 'init_node',
        src: 'init_node',
        input: childInput,
        onDone: routed('init_node', {
          escalate_node: 'escalate_node',
          cached_recipe_node: 'cached_recipe_node',
          analyst_node: 'analyst_node',
        }),
      },
    },
    cached_recipe_node: {
      invoke: {
        id: 'cached_recipe_node',
        src: 'cached_recipe_node',
        input: childInput,
        onDone: routed('cached_recipe_node', {
          escalate_node: 'escalate_node',
          supervisor_node: 'supervisor_node',
          analyst_node: 'analyst_node',
        }),
      },
    },
    analyst_node: {
      invoke: {
        id: 'analyst_node',
        src: 'analyst_node',
        input: childInput,
        onDone: routed('analyst_node', {
          escalate_node: 'escalate_node',
          heuristic_plan_node: 'heuristic_plan_node',
        }),
      },
    },
    heuristic_plan_node: {
      invoke: {
        id: 'heuristic_plan_node',
        src: 'heuristic_plan_node',
        input: childInput,
        onDone: routed('heuristic_plan_node', {
          escalate_node: 'escalate_node',
          supervisor_node: 'supervisor_node',
          scout_node: 'scout_node',
        }),
      },
    },
    scout_node: {
      invoke: { id: 'scout_node', src: 'scout_node', input: childInput, onDone: 'supervisor_node' },
    },
    supervisor_node: {
      invoke: {
        id: 'supervisor_node',
        src: 'supervisor_node',
        input: childInput,
        onDone: routed('supervisor_node', {
          finish_node: 'finish_node',
          escalate_node: 'escalate_node',
          analyst_node: 'analyst_node',
          scout_node: 'scout_node',
          build_fix_subgraph: 'build_fix_subgraph',
        }),
      },
    },
    build_fix_subgraph: {
      invoke: {
        id: 'build_fix_subgraph',
        src: 'build_fix_subgraph',
        input: childInput,
        onDone: 'supervisor_node',
      },
    },
    finish_node: {
      invoke: {
        id: 'finish_node',
        src: 'finish_node',
        input: childInput,
        onDone: routed('finish_node', {
          escalate_node: 'escalate_node',
          optimize_node: 'optimize_node',
          __end__: 'closing',
        }),
      },
    },
    optimize_node: {
      invoke: { id: 'optimize_node', src: 'optimize_node', input: childInput, onDone: 'closing' },
    },
    escalate_node: {
      invoke: { id: 'escalate_node', src: 'escalate_node', input: childInput, onDone: 'closing' },
    },
    closing: {
      invoke: {
        id: 'closeSandbox',
        src: 'closeSandbox',
        input: {},
        onDone: {
          target: 'deciding',
          actions: {
            type: 'record',
            params: ({ event }) => fact('sandbox.closed', { closed: event.output.closed }),
          },
        },
        // A sandbox that cannot be closed is found and removed at the next start; the verdict stands.
        onError: {
          target: 'deciding',
          actions: { type: 'record', params: fact('sandbox.closed', { closed: false }) },
        },
      },
    },
    deciding: {
      entry: {
        type: 'record',
        params: ({ context }) => fact('run.outcomeDecided', outcomeOf(context.state)),
      },
      always: 'writingOutputs',
    },
    writingOutputs: {
      invoke: {
        id: 'writeOutputs',
        src: 'writeOutputs',
        input: ({ context }) => ({ exitCode: outcomeOf(context.state).exitCode }),
        onDone: {
          target: 'finished',
          actions: {
            type: 'record',
            params: ({ context, event }) => fact('run.finished', finishedOf(context.state, event.output)),
          },
        },
        onError: {
          target: 'finished',
          actions: {
            type: 'record',
            params: ({ context }) => fact('run.finished', finishedOf(context.state, null)),
          },
        },
      },
    },
    finished: { type: 'final' },
  },
});
