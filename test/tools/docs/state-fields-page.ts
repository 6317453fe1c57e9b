/** docs/generated/state-fields.md: which event writes which field of the agent state, from the reducers' own declarations. */
import type { EventBody } from '../../../events/envelope.ts';
import { initialState } from '../../../events/projection/initial-state.ts';
import { reducers } from '../../../events/projection.ts';

/** Every field of the agent state, from a fresh one. */
export const stateFields = (): string[] => {
  const data = { source: '', repoName: '', platform: '', maxAttempts: 1, engine: {} };
  return Object.keys(initialState({ runId: '', at: 0, data } as unknown as EventBody<'run.started'>));
};

/** Events that write a field after `run.started` has made it, by field. */
export const writersByField = (): Map<string, string[]> => {
  const writers = new Map<string, string[]>(stateFields().map((field) => [field, []]));
  for (const [type, reducer] of Object.entries(reducers))
    for (const field of reducer?.writes ?? []) writers.get(field)?.push(type);
  return writers;
};

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const stateFieldsPage = (): string =>
  `# Agent state: which event writes which field

\`run.started\` makes the state with all fields; every event that has a reducer also sets \`last_updated\`.
\`x\` holds what the seed's state does not have.

| field | written by |
| --- | --- |
${[...writersByField()]
  .map(([field, types]) => {
    const all = field === 'lastUpdated' ? ['every event with a reducer'] : types.map((type) => `\`${type}\``);
    return `| \`${snake(field)}\` | ${all.length === 0 ? '`run.started` only' : all.join(', ')} |\n`;
  })
  .join('')}`;
