/**
 * Hands effects to workers over the TASKS stream, and says again what was not heard.
 *
 * D1 an effect is asked only after its `effect.requested` is on disk.
 * D2 what cannot be published waits; nothing that appends ever waits for it. Watchers are told.
 * D3 what has no answer is published once more after a server came back, and now and then: a store can have lost its
 *    tail. A worker knows the effects that it is doing or has done, so this costs a message and nothing else.
 */
import type { OpenEffect } from '../../machines/hosted-run.ts';
import type { NatsLink } from '../nats/link.ts';
import { encode, type StopMessage, subjects, type TaskMessage } from '../protocol.ts';

/** A publish that has no acknowledgement after this is tried again; loopback takes 0.2 ms. */
const ackTimeoutMs = 2_000;
/** How often D3 is done in quiet times, ms: what is lost is found in a minute. */
const againEveryMs = 60_000;
/** Between two tries while the server does not answer. */
const retryMs = 200;

export interface Ask {
  runId: string;
  effect: OpenEffect;
  token: number;
  worker: string;
  run: TaskMessage['run'];
}

interface Asked extends Ask {
  /** Tells this asking from another of the same effect: the server drops what it has seen before. */
  round: number;
  published: boolean;
}

export interface DispatchParts {
  link: NatsLink;
  epoch: number;
  /** Subject for the answers. */
  replyTo: string;
  /** Makes the streams again when the server has lost them. */
  ensureStreams: () => Promise<void>;
  onDown: (why: string) => void;
  onUp: () => void;
}

export class Dispatch {
  readonly #parts: DispatchParts;
  readonly #asked = new Map<string, Asked>();
  #round = 0;
  #pumping: Promise<void> | null = null;
  #isDown = false;
  #closed = false;
  readonly #again: NodeJS.Timeout;

  constructor(parts: DispatchParts) {
    this.#parts = parts;
    this.#again = setInterval(() => this.sayAgain(), againEveryMs);
  }

  ask(ask: Ask): void {
    this.#round += 1;
    this.#asked.set(ask.effect.effectId, { ...ask, round: this.#round, published: false });
    this.#pump();
  }

  /** It has its answer, or nobody waits for one. */
  settled(effectId: string): void {
    this.#asked.delete(effectId);
  }

  /** Tells the worker to stop. `pause`: no answer is wanted, it will be asked again. */
  stop(effectId: string, why: 'cancel' | 'pause'): void {
    const asked = this.#asked.get(effectId);
    if (!asked) return;
    this.#asked.delete(effectId);
    const stop: StopMessage = { why, token: asked.token };
    this.#parts.link.current?.publish(subjects.cancel(effectId), encode(stop));
  }

  /** D3. */
  sayAgain(): void {
    this.#round += 1;
    for (const asked of this.#asked.values()) Object.assign(asked, { round: this.#round, published: false });
    this.#pump();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#again);
    this.#asked.clear();
    await this.#pumping;
  }

  #pump(): void {
    this.#pumping ??= this.#publishAll().finally(() => {
      this.#pumping = null;
    });
  }

  /** Ends when nothing is left to publish; one try after the other, so that effects keep their order. */
  async #publishAll(): Promise<void> {
    for (let next = this.#next(); next && !this.#closed; next = this.#next()) {
      const failure = await this.#publish(next);
      if (failure === null) {
        next.published = true;
        if (this.#isDown) this.#parts.onUp();
        this.#isDown = false;
        continue;
      }
      if (this.#closed) return;
      if (!this.#isDown) this.#parts.onDown(failure);
      this.#isDown = true;
      await pause(retryMs);
    }
  }

  #next(): Asked | undefined {
    for (const asked of this.#asked.values()) if (!asked.published) return asked;
    return undefined;
  }

  async #publish(asked: Asked): Promise<string | null> {
    const connection = this.#parts.link.current;
    if (!connection) return 'no server';
    const { runId, effect, token, worker, run } = asked;
    const { effectId, name, input, capability } = effect;
    const task: TaskMessage = { runId, effectId, token, name, input, run, replyTo: this.#parts.replyTo };
    try {
      await connection.jetstream().publish(subjects.task(capability, worker), encode(task), {
        msgID: `${effectId}.${token}.${this.#parts.epoch}.${asked.round}`,
        timeout: ackTimeoutMs,
      });
      return null;
    } catch (error) {
      const code = (error as { code?: string }).code;
      // 503: nobody listens on the subject, so the stream is gone.
      if (code === '503') await this.#parts.ensureStreams().catch(() => {});
      return code ?? (error as Error).message;
    }
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
