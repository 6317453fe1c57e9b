import type { NatsConnection } from 'nats';

/** Calls `act` each time the connection was lost and is back. Ends with the connection. */
export function whenBack(connection: NatsConnection, act: () => void): void {
  void (async () => {
    for await (const status of connection.status()) if (status.type === 'reconnect') act();
  })();
}
