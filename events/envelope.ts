/** The envelope that every recorded fact is kept in (design: Events). */
import type { EventDataByType, EventType } from './catalogue.ts';
import type { NodeName } from './records.ts';

/** What happened, before the log gives it a place in a run. */
export interface Fact<T extends EventType = EventType> {
  type: T;
  data: EventDataByType[T];
}

/**
 * A recorded event. `seq` is 1, 2, 3 … per run without a gap; `commit` is the last seq of the transaction
 * that appended it; `at` is epoch milliseconds, given by the input (a derived event has the `at` of its
 * input): the only clock a fold sees. `id` is `<runId>-<seq>`; the id of an `effect.requested` is the
 * effect's id, so it is the same at every fold.
 */
export interface EventBody<T extends EventType = EventType> extends Fact<T> {
  id: string;
  runId: string;
  seq: number;
  at: number;
  kind: 'input' | 'derived';
  version: number;
  /** Path of the actor that stated it: `port/build_fix_subgraph#1/build_node#2`, or `run` for inputs. */
  actor: string;
  node: NodeName | null;
  visit: number | null;
  causationId: string | null;
  commit: number;
  epoch: number;
}

/** `hash` is sha256 over `prevHash` and the stored bytes of the body; the first `prevHash` is 64 zeros. */
export interface EventEnvelope<T extends EventType = EventType> extends EventBody<T> {
  prevHash: string;
  hash: string;
}

/** An event of any one type, so that `switch (event.type)` narrows `event.data`. */
export type AnyEvent = { [T in EventType]: EventBody<T> }[EventType];
export type AnyFact = { [T in EventType]: Fact<T> }[EventType];
