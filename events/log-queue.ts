/** Group commit: what is appended in one turn of the event loop shares one transaction and one fsync. */
import type { AppendBatch, AppendResult } from './log-types.ts';

/** A batch's outcome, once its transaction is committed. */
export type BatchOutcome = { result: AppendResult } | { error: unknown };

/** Batches in one transaction at most, so that a flood does not hold the event loop. Source: bench, 64 saturates. */
const batchesMax = 256;

interface Waiting {
  batch: AppendBatch;
  resolve(result: AppendResult): void;
  reject(error: unknown): void;
}

/**
 * Queues batches for `commitAll`, which commits many at once and says of each how it ended; when it throws,
 * nothing was committed and all are refused.
 */
export function groupCommit(commitAll: (batches: AppendBatch[]) => BatchOutcome[]): {
  append(batch: AppendBatch): Promise<AppendResult>;
  flush(): void;
} {
  let queue: Waiting[] = [];
  let scheduled = false;

  const flush = (): void => {
    scheduled = false;
    const now = queue.slice(0, batchesMax);
    queue = queue.slice(batchesMax);
    if (now.length === 0) return;
    settle(now, commitAll);
    if (queue.length > 0) schedule();
  };
  const schedule = (): void => {
    if (scheduled) return;
    scheduled = true;
    setImmediate(flush);
  };
  return {
    append: (batch) =>
      new Promise((resolve, reject) => {
        queue.push({ batch, resolve, reject });
        schedule();
      }),
    flush: () => {
      for (let left = Math.ceil(queue.length / batchesMax); left > 0; left--) flush();
    },
  };
}

function settle(waiting: Waiting[], commitAll: (batches: AppendBatch[]) => BatchOutcome[]): void {
  let outcomes: BatchOutcome[];
  try {
    outcomes = commitAll(waiting.map((one) => one.batch));
  } catch (error) {
    for (const one of waiting) one.reject(error);
    return;
  }
  waiting.forEach((one, index) => {
    const outcome = outcomes[index] as BatchOutcome;
    if ('result' in outcome) one.resolve(outcome.result);
    else one.reject(outcome.error);
  });
}
