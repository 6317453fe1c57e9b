/** What is read from packages without running their scripts. */
import { mkdir, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { alternativesOf, makeAlternatives } from '../../sandbox/alternatives.ts';
import { isPackageName } from '../../sandbox/apt.ts';
import {
  field,
  installedPackages,
  statusFile,
  statusParagraph,
  statusParagraphs,
} from '../../sandbox/dpkg-status.ts';
import { withTempFolder } from '../support/temp-folder.ts';

test('reads literal alternatives with their slaves, manual pages left out', () => {
  const script = `#!/bin/sh
set -e
if [ "$1" = configure ]; then
  update-alternatives --install /usr/bin/yacc yacc /usr/bin/bison.yacc 50 \\
    --slave /usr/share/man/man1/yacc.1.gz yacc.1.gz /usr/share/man/man1/bison.yacc.1.gz \\
    --slave /usr/bin/yyy yyy /usr/bin/bison.yyy
  update-alternatives --quiet --install "/usr/bin/lua" 'lua-interpreter' "/usr/bin/lua5.4" 140 || true
  update-alternatives --install $link name /usr/bin/x 10
fi`;
  assert.equal(alternativesOf(script), [
    { link: '/usr/bin/yacc', target: '/usr/bin/bison.yacc', priority: 50 },
    { link: '/usr/bin/yyy', target: '/usr/bin/bison.yyy', priority: 50 },
    { link: '/usr/bin/lua', target: '/usr/bin/lua5.4', priority: 140 },
  ]);
});

test('reads any text without a fault, and never a path that leaves the tree', () => {
  const word = fc.oneof(
    fc.string(),
    fc.constantFrom('/usr/bin/x', '--slave', '../..', '/../etc', '5', '\\\n', '$x'),
  );
  fc.assert(
    fc.property(fc.array(word), (words) => {
      for (const { link, target } of alternativesOf(`update-alternatives --install ${words.join(' ')}`))
        assert.not.match(link + target, /\.\.|\$/);
    }),
  );
});

test('makes links with targets in the tree only, by priority, and leaves files alone', () =>
  withTempFolder(async (tree) => {
    await mkdir(join(tree, 'usr/bin'), { recursive: true });
    for (const name of ['mawk', 'gawk', 'own']) await writeFile(join(tree, 'usr/bin', name), '');
    const made = await makeAlternatives(tree, [
      { link: '/usr/bin/awk', target: '/usr/bin/mawk', priority: 5 },
      { link: '/usr/bin/awk', target: '/usr/bin/gawk', priority: 10 },
      { link: '/bin/nawk', target: '/bin/gawk', priority: 1 },
      { link: '/usr/bin/own', target: '/usr/bin/mawk', priority: 9 },
      { link: '/usr/bin/none', target: '/usr/bin/not-there', priority: 9 },
    ]);
    assert.equal(made.sort(), ['/bin/nawk', '/usr/bin/awk']);
    assert.is(await readlink(join(tree, 'usr/bin/awk')), '/usr/bin/gawk');
  }));

test('a status file says that packages are installed, and a later version replaces an earlier', () => {
  const one = statusParagraph('Package: a\nVersion: 1\nDescription: x\n more\n');
  const text = statusFile([
    one,
    statusParagraph('Package: b\nVersion: 1:2-3'),
    one.replace('Version: 1', 'Version: 2'),
  ]);
  assert.match(text, 'Package: a\nStatus: install ok installed\nVersion: 2\n');
  assert.equal(installedPackages(text), { a: '2', b: '1:2-3' });
  assert.is(statusParagraphs(text).length, 2);
  assert.is(field(text, 'None'), '');
});

test('takes names as apt does, and no options', () => {
  for (const name of [
    'zlib1g-dev',
    'g++',
    'libc6:riscv64',
    'jq=1.7.1-3+deb13u1',
    'x11/trixie',
    'libstdc++-14-dev',
  ])
    assert.ok(isPackageName(name), name);
  for (const name of [
    '-y',
    '--option',
    '-o',
    'a b',
    'A',
    '',
    '?essential',
    'a;b',
    'a*',
    '$(x)',
    './a.deb',
    'x',
  ])
    assert.not.ok(isPackageName(name), name);
});

test.run();
