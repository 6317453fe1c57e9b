/** A node that needs nothing from the world: it looks at the state, states its facts and is done. */
import { setup } from 'xstate';
import type { AnyFact } from '../../events/envelope.ts';
import { type NodeInput, recordAction } from '../actor-kit.ts';

export const pureNode = (id: string, decide: (input: NodeInput) => AnyFact[]) =>
  setup({
    types: {} as { input: NodeInput; context: NodeInput },
    actions: { record: recordAction },
  }).createMachine({
    id,
    context: ({ input }) => input,
    initial: 'deciding',
    states: {
      deciding: {
        entry: { type: 'record', params: ({ context }) => decide(context) },
        always: 'decided',
      },
      decided: { type: 'final' },
    },
  });
