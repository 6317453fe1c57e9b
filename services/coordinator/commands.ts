/** Carries out the wishes of command lines, from this process or over the CMDS stream: the same way for both. */
import { EngineError } from '../engine.ts';
import type { CommandMessage, CommandReply } from '../protocol.ts';
import type { Coordinator } from './coordinator.ts';

/** True when the worker's process answers; false when nobody listens for it; null when the server cannot say. */
export type IsAlive = (worker: string) => Promise<boolean | null>;

/**
 * Does one command and answers with the worker that drives the run now. Done twice it changes nothing more, so a
 * command may be delivered again.
 * @throws EngineError
 */
export async function runCommand(
  coordinator: Coordinator,
  isAlive: IsAlive,
  command: CommandMessage,
): Promise<string | null> {
  await carryOut(coordinator, isAlive, command);
  return coordinator.ownerOf(command.runId);
}

async function carryOut(coordinator: Coordinator, isAlive: IsAlive, command: CommandMessage): Promise<void> {
  const { kind, runId, by, worker, data } = command;
  if (kind === 'look') return;
  if (kind === 'start') {
    if (!data) throw new EngineError('badRequest', `the command to start run ${runId} has no data`);
    return coordinator.start(runId, data, worker);
  }
  if (kind === 'pause') return coordinator.pause(runId, by);
  if (kind === 'cancel') return coordinator.cancel(runId, by, worker);
  // A run belongs to the living process that drives it: resuming it elsewhere only follows it.
  const owner = coordinator.ownerOf(runId);
  if (owner !== null && owner !== worker && (await isAlive(owner)) !== false) {
    if (kind === 'attach') throw new EngineError('badRequest', `run ${runId} is driven by another process`);
    return;
  }
  coordinator.drive(runId, worker, kind === 'resume');
}

/** The answer to send for a command. */
export async function replyTo(work: Promise<string | null>): Promise<CommandReply> {
  try {
    return { ok: true, owner: await work };
  } catch (error) {
    const code = error instanceof EngineError ? error.code : 'internal';
    return { ok: false, code, message: (error as Error).message };
  }
}
