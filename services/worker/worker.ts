/**
 * The worker: takes its tasks from NATS, does them, publishes their outcomes.
 *
 * W1 a task is acknowledged only after its outcome is in the RESULTS stream; until then it is kept alive.
 * W2 an effect that is being done is not begun a second time, and one that was done is not done again: its outcome
 *    is published once more, under the token of the latest asking.
 * W3 effects of one run follow each other; at most `slots` runs are worked on at the same time.
 * W4 the log's token decides what counts; a worker only repeats the token that it was given.
 */
import type { JsMsg, NatsConnection } from 'nats';
import type { Notice } from '../engine.ts';
import { consumeQueue } from '../nats/consume.ts';
import type { NatsLink } from '../nats/link.ts';
import {
  decode,
  encode,
  type Outcome,
  type ResultMessage,
  type StopMessage,
  streams,
  subjects,
  type TaskMessage,
} from '../protocol.ts';
import { doEffect, type JobParts, type StopReason } from './job.ts';
import { publishResult } from './results.ts';

/** A task comes again when its worker was silent for this long. Source: engine anchors §5.5. */
const ackWaitMs = 30_000;
const aliveEveryMs = 10_000;
/** The server forgets a worker's queue after this; longer than any pause of a living process. */
const inactiveMs = 120_000;
/** Effects remembered for W2, and those called off: far more than are on their way at any time. */
const keptMax = 128;
/** How long `stop` waits for handlers to give up after their signal; a command's tree is killed in far less. */
const stopDeadlineMs = 10_000;

export interface WorkerParts extends Omit<JobParts, 'emit'> {
  id: string;
  link: NatsLink;
  slots: number;
  notice: (notice: Notice) => void;
}

interface Job {
  task: TaskMessage;
  message: JsMsg;
  controller: AbortController;
  /** Settles when nothing of the effect is left. */
  done: Promise<void>;
}

export class Worker {
  readonly #parts: WorkerParts;
  readonly #job: JobParts;
  readonly #jobs = new Map<string, Job>();
  /** Ends of the latest job of each run: the next one begins after it. */
  readonly #tails = new Map<string, Promise<void>>();
  readonly #outcomes = new Map<string, Outcome>();
  /** Tokens of askings that were called off. */
  readonly #stopped = new Map<string, number>();
  readonly #waiting: Array<() => void> = [];
  #running = 0;
  readonly #closing = new AbortController();
  readonly #endings: Array<() => Promise<void> | void> = [];

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    const { failures, link } = parts;
    this.#job = {
      ...parts,
      emit: (task, line) => {
        const text = { ...line, text: failures.redact(line.text) };
        link.current?.publish(subjects.output(task.runId, task.effectId), encode(text));
      },
    };
  }

  start(): void {
    const { id, link, notice } = this.#parts;
    const queue = {
      stream: streams.tasks,
      filter: subjects.tasksOf(id),
      durable: `worker-${id}`,
      ackWaitMs,
      inactiveMs,
    };
    const reading = consumeQueue(
      link,
      queue,
      (message) => this.#accept(message),
      (error) =>
        notice({ code: 'fault', message: `worker ${id} could not read its tasks: ${error.message}` }),
    );
    const leave = link.each((connection) => this.#listen(connection));
    const alive = setInterval(() => {
      for (const job of this.#jobs.values()) job.message.working();
    }, aliveEveryMs);
    this.#endings.push(
      () => clearInterval(alive),
      leave,
      () => reading.stop(),
    );
  }

  /** Ends what is being done (without an answer: it is asked again) and stops taking tasks. Safe to call twice. */
  async stop(): Promise<void> {
    this.#closing.abort();
    for (const job of this.#jobs.values()) job.controller.abort('shutdown' satisfies StopReason);
    const jobs = Promise.all([...this.#jobs.values()].map((job) => job.done));
    await Promise.race([jobs, pause(stopDeadlineMs)]);
    for (const end of this.#endings.splice(0)) await end();
    await this.#parts.sandboxes.release();
  }

  /** Requests that need no store: is it alive, and stop an effect. They end with the connection. */
  #listen(connection: NatsConnection): void {
    connection.subscribe(subjects.alive(this.#parts.id), {
      callback: (_, message) => void message.respond(),
    });
    connection.subscribe(subjects.anyCancel, {
      callback: (_, message) => {
        const effectId = message.subject.split('.').at(-1) ?? '';
        const { why, token } = decode<StopMessage>(message.data);
        // Remembered, for the stop may overtake its task.
        keep(this.#stopped, effectId, token);
        this.#jobs.get(effectId)?.controller.abort(why);
      },
    });
  }

  #accept(message: JsMsg): void {
    const task = decode<TaskMessage>(message.data);
    if (task.token <= (this.#stopped.get(task.effectId) ?? -1)) {
      message.ack();
      return;
    }
    const known = this.#jobs.get(task.effectId);
    if (known && !known.controller.signal.aborted) {
      known.message.ack(); // W2: the newer message stands for both
      known.message = message;
      known.task.token = Math.max(known.task.token, task.token);
      return;
    }
    const before = this.#tails.get(task.runId) ?? Promise.resolve();
    const job: Job = { task, message, controller: new AbortController(), done: Promise.resolve() };
    this.#jobs.set(task.effectId, job);
    job.done = before.then(() => this.#do(job)).catch((error) => this.#fault(task, error as Error));
    this.#tails.set(task.runId, job.done);
    void job.done.then(() => {
      if (this.#jobs.get(task.effectId) === job) this.#jobs.delete(task.effectId);
      if (this.#tails.get(task.runId) === job.done) this.#tails.delete(task.runId);
    });
  }

  async #do(job: Job): Promise<void> {
    const { task, controller } = job;
    await this.#slot();
    let outcome: Outcome;
    try {
      outcome = this.#outcomes.get(task.effectId) ?? (await doEffect(this.#job, task, controller.signal));
    } finally {
      this.#freeSlot();
    }
    if (this.#closing.signal.aborted) return; // unacknowledged on purpose: the log's open effect is asked again
    const reason = controller.signal.aborted ? (controller.signal.reason as StopReason) : null;
    if (reason === null) keep(this.#outcomes, task.effectId, outcome);
    if (reason !== 'pause')
      await publishResult(this.#parts, () => this.#result(job, outcome), this.#closing.signal);
    job.message.ack();
  }

  /** Made anew for each try: the token may have been raised meanwhile. */
  #result({ task }: Job, outcome: Outcome): { subject: string; result: ResultMessage } {
    const { runId, effectId, name, token } = task;
    return {
      subject: task.replyTo,
      result: { runId, effectId, name, token, worker: this.#parts.id, outcome },
    };
  }

  async #slot(): Promise<void> {
    if (this.#running < this.#parts.slots) this.#running += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** A waiting job takes the slot over. */
  #freeSlot(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#running -= 1;
  }

  #fault(task: TaskMessage, error: Error): void {
    this.#parts.notice({
      code: 'fault',
      message: `effect ${task.effectId} (${task.name}): ${error.message}`,
    });
  }
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });

/** Keeps the latest entries of a map, in the order they were set. */
function keep<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= keptMax) return;
    map.delete(oldest);
  }
}
