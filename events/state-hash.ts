/**
 * `stateHash`: what a fork or a resumed run must reproduce. Equal for two runs that did the same, whatever
 * their ids, times, durations and costs are (design §11).
 */
import { createHash } from 'node:crypto';
import type { AgentState } from './agent-state.ts';
import { canonicalJson } from './canonical-json.ts';

/** Fields at any depth that tell when, how long, how much or which run, and not what was done. */
const incidental = new Set([
  'runId',
  'createdAt',
  'lastUpdated',
  'executionStartTime',
  'timestamp',
  'durationMs',
  'durationSeconds',
  'apiCostUsd',
  'lastBuilt',
  'buildDurationSeconds',
  'hostPath',
  'folder',
  'portingRecipe', // tells the duration and the date
  'escalationReport', // so does this
]);

export function stateHash(state: AgentState): string {
  return createHash('sha256')
    .update(canonicalJson(essenceOf(state)))
    .digest('hex');
}

function essenceOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(essenceOf);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, field]) => (incidental.has(key) ? [] : [[key, essenceOf(field)]])),
  );
}
