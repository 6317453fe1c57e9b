/**
 * The JetStream side: streams that carry events out and work in. JetStream acknowledges before it syncs, so it
 * carries and never decides; it may be wiped, and the event stream is filled again from the log.
 */
import type { JetStreamManager, NatsConnection, RetentionPolicy, StorageType, StreamConfig } from 'nats';
import { jsErrorCode, jsErrors, StreamError } from './stream-error.ts';

/** The oldest server whose features are all there: expected sequences, work queues, advisories. Source: design, Events. */
export const serverVersionMin = '2.9.0';

export const eventStream = 'ATESOR_EVENTS';

/** One exact subject a run, so that its order can be guarded by its last sequence. */
export const eventSubject = (runId: string): string => `atesor.events.${runId}`;

const nanosPerMs = 1_000_000;
/** Events stay in the stream for this long, ms; the log keeps them all. Source: engine anchors §5.5. */
export const eventMaxAgeMs = 14 * 24 * 3_600_000;
/** A message id is remembered for this long, ms. Source: engine anchors §5.5. */
const duplicateWindowMs = 10 * 60_000;

type Wanted = Pick<StreamConfig, 'name' | 'subjects' | 'retention'> & Partial<StreamConfig>;

const queue = (name: string, subjects: string[]): Wanted => ({
  name,
  subjects,
  retention: 'workqueue' as RetentionPolicy,
});

/** The streams there are. Whatever a data folder or a worker publishes is under `atesor.`. */
export const streamConfigs: readonly Wanted[] = [
  {
    name: eventStream,
    subjects: ['atesor.events.*'],
    retention: 'limits' as RetentionPolicy,
    max_age: eventMaxAgeMs * nanosPerMs,
  },
  queue('ATESOR_TASKS', ['atesor.tasks.>']),
  queue('ATESOR_RESULTS', ['atesor.results.>']),
  queue('ATESOR_CMDS', ['atesor.cmds.>']),
];

/**
 * Refuses a server that lacks what we use: an older one ignores the headers of newer features without a word.
 * @throws StreamError `serverTooOld`, `noJetStream`, `streamDown`
 */
export function checkServer(nc: Pick<NatsConnection, 'info'>): void {
  const info = nc.info;
  if (info === undefined)
    throw new StreamError('streamDown', 'the connection to NATS is closed: connect again, or check NATS_URL');
  const { version } = info;
  if (isOlder(version, serverVersionMin))
    throw new StreamError(
      'serverTooOld',
      `the NATS server is ${version}, ${serverVersionMin} is the oldest that will do: upgrade it, or unset NATS_URL`,
    );
  if (info.jetstream !== true)
    throw new StreamError(
      'noJetStream',
      `the NATS server ${version} has JetStream switched off: start it with JetStream, or unset NATS_URL`,
    );
}

function isOlder(version: string, floor: string): boolean {
  const parts = (text: string) => text.split(/[.-]/).slice(0, 3).map(Number);
  const [have, need] = [parts(version), parts(floor)];
  for (let i = 0; i < 3; i++) {
    const difference = (have[i] || 0) - (need[i] || 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/**
 * Makes the streams that are missing and brings those that are there to what we need. Done twice, or by two
 * processes at once, it changes nothing more.
 * @param options.replicas copies in a cluster; the server's own default is 1
 * @throws StreamError `serverTooOld`, `noJetStream`, `streamUnfit`, `streamDown`
 */
export async function ensureStreams(nc: NatsConnection, options: { replicas?: number } = {}): Promise<void> {
  checkServer(nc);
  const manager = await openManager(nc);
  for (const wanted of streamConfigs) await ensureStream(manager, wanted, options.replicas);
}

async function openManager(nc: NatsConnection): Promise<JetStreamManager> {
  try {
    return await nc.jetstreamManager();
  } catch (error) {
    if (jsErrorCode(error) === null) throw noAnswer('JetStream', error);
    throw new StreamError('noJetStream', `JetStream cannot be used here (${why(error)}): check the account`, {
      cause: error,
    });
  }
}

async function ensureStream(
  manager: JetStreamManager,
  wanted: Wanted,
  replicas: number | undefined,
): Promise<void> {
  const config = {
    ...wanted,
    storage: 'file' as StorageType,
    duplicate_window: duplicateWindowMs * nanosPerMs,
    ...(replicas === undefined ? {} : { num_replicas: replicas }),
  };
  try {
    const present = await findStream(manager, wanted.name);
    if (present === null) await manager.streams.add(config);
    else if (differs(present, config)) await manager.streams.update(wanted.name, config);
  } catch (error) {
    if (jsErrorCode(error) === null) throw noAnswer(`stream ${wanted.name}`, error);
    throw new StreamError(
      'streamUnfit',
      `stream ${wanted.name} cannot be made what is needed (${why(error)}): delete it, or use another server`,
      { cause: error },
    );
  }
}

async function findStream(manager: JetStreamManager, name: string): Promise<StreamConfig | null> {
  try {
    return (await manager.streams.info(name)).config;
  } catch (error) {
    if (jsErrorCode(error) === jsErrors.streamNotFound) return null;
    throw error;
  }
}

/** Only what we set counts: the server fills in the rest. */
function differs(present: StreamConfig, wanted: Partial<StreamConfig>): boolean {
  const entries = Object.entries(wanted) as [keyof StreamConfig, unknown][];
  return entries.some(([key, value]) => JSON.stringify(present[key]) !== JSON.stringify(value));
}

/** The last event of a run that the stream has. */
export interface StreamHead {
  /** Place in the stream, 0 when the run has no event there. */
  streamSeq: number;
  /** Seq in the run, 0 when there is none. */
  seq: number;
  hash: string;
}

/** @throws the client's error when the server does not answer or the stream is missing */
export async function streamHead(manager: JetStreamManager, runId: string): Promise<StreamHead> {
  try {
    const last = await manager.streams.getMessage(eventStream, { last_by_subj: eventSubject(runId) });
    return {
      streamSeq: last.seq,
      seq: Number(last.header.get(eventHeaders.seq)),
      hash: last.header.get(eventHeaders.hash),
    };
  } catch (error) {
    if (jsErrorCode(error) !== jsErrors.messageNotFound) throw error;
    return { streamSeq: 0, seq: 0, hash: '' };
  }
}

/** Headers of a published event, so that a reader can choose without parsing bodies. */
export const eventHeaders = {
  type: 'Atesor-Type',
  seq: 'Atesor-Seq',
  id: 'Atesor-Id',
  hash: 'Atesor-Hash',
} as const;

const why = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const noAnswer = (what: string, error: unknown) =>
  new StreamError('streamDown', `${what}: no answer from the NATS server (${why(error)}): try again`, {
    cause: error,
  });
