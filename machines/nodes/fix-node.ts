/**
 * Fix node without a model: there is no deterministic fix (seed, model layer: fixer fallback), so it records
 * `FIXER proposed invalid fix`, which counts one attempt, and sets FAILED. The build error and its category stay
 * in `last_error` (design §11).
 */
import { fact } from '../actor-kit.ts';
import { noModelReason } from '../no-model.ts';
import { pureNode } from './pure-node.ts';

export const fixNode = pureNode('fix_node', ({ state }) => {
  const message = `FIXER proposed invalid fix: ${noModelReason}`;
  return [
    fact('fix.started', { errorCategory: state.lastErrorCategory ?? 'UNKNOWN' }),
    fact('error.recorded', {
      keepsLastError: true,
      error: {
        category: 'UNKNOWN',
        seedCategory: 'UNKNOWN',
        message,
        severity: 'medium',
        command: null,
        file: null,
        line: null,
        action: null,
        signature: 'UNKNOWN|fixer proposed invalid fix',
      },
    }),
    fact('fix.declined', { reason: noModelReason }),
  ];
});
