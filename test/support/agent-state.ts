/** A state as `run.started` makes it, with fields of a test's choice. */
import type { AgentState, StateExtras } from '../../events/agent-state.ts';
import type { EventBody } from '../../events/envelope.ts';
import { initialState } from '../../events/projection/initial-state.ts';

export function agentState(
  fields: Partial<Omit<AgentState, 'x'>> = {},
  x: Partial<StateExtras> = {},
): AgentState {
  const started: EventBody<'run.started'> = {
    id: 'r-1',
    runId: 'r',
    seq: 1,
    at: 1_767_225_600_000, // 2026-01-01T00:00:00Z
    kind: 'input',
    type: 'run.started',
    version: 1,
    actor: 'run',
    node: null,
    visit: null,
    causationId: null,
    commit: 1,
    epoch: 1,
    data: {
      source: 'deb:demo',
      repoName: 'demo',
      platform: 'debian-riscv64',
      maxAttempts: 5,
      strict: false,
      force: false,
      optimize: false,
      emulateCpu: null,
      cachedRecipe: null,
      packageTestTimeoutS: 600,
      engine: {},
    },
  };
  const state = initialState(started);
  return { ...state, ...fields, x: { ...state.x, ...x } };
}
