/** Phases that fetch reach the world and not this machine. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createChrootDriver } from '../../sandbox/chroot-driver.ts';
import { findMirror } from '../../sandbox/mirror.ts';
import { childrenWith, until } from '../support/processes.ts';
import { withTempFolder } from '../support/temp-folder.ts';
import { testHome } from '../support/test-home.ts';
import { shell } from './contract.ts';

test('a fetching command reaches a mirror by name, and no server on the loopback of the host', () =>
  withTempFolder(async (folder) => {
    const server = createServer((_, response) => response.end('host')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const driver = createChrootDriver({ home: testHome(), runsDir: folder });
    const sandbox = await driver.open({ runId: 'fetch', platform: 'debian-riscv64', strict: false });
    try {
      const mirror = await findMirror({ suite: 'trixie', architecture: 'riscv64' });
      const release = `curl -sS --fail ${mirror}/dists/trixie/Release | grep ^Codename`;
      const fetched = await shell(sandbox, release, { network: 'fetch' });
      assert.is(fetched.stdout, 'Codename: trixie\n', fetched.stderr);
      const reach = `for host in 127.0.0.1 10.0.2.2 localhost; do curl -s -m 5 http://$host:${port}/; done; echo end`;
      assert.is((await shell(sandbox, reach, { network: 'fetch' })).stdout, 'end\n');
      assert.is.not((await shell(sandbox, release)).exitCode, 0, 'off again');
      const ended = await shell(sandbox, 'sleep 100', { network: 'fetch', timeoutMs: 1500 });
      assert.is(ended.timedOut, true);
      await until(async () => (await childrenWith('slirp4netns')).length === 0, 'the network helper is gone');
    } finally {
      await sandbox.close();
      server.close();
    }
  }));

test.run();
