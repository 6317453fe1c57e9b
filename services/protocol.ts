/**
 * What coordinator, workers and command lines say to each other over NATS: subjects and message shapes. JSON.
 *
 * Stored (JetStream, work queues): tasks, results, commands. Not stored (core NATS): cancel, output, alive.
 */
import type { EventDataByType } from '../events/catalogue.ts';
import type { Capability, EffectFailure, EffectName } from '../machines/effects.ts';

export const streams = { tasks: 'ATESOR_TASKS', results: 'ATESOR_RESULTS', commands: 'ATESOR_CMDS' } as const;

/** Ids are made of letters, digits, `-`, `_` and `#`-free: none holds a dot, blank or wildcard. */
export const subjects = {
  task: (capability: Capability, worker: string) => `atesor.tasks.${capability}.${worker}`,
  tasksOf: (worker: string) => `atesor.tasks.*.${worker}`,
  results: (folder: string) => `atesor.results.${folder}`,
  commands: (folder: string) => `atesor.cmds.${folder}`,
  events: (runId: string) => `atesor.events.${runId}`,
  cancel: (effectId: string) => `atesor.cancel.${effectId}`,
  anyCancel: 'atesor.cancel.*',
  output: (runId: string, effectId: string) => `atesor.out.${runId}.${effectId}`,
  outputOf: (runId: string) => `atesor.out.${runId}.*`,
  /** A worker answers requests here for as long as it lives. */
  alive: (worker: string) => `atesor.alive.${worker}`,
};

/** An effect to be done, with the token that its answer must carry. */
export interface TaskMessage {
  runId: string;
  effectId: string;
  token: number;
  name: EffectName;
  input: Record<string, unknown>;
  /** What a sandbox of the run has to be, so that a worker without the log can open it again. */
  run: { platform: string; strict: boolean };
  /** Subject of the coordinator that asks. */
  replyTo: string;
}

/** Ends an effect, or keeps one from being begun whose task is still on its way. */
export interface StopMessage {
  /** `pause`: no answer is wanted, it will be asked again under a higher token. */
  why: 'cancel' | 'pause';
  token: number;
}

export type Outcome = { ok: true; output: Record<string, unknown> } | { ok: false; error: EffectFailure };

export interface ResultMessage {
  runId: string;
  effectId: string;
  name: EffectName;
  token: number;
  worker: string;
  outcome: Outcome;
}

export type CommandKind = 'start' | 'resume' | 'attach' | 'pause' | 'cancel' | 'look';

/** A wish of a command line. `attach` says to a new host: this run is mine, go on with it. `look` only asks. */
export interface CommandMessage {
  /** Unique: the same command delivered twice is done once. */
  id: string;
  kind: CommandKind;
  runId: string;
  /** Who asks, for the record: `cli`, `interrupt`. */
  by: string;
  /** The worker that is to do the run's effects. */
  worker: string;
  data?: EventDataByType['run.started'];
  /** Inbox for the answer. */
  replyTo?: string;
}

/** `owner` is the worker that drives the run now, null when nobody does. */
export type CommandReply = { ok: true; owner: string | null } | { ok: false; code: string; message: string };

export const encode = (message: unknown): Uint8Array => Buffer.from(JSON.stringify(message));
/** @throws SyntaxError: not JSON */
export const decode = <T>(bytes: Uint8Array): T => JSON.parse(Buffer.from(bytes).toString('utf8')) as T;
