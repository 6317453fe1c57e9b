/** What comes to the coordinator over NATS: results of workers, commands of other processes. */
import type { JsMsg } from 'nats';
import { LogError } from '../../events/log-error.ts';
import { EngineError, type Notice } from '../engine.ts';
import { type Consumption, consumeQueue } from '../nats/consume.ts';
import type { NatsLink } from '../nats/link.ts';
import { type CommandMessage, decode, encode, type ResultMessage, streams, subjects } from '../protocol.ts';
import { type IsAlive, replyTo, runCommand } from './commands.ts';
import type { Coordinator } from './coordinator.ts';

/** Taking an answer is one commit, some milliseconds; a message comes again after this. */
const ackWaitMs = 30_000;

/** Starts reading both queues of a data folder. */
export function readInbox(parts: {
  coordinator: Coordinator;
  link: NatsLink;
  folder: string;
  isAlive: IsAlive;
  notice: (notice: Notice) => void;
}): Consumption {
  const { coordinator, link, folder, isAlive, notice } = parts;
  const onFault = (error: Error) => notice({ code: 'fault', message: `reading messages: ${error.message}` });
  const durable = `coordinator-${folder}`;
  const results = consumeQueue(
    link,
    { stream: streams.results, filter: subjects.results(folder), durable, ackWaitMs },
    (message) => takeResult(coordinator, message, notice),
    onFault,
  );
  const commands = consumeQueue(
    link,
    { stream: streams.commands, filter: subjects.commands(folder), durable, ackWaitMs },
    async (message) => {
      const command = decode<CommandMessage>(message.data);
      const reply = await replyTo(runCommand(coordinator, isAlive, command));
      message.ack();
      if (command.replyTo) link.current?.publish(command.replyTo, encode(reply));
    },
    onFault,
  );
  return {
    async stop() {
      await Promise.all([results.stop(), commands.stop()]);
    },
  };
}

/**
 * Acknowledged once it is in the log, or once it is clear that it never can be. What cannot be written now (no
 * space, this process is ending) is not acknowledged and comes again.
 */
function takeResult(coordinator: Coordinator, message: JsMsg, notice: (notice: Notice) => void): void {
  const result = decode<ResultMessage>(message.data);
  try {
    coordinator.answer(result);
  } catch (error) {
    const { code, message: why } = error as LogError | EngineError;
    const isForLater = code === 'engineClosed' || code === 'diskFull' || !isKnown(error);
    if (isForLater) throw error;
    coordinator.keepApart(result, code);
    notice({
      code: 'resultRefused',
      message: `an answer of ${result.name} in run ${result.runId} was refused: ${why}`,
    });
  }
  message.ack();
}

const isKnown = (error: unknown): boolean => error instanceof LogError || error instanceof EngineError;
