/**
 * The one place where the agent state becomes JSON with the seed's names, and back to nothing else: snake_case
 * keys, durations in seconds, times as ISO 8601. Keys that are data (paths, cache keys, names) stay as they are.
 */
import type { AgentState } from './agent-state.ts';

/** Fields whose keys are data, not names. */
const keyedByData = new Set([
  'fileContentCache',
  'commandResultsCache',
  'replanAttemptsBySignature',
  'riscVAvailable',
  'versionConstraints',
  'toolVersions',
  'limits',
  'languages',
]);

/** Epoch-millisecond fields that a person reads as a date. */
const dates = new Set(['timestamp', 'createdAt', 'lastUpdated']);

/** Milliseconds that the seed gives in seconds. */
const secondsOf: Readonly<Record<string, string>> = { durationMs: 'duration_seconds' };

export function agentStateToJson(state: AgentState): Record<string, unknown> {
  const json = convert(state) as Record<string, unknown>;
  json.execution_start_time = state.executionStartTime / 1000;
  return json;
}

function convert(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(convert);
  if (typeof value !== 'object' || value === null) return value;
  const result: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) {
    if (field === undefined) continue;
    const inSeconds = secondsOf[key];
    if (inSeconds && typeof field === 'number') result[inSeconds] = field / 1000;
    else if (dates.has(key) && typeof field === 'number')
      result[snakeCase(key)] = new Date(field).toISOString();
    else if (keyedByData.has(key) && isRecord(field)) result[snakeCase(key)] = convertValues(field);
    else result[snakeCase(key)] = convert(field);
  }
  return result;
}

const convertValues = (record: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, convert(value)]));

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `riscVAvailable` → `risc_v_available`, `sha256` → `sha256`. */
export const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
