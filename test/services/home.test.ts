import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readHostFile, writeHostFile } from '../../services/coordinator/host-file.ts';
import { tryHostLock } from '../../services/coordinator/lock.ts';
import { homeId, homeLayout, homePath, openHome } from '../../services/home.ts';
import { withTempFolder } from '../support/temp-folder.ts';

test('the data folder is where the environment says, else where the user may write', () => {
  assert.is(homePath({ ATESOR_HOME: '/a/b' }, 0), '/a/b');
  assert.is(homePath({ ATESOR_HOME: '' }, 0), '/var/lib/atesor');
  assert.is(homePath({ XDG_DATA_HOME: '/x', HOME: '/h' }, 1000), '/x/atesor');
  assert.is(homePath({ HOME: '/h' }, 1000), '/h/.local/share/atesor');
});

test('looking where things are makes nothing; opening makes all folders, twice without harm', () =>
  withTempFolder(async (folder) => {
    const root = join(folder, 'new');
    homeLayout(root);
    assert.not.ok(existsSync(root));
    const home = openHome(root);
    openHome(root);
    for (const path of [home.blobs, home.nats, home.roots, home.runs, home.output, home.cache]) {
      assert.ok(statSync(path).isDirectory(), path);
    }
  }));

test('a data folder has one id for good', () =>
  withTempFolder(async (folder) => {
    const id = homeId(folder);
    assert.match(id, /^[0-9a-f]{16}$/);
    assert.is(homeId(folder), id);
  }));

test('a file in its place is named', () =>
  withTempFolder(async (folder) => {
    const path = join(folder, 'file');
    writeFileSync(path, '');
    for (const root of [path, join(path, 'below')]) {
      try {
        openHome(root);
        assert.unreachable();
      } catch (error) {
        assert.is((error as { code?: string }).code, 'homeUnwritable');
        assert.match((error as Error).message, root);
      }
    }
  }));

test('one holds the host lock at a time, and it leaves nothing behind', () =>
  withTempFolder(async (folder) => {
    const first = tryHostLock(folder);
    assert.ok(first);
    assert.is(tryHostLock(folder), null);
    first?.release();
    const second = tryHostLock(folder);
    assert.ok(second);
    assert.not.ok(existsSync(join(folder, 'coordinator.lock-journal')));
    second?.release();
  }));

test('the host file is whole, secret and read back', () =>
  withTempFolder(async (folder) => {
    assert.is(readHostFile(folder), null);
    const file = {
      pid: 1,
      startedAt: 2,
      natsUrl: 'nats://127.0.0.1:3',
      token: 't',
      epoch: 4,
      worker: 'w',
      folder: 'f',
    };
    writeHostFile(folder, file);
    assert.equal(readHostFile(folder), file);
    assert.is(statSync(join(folder, 'coordinator.json')).mode & 0o777, 0o600);
    mkdirSync(join(folder, 'other'));
    writeFileSync(join(folder, 'other', 'coordinator.json'), '{"pid": 1');
    assert.is(readHostFile(join(folder, 'other')), null);
  }));

test.run();
