/** A real nats-server for a test: on a free port, with a store of its own, gone at the end. */
import { join } from 'node:path';
import type { NatsConnection } from 'nats';
import { connectNats } from '../../services/nats/connect.ts';
import { startEmbeddedNats } from '../../services/nats/embedded.ts';
import { withTempFolder } from './temp-folder.ts';

export interface TestServer {
  connect(): Promise<NatsConnection>;
  /** Kills the server with SIGKILL, changes its store if asked, and waits until all connections are back. */
  killAndWait(change?: (streams: string) => void): Promise<void>;
  /** Folder of its streams. */
  streams: string;
}

/** How long a killed server may take to come back, ms; 60 ms on a quiet machine. */
const backMs = 30_000;

export function withNatsServer(work: (server: TestServer, folder: string) => Promise<void>): Promise<void> {
  return withTempFolder(async (folder) => {
    const store = join(folder, 'nats');
    const streams = join(store, 'jetstream');
    let back: PromiseWithResolvers<void> | null = null;
    const server = await startEmbeddedNats({
      store,
      onRestart: (isBack, why) => (isBack ? back?.resolve() : back?.reject(new Error(why))),
    });
    const connections: NatsConnection[] = [];
    try {
      await work(
        {
          streams,
          connect: async () => {
            const connection = await connectNats({ url: server.url, token: server.token }, 'test');
            connections.push(connection);
            return connection;
          },
          killAndWait: async (change = () => {}) => {
            back = Promise.withResolvers();
            const reconnected = connections.filter((one) => !one.isClosed()).map(nextReconnect);
            const deadline = setTimeout(() => back?.reject(new Error('not back in time')), backMs);
            process.kill(server.pid, 'SIGKILL');
            // The kernel's lock on the store keeps the next server from it until this is done.
            change(streams);
            await Promise.all([back.promise, ...reconnected]).finally(() => clearTimeout(deadline));
          },
        },
        folder,
      );
    } finally {
      for (const connection of connections) await connection.close();
      await server.stop();
    }
  });
}

async function nextReconnect(connection: NatsConnection): Promise<void> {
  for await (const status of connection.status()) if (status.type === 'reconnect') return;
}
