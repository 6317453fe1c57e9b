/** One effect as a worker does it: from the task to the outcome that is published. */
import type { EffectName } from '../../machines/effects.ts';
import { type BlobStore, type EffectContext, EffectError, type EffectHandlers } from '../effects/handler.ts';
import type { Outcome, TaskMessage } from '../protocol.ts';
import { redactValue } from '../redact.ts';
import { type FailureContext, failureOf } from './failure.ts';
import type { Sandboxes } from './sandboxes.ts';

/** A stopped handler ends within this, ms: a sandbox kills a command's tree in 5 s at most. */
const obeyMs = 8_000;

/** Why an effect is ended before its answer. `pause` and `shutdown`: no answer is wanted, it is asked again. */
export type StopReason = 'cancel' | 'pause' | 'shutdown';

export interface JobParts {
  handlers: Partial<EffectHandlers>;
  sandboxes: Sandboxes;
  blobs: BlobStore;
  /** The data folder. */
  home: string;
  failures: FailureContext;
  /** Sends live output to people watching; never waits. */
  emit: (task: TaskMessage, line: Parameters<EffectContext['emit']>[0]) => void;
}

/**
 * Does the effect and says how it ended; never throws. An effect that was stopped says `cancelled`, whatever its
 * handler made of it.
 */
export async function doEffect(parts: JobParts, task: TaskMessage, signal: AbortSignal): Promise<Outcome> {
  try {
    const handler = parts.handlers[task.name] as
      | ((input: never, context: EffectContext) => Promise<Record<string, unknown>>)
      | undefined;
    if (!handler) throw new EffectError('internal', `this worker does not know the effect ${task.name}`);
    signal.throwIfAborted();
    const output = await obeying(signal, handler(task.input as never, contextOf(parts, task, signal)));
    if (signal.aborted) return cancelled(task.name);
    return { ok: true, output: cleanOutput(parts, task.name, output) };
  } catch (error) {
    if (signal.aborted) return cancelled(task.name);
    const failure = failureOf(error, parts.failures);
    if (failure.code === 'sandboxLost') await parts.sandboxes.forget(task.runId);
    return { ok: false, error: failure };
  }
}

/** Nothing waits for ever for a handler that does not hear its signal: the run's next effect may end what it does. */
function obeying<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const onAbort = (): void => {
      timer = setTimeout(() => reject(new Error('it did not hear its signal')), obeyMs);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    });
  });
}

/** A recipe's patches and commands must come back as they were kept; they were cleaned on their way in. */
const cleanOutput = ({ failures }: JobParts, name: EffectName, output: Record<string, unknown>) =>
  name === 'readRecipeCache' ? output : (redactValue(output, failures.redact) as Record<string, unknown>);

const cancelled = (name: EffectName): Outcome => ({
  ok: false,
  error: { code: 'cancelled', message: `${name} was stopped`, retryable: false },
});

function contextOf(parts: JobParts, task: TaskMessage, signal: AbortSignal): EffectContext {
  const { runId, effectId, run } = task;
  const emit: EffectContext['emit'] = (line) => parts.emit(task, line);
  return {
    runId,
    effectId,
    home: parts.home,
    blobs: parts.blobs,
    signal,
    emit,
    closeSandbox: () => parts.sandboxes.close(runId),
    sandbox: () =>
      parts.sandboxes.get({
        runId,
        ...run,
        signal,
        onProgress: (text) => emit({ stream: 'progress', text }),
      }),
  };
}
