/** Small runs for tests of the log: real event types, with data that fit their schemas. */
import { type EventDataByType, type EventType, inputEventTypes } from '../../events/catalogue.ts';
import type { EventBody } from '../../events/envelope.ts';
import type { AppendBatch } from '../../events/log-types.ts';

export const startedData = (source = 'deb:zlib', repoName = 'zlib'): EventDataByType['run.started'] => ({
  source,
  repoName,
  platform: 'debian-riscv64',
  maxAttempts: 5,
  strict: false,
  force: false,
  optimize: false,
  emulateCpu: null,
  cachedRecipe: null,
  packageTestTimeoutS: 600,
  engine: { machines: 'test' },
});

export const requestData = (deadline = 1_000): EventDataByType['effect.requested'] => ({
  name: 'cloneRepository',
  capability: 'build',
  input: {},
  deadline,
  invoke: 'clone',
});

export const finishedData = (verdict = 'verified'): EventDataByType['run.finished'] => ({
  exitCode: 0,
  verdict,
  recipe: null,
  report: null,
  state: null,
  artifacts: [],
});

type Step = { [T in EventType]: [T, EventDataByType[T]] }[EventType];

/** Bodies of consecutive events behind `afterSeq`; `at` is the seq of the first. */
export function bodiesOf(runId: string, afterSeq: number, ...steps: Step[]): EventBody[] {
  return steps.map(([type, data], index) => {
    const seq = afterSeq + 1 + index;
    return {
      id: `${runId}-${seq}`,
      runId,
      seq,
      at: afterSeq + 1,
      kind: (inputEventTypes as readonly string[]).includes(type) ? 'input' : 'derived',
      type,
      version: 1,
      actor: 'run',
      node: null,
      visit: null,
      causationId: null,
      commit: 0,
      epoch: 0,
      data,
    };
  });
}

export function batchOf(runId: string, afterSeq: number, epoch: number, ...steps: Step[]): AppendBatch {
  return { runId, expectedSeq: afterSeq, epoch, bodies: bodiesOf(runId, afterSeq, ...steps) };
}

/** A harmless event of about `bytes` bytes. */
export const noteStep = (bytes = 10): Step => ['fix.declined', { reason: 'x'.repeat(bytes) }];
