/** This process as a client: another process hosts the data folder, and is reached over NATS. */
import { createInbox, type NatsConnection } from 'nats';
import { EngineError, type EngineErrorCode, engineErrorCodes } from '../engine.ts';
import { connectNats } from '../nats/connect.ts';
import { whenBack } from '../nats/when-back.ts';
import { type CommandMessage, type CommandReply, decode, encode, subjects } from '../protocol.ts';
import { type HostFile, readHostFile } from './host-file.ts';
import type { RoleParts } from './host-role.ts';

/** A host answers a command in some milliseconds; one that has just begun may take seconds. */
const replyMs = 5_000;
const aliveMs = 2_000;

export interface ClientRole {
  readonly kind: 'client';
  readonly host: HostFile;
  command(command: CommandMessage): Promise<string | null>;
  close(): Promise<void>;
}

/** No answer: the host may be gone. The caller tries again with whoever hosts then. */
export class NoHost extends Error {}

/**
 * Reaches the host that `coordinator.json` names, or answers null when there is none (yet).
 * `onBack` is called when the connection was lost and is back.
 */
export async function joinHost(parts: RoleParts, onBack: () => void): Promise<ClientRole | null> {
  const { home, options, link } = parts;
  const host = readHostFile(home.root);
  if (!host) return null;
  const target = options.natsUrl
    ? { url: options.natsUrl, creds: options.natsCreds }
    : { url: host.natsUrl, token: host.token ?? undefined };
  if (!target.url) {
    throw new EngineError(
      'hostUnreachable',
      'the host of this data folder uses a NATS server: set NATS_URL to the same one',
    );
  }
  let connection: NatsConnection;
  try {
    connection = await connectNats(target, `atesor client ${process.pid}`);
    await connection.request(subjects.alive(host.worker), undefined, { timeout: aliveMs });
  } catch {
    return null;
  }
  await link.use(connection);
  whenBack(connection, onBack);
  return {
    kind: 'client',
    host,
    command: (command) => send(connection, host.folder, command),
    close: () => link.use(null),
  };
}

/** @throws EngineError what the host said; NoHost */
async function send(
  connection: NatsConnection,
  folder: string,
  command: CommandMessage,
): Promise<string | null> {
  const inbox = createInbox();
  const answer = connection.subscribe(inbox, { max: 1 });
  const deadline = setTimeout(() => answer.unsubscribe(), replyMs);
  try {
    await connection
      .jetstream()
      .publish(subjects.commands(folder), encode({ ...command, replyTo: inbox }), { timeout: replyMs })
      .catch((error) => {
        throw new NoHost(`no server for the command: ${(error as Error).message}`);
      });
    for await (const message of answer) {
      const reply = decode<CommandReply>(message.data);
      if (reply.ok) return reply.owner;
      throw new EngineError(codeOf(reply.code), reply.message);
    }
    throw new NoHost('no answer to the command');
  } finally {
    clearTimeout(deadline);
    answer.unsubscribe();
  }
}

const codeOf = (code: string): EngineErrorCode =>
  engineErrorCodes.find((known) => known === code) ?? 'internal';
