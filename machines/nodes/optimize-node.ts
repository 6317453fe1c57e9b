/** Optimize node: runs after a finished port, only with `--optimize`. It never changes the port or its exit code. */
import { fact } from '../actor-kit.ts';
import { pureNode } from './pure-node.ts';

export const optimizeNode = pureNode('optimize_node', ({ state }) => {
  const optimization = state.artifactVerification?.verified
    ? ({
        status: 'not measured',
        reason: 'An emulated target gives no meaningful timing, and no real hardware is configured.',
      } as const)
    : ({ status: 'skipped', reason: 'The port is not verified.' } as const);
  return [fact('optimize.finished', { optimization, machineProfile: null })];
});
