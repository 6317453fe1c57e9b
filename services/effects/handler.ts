/** What an effect handler gets and gives. A handler is done at least once: each says why twice is harmless. */
import type { EffectErrorCode, EffectInput, EffectName, EffectOutput } from '../../machines/effects.ts';
import type { Sandbox } from '../../sandbox/driver.ts';

export interface BlobStore {
  /** Stores bytes, returns their sha256 in hex. Durable (fsync) before it returns. */
  put(bytes: Uint8Array): Promise<string>;
  putFile(path: string): Promise<string>;
  /** Stores a stream in bounded memory. */
  putStream(
    chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): Promise<{ digest: string; size: number }>;
  /** Stores a stream in bounded memory. */
  putStream(
    chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): Promise<{ digest: string; size: number }>;
  get(digest: string): Promise<Uint8Array>;
  has(digest: string): boolean;
}

export interface EffectContext {
  runId: string;
  effectId: string;
  /** The data folder ($ATESOR_HOME). */
  home: string;
  blobs: BlobStore;
  signal: AbortSignal;
  /** Live output for people watching; never recorded by itself. */
  emit(line: { stream: 'stdout' | 'stderr' | 'progress'; text: string }): void;
  /** The run's sandbox; opens it again after a restart of the worker. @throws EffectError */
  sandbox(): Promise<Sandbox>;
  /** Ends the run's sandbox and drops its files; false when there was none. */
  closeSandbox(): Promise<boolean>;
}

export type EffectHandler<N extends EffectName> = (
  input: EffectInput<N>,
  context: EffectContext,
) => Promise<EffectOutput<N>>;

export type EffectHandlers = { [N in EffectName]: EffectHandler<N> };

/** An effect that could not be done. */
export class EffectError extends Error {
  readonly code: EffectErrorCode;
  readonly retryable: boolean;
  constructor(
    code: EffectErrorCode,
    message: string,
    options: { retryable?: boolean; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'EffectError';
    this.code = code;
    this.retryable = options.retryable ?? false;
  }
}
