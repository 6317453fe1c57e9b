/**
 * The NATS connection that a process uses at the moment. It changes when another process becomes the host of the
 * data folder: parts that live longer than one host hold the link, not a connection.
 */
import type { NatsConnection } from 'nats';

export type Attach = (connection: NatsConnection) => void;

export class NatsLink {
  #current: NatsConnection | null = null;
  readonly #attached = new Set<Attach>();

  /** The connection in use, open or on its way back; null while there is no host. */
  get current(): NatsConnection | null {
    return this.#current && !this.#current.isClosed() ? this.#current : null;
  }

  /** True when something published now would leave the process. */
  get isUp(): boolean {
    return this.current !== null;
  }

  /** Calls `attach` with the connection in use, if any, and with every later one. Answers how to end that. */
  each(attach: Attach): () => void {
    this.#attached.add(attach);
    if (this.current) attach(this.current);
    return () => void this.#attached.delete(attach);
  }

  /** Uses another connection from now on; the one before is closed. */
  async use(connection: NatsConnection | null): Promise<void> {
    const before = this.#current;
    this.#current = connection;
    if (connection) for (const attach of [...this.#attached]) attach(connection);
    if (before && before !== connection && !before.isClosed()) await before.close();
  }
}
