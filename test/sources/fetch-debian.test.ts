/** Against the real mirror of this host: one small upstream tarball and one package with Debian's patches. */
import { readdir, readFile, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openIndex } from '../../services/sources/apt-index.ts';
import { fetchDebian } from '../../services/sources/fetch-debian.ts';
import type { FetchedSource } from '../../services/sources/fetched.ts';
import { sourceIdentity } from '../../services/sources/source-identity.ts';
import { withStage } from '../../services/sources/stage.ts';
import { withTempFolder } from '../support/temp-folder.ts';

const fetched = (
  home: string,
  kind: 'deb' | 'orig',
  name: string,
  options: {
    version?: string;
    look?: (source: FetchedSource) => Promise<void>;
    mirror?: string;
    maxAgeMs?: number;
  } = {},
) =>
  withStage(home, async (stage) => {
    const { look, version, ...rest } = options;
    const source = await fetchDebian({ kind, name, version: version ?? null }, { home, stage, ...rest });
    await look?.(source);
    return source;
  });
const failure = (work: Promise<unknown>): Promise<{ code: string; message: string }> =>
  work.then(
    () => {
      throw new Error('it did not fail');
    },
    (fault) => fault,
  );

test('deb:, orig:, strict versions and names that are not there', async () => {
  await withTempFolder(async (home) => {
    const zlib = await fetched(home, 'deb', 'zlib', {
      look: async ({ folder }) => {
        assert.match(await readFile(join(folder, 'debian/changelog'), 'utf8'), /^zlib \(/);
        assert.ok((await readdir(folder)).includes('configure'));
      },
    });
    assert.match(zlib.version, /^1:1\.3/);
    // A newer version that the mirror lacks is named with the one that was taken.
    for (const note of zlib.notes) assert.match(note, /was taken, skipped was .*the mirror lacks/);
    assert.is((await fetched(home, 'deb', 'zlib', { version: zlib.version })).commit, zlib.commit);
    assert.equal(await sourceIdentity({ kind: 'deb', name: 'zlib', version: null }, home), {
      identity: zlib.version,
    });

    const hiredis = await fetched(home, 'orig', 'hiredis', {
      look: async ({ folder }) => {
        const names = await readdir(folder);
        assert.ok(names.includes('hiredis.c'), 'the top folder of the tarball is gone');
        assert.not.ok(names.includes('debian'));
      },
    });
    assert.match(hiredis.version, /^\d+\.\d+\.\d+$/);
    assert.is((await fetched(home, 'orig', 'hiredis', { version: hiredis.version })).commit, hiredis.commit);

    const missing = await failure(fetched(home, 'deb', 'no-such'));
    assert.is(missing.code, 'sourceNotFound');
    assert.match(missing.message, /trixie has no source package no-such/);
    assert.match((await failure(fetched(home, 'deb', 'zlib1g-dev'))).message, /its source is deb:zlib$/);
    const version = await failure(fetched(home, 'orig', 'hiredis', { version: '0.0.1' }));
    assert.is(version.code, 'sourceNotFound');
    assert.match(version.message, /there are .*\d/);

    // Without a network an old index still serves, and says so.
    const [mirrorFolder] = (await readdir(join(home, 'cache/apt-src'))).filter((name) =>
      /^[0-9a-f]{12}$/.test(name),
    );
    await utimes(join(home, 'cache/apt-src', mirrorFolder ?? '', 'updated'), 1e9, 1e9);
    const offline = await fetched(home, 'orig', 'hiredis', { mirror: 'http://127.0.0.1:1/debian' });
    assert.is(offline.commit, hiredis.commit);
    assert.match(offline.notes.join('\n'), /index of Debian sources is \d+ days old/);
  });
});

test('without an index and without a network the error says what could not be fetched', async () => {
  await withTempFolder(async (home) => {
    const fault = await failure(openIndex({ home, mirror: 'http://127.0.0.1:1/debian' }));
    assert.is(fault.code, 'sourceUnreachable');
    assert.match(fault.message, /trixie sources cannot be fetched from http:\/\/127\.0\.0\.1:1\/debian/);
  });
});

test.run();
