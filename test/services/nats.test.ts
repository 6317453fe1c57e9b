/** The embedded server and the ways to reach one: a real nats-server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { connectNats, parseNatsUrl } from '../../services/nats/connect.ts';
import { startEmbeddedNats } from '../../services/nats/embedded.ts';
import { NatsLink } from '../../services/nats/link.ts';
import { processesOf } from '../support/engine.ts';
import { withTempFolder } from '../support/temp-folder.ts';

test('[N3] listens on loopback for its token alone, with JetStream, also in a folder with a blank', () =>
  withTempFolder(async (folder) => {
    const store = join(folder, 'data folder');
    mkdirSync(store);
    const server = await startEmbeddedNats({ store });
    assert.match(server.url, /^nats:\/\/127\.0\.0\.1:\d+$/);
    const connection = await connectNats({ url: server.url, token: server.token }, 'test');
    assert.is(connection.info?.jetstream, true);
    assert.is(connection.info?.max_payload, 8 * 1024 ** 2);
    await connection.close();
    const refused = await connectNats({ url: server.url, token: 'wrong' }, 'test').catch((error) => error);
    assert.is(refused.code, 'natsUnusable');
    await server.stop();
    assert.equal(processesOf(folder), []);
  }));

test('[N1] dies with the process that started it, also when that is killed', () =>
  withTempFolder(async (folder) => {
    const program = `
      const { startEmbeddedNats } = await import('${join(import.meta.dirname, '../../services/nats/embedded.ts')}');
      const server = await startEmbeddedNats({ store: '${folder}' });
      console.log(server.pid);
      setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [pid] = await once(parent.stdout, 'data');
    assert.ok(processesOf(folder).includes(`${pid}`.trim()));
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    // [N2] a second server waits for the lock of the first, which the kernel frees.
    const next = await startEmbeddedNats({ store: folder });
    assert.equal(processesOf(folder), [`${next.pid}`]);
    await next.stop();
  }));

test('reads addresses with credentials, several, and refuses others without showing them', () => {
  assert.equal(parseNatsUrl('nats://h:1'), { servers: ['h:1'] });
  assert.equal(parseNatsUrl('h'), { servers: ['h:4222'] });
  assert.equal(parseNatsUrl('tls://u:p%40ss@h,tls://u:p%40ss@i:9'), {
    servers: ['h:4222', 'i:9'],
    tls: {},
    user: 'u',
    pass: 'p@ss',
  });
  assert.equal(parseNatsUrl('nats://tok@h'), { servers: ['h:4222'], token: 'tok' });
  for (const bad of ['http://u:hunter2@h', 'nats://', 'nats://u:hunter2@h:port']) {
    try {
      parseNatsUrl(bad);
      assert.unreachable(bad);
    } catch (error) {
      assert.is((error as { code?: string }).code, 'natsUnusable');
      assert.not.match((error as Error).message, 'hunter2');
    }
  }
});

test('a link tells its users of each new connection and closes the one before', () =>
  withTempFolder(async (folder) => {
    const server = await startEmbeddedNats({ store: folder });
    const link = new NatsLink();
    let told = 0;
    const leave = link.each(() => {
      told += 1;
    });
    assert.not.ok(link.isUp);
    const first = await connectNats(server, 'first');
    await link.use(first);
    const second = await connectNats(server, 'second');
    await link.use(second);
    assert.ok(first.isClosed());
    assert.is(told, 2);
    leave();
    await link.use(null);
    assert.ok(second.isClosed());
    assert.is(told, 2);
    await server.stop();
  }));

test.run();
