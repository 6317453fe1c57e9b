import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findMirror, hostAptSources, parseDeb822Sources, parseOneLineSources } from '../../sandbox/mirror.ts';
import { withTempFolder } from '../support/temp-folder.ts';

test('reads one-line sources: options, several components, comments', () => {
  const text = `
# deb http://off.example/debian trixie main
deb http://a.example/debian/ trixie main contrib # trailing
deb [arch=amd64 signed-by=/k.gpg] https://b.example/debian trixie-updates main
deb-src http://a.example/debian trixie main
`;
  assert.equal(parseOneLineSources(text), [
    { uri: 'http://a.example/debian', suites: ['trixie'], components: ['main', 'contrib'] },
    { uri: 'https://b.example/debian', suites: ['trixie-updates'], components: ['main'] },
  ]);
});

test('reads deb822 sources: several values, continued lines, comments, switched off ones', () => {
  const text = `Types: deb deb-src
# a comment inside
URIs: http://a.example/debian/
Suites: trixie
 trixie-updates
Components: main non-free-firmware
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 abc

Enabled: no
Types: deb
URIs: http://off.example
Suites: trixie
Components: main

Types: deb-src
URIs: http://source.example
Suites: trixie
Components: main
`;
  assert.equal(parseDeb822Sources(text), [
    {
      uri: 'http://a.example/debian',
      suites: ['trixie', 'trixie-updates'],
      components: ['main', 'non-free-firmware'],
    },
  ]);
});

test('never throws on any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      parseOneLineSources(text);
      parseDeb822Sources(text);
      parseDeb822Sources(`Types: deb\nURIs: ${text}\nSuites: ${text}`);
    }),
  );
});

test('reads both kinds of files in a folder, and none of others', () =>
  withTempFolder(async (folder) => {
    await mkdir(join(folder, 'sources.list.d'));
    await writeFile(join(folder, 'sources.list'), 'deb http://a.example x main\n');
    await writeFile(
      join(folder, 'sources.list.d', 'b.sources'),
      'Types: deb\nURIs: http://b.example\nSuites: x\n',
    );
    await writeFile(join(folder, 'sources.list.d', 'c.list'), 'deb http://c.example x main\n');
    await writeFile(join(folder, 'sources.list.d', 'd.list.disabled'), 'deb http://d.example x main\n');
    assert.equal(
      (await hostAptSources(folder)).map((source) => source.uri),
      ['http://a.example', 'http://b.example', 'http://c.example'],
    );
    assert.equal(await hostAptSources(join(folder, 'none')), []);
  }));

test('says what was tried and how to name a mirror when none serves the suite', async () => {
  const configured = 'http://127.0.0.1:9/debian';
  await findMirror({ suite: 'no-such-suite', architecture: 'riscv64', configured }).then(
    () => assert.unreachable(),
    (error: { code: string; message: string }) => {
      assert.is(error.code, 'sandboxUnavailable');
      assert.match(error.message, configured);
      assert.match(error.message, 'ATESOR_MIRROR');
    },
  );
});

test.run();
