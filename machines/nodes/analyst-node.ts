/**
 * Analyst node without a model: writes the seed's fallback analysis from the scripted detection, with
 * `llmGrounded` false. It always writes one; an absent analysis means that the node crashed.
 */
import { fact } from '../actor-kit.ts';
import { noModelReason } from '../no-model.ts';
import { fallbackAnalysis } from '../plans/fallback-analysis.ts';
import { factsOf } from '../plans/state-facts.ts';
import { pureNode } from './pure-node.ts';

export const analystNode = pureNode('analyst_node', ({ state }) => [
  fact('analyst.analysisWritten', {
    analysis: fallbackAnalysis(factsOf(state), state.repoName),
    fallbackReason: noModelReason,
  }),
]);
