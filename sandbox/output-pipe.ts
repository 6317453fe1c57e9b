/**
 * Real pipes for a command's output. Node's own are sockets, and `/dev/stdout` of a socket cannot be opened:
 * `tee /dev/stderr` in a build would fail inside the sandbox and nowhere else.
 */

import { closeSync, constants, openSync } from 'node:fs';
import { chown, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { hostCommandOk } from './host-command.ts';
import { isRoot, sandboxHostId } from './host-user.ts';

/** A killed tree has closed its ends; this is for what cannot happen, ms. */
const drainTimeoutMs = 5_000;

/** Makes the named pipes (0600, the sandbox's user may reopen its own). */
export async function makePipes(paths: readonly string[]): Promise<void> {
  await Promise.all(paths.map((path) => rm(path, { force: true })));
  await hostCommandOk(['mkfifo', '-m', '600', '--', ...paths], { doing: 'making pipes', timeoutMs: 10_000 });
  if (isRoot()) await Promise.all(paths.map((path) => chown(path, sandboxHostId, sandboxHostId)));
}

export class OutputPipe {
  /** The end to give to a child; close it here with `handedOver` once the child has it. */
  readonly writeEnd: number;
  readonly #reader: Socket;
  readonly #ended: Promise<void>;
  #open = true;

  constructor(path: string, onData: (chunk: Buffer) => void) {
    // Without O_NONBLOCK this would wait for a writer, which is opened next.
    const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    this.writeEnd = openSync(path, constants.O_WRONLY);
    this.#reader = new Socket({ fd: readEnd, readable: true, writable: false });
    this.#reader.on('data', onData);
    this.#ended = new Promise((resolve) => {
      this.#reader.once('end', resolve);
      this.#reader.once('error', resolve);
      this.#reader.once('close', resolve);
    });
  }

  handedOver(): void {
    if (this.#open) closeSync(this.writeEnd);
    this.#open = false;
  }

  /** Waits until every byte has been read: all other ends are closed. */
  async drained(): Promise<void> {
    this.handedOver();
    const timer = setTimeout(() => this.#reader.destroy(), drainTimeoutMs);
    await this.#ended;
    clearTimeout(timer);
    this.#reader.destroy();
  }
}
