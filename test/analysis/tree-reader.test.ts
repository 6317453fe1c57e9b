import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { folderReader } from '../../services/analysis/tree-reader.ts';
import { answerOf } from '../../services/effects/probe-tree.ts';
import { makeFolder, withTempFolder } from '../support/temp-folder.ts';

test('reads files of the tree and nothing that a link leads to outside of it', async () => {
  await withTempFolder(async (folder) => {
    await makeFolder(folder, { 'secret.txt': 'secret', 'outside/key': 'secret' });
    const root = join(folder, 'tree');
    await makeFolder(root, {
      'docs/README': 'hello',
      README: '-> docs/README',
      again: '-> README',
      manual: '-> docs',
      up: '-> ../secret.txt',
      absolute: `-> ${folder}/secret.txt`,
      elsewhere: '-> ../outside',
      loop: '-> loop',
      'run.sh': '#!/bin/sh\n',
      '.git/config': 'not listed',
    });
    const tree = await folderReader(root);
    assert.is(await tree.read('README', 100), 'hello');
    assert.is(await tree.read('again', 100), 'hello');
    assert.is(await tree.read('./manual/README', 3), 'hel');
    for (const path of [
      'up',
      'absolute',
      'elsewhere/key',
      '../secret.txt',
      'loop',
      'docs',
      '/etc/passwd',
      'docs/../../secret.txt',
    ]) {
      assert.is(await tree.read(path, 100), null, path);
    }
    assert.is(tree.find('absolute')?.kind, 'link', 'it is there, and what it names is not ours');
    assert.is(tree.find('.git/config'), null);
    assert.is(tree.find('nothing'), null);
    assert.is(tree.find('run.sh')?.executable, true);
    assert.is(tree.truncated, false);
  });
});

test('answers the queries of probeTree', async () => {
  await withTempFolder(async (root) => {
    await makeFolder(root, {
      configure: 'x',
      'run.sh': '#!/bin/sh\n',
      'a/config.guess': '',
      'a/b/config.guess': '',
      'config.guess': '-> /usr/share/misc/config.guess',
      'src/Makefile': '',
      'src/deep/er/Makefile': '',
      'tests/Makefile': '',
      GNUmakefile: '',
    });
    const tree = await folderReader(root);
    assert.is(await answerOf(tree, 'exists:configure'), true);
    assert.is(await answerOf(tree, 'exists:src'), true);
    assert.is(await answerOf(tree, 'exists:nope'), false);
    assert.is(await answerOf(tree, 'executable:configure'), false);
    assert.is(await answerOf(tree, 'executable:run.sh'), true);
    assert.is(await answerOf(tree, 'executable:nope'), null);
    assert.is(await answerOf(tree, 'read:configure'), 'x');
    assert.is(await answerOf(tree, 'read:../x'), null);
    assert.equal(await answerOf(tree, 'find:config.guess'), [
      'config.guess',
      'a/config.guess',
      'a/b/config.guess',
    ]);
    assert.equal(await answerOf(tree, 'makefileDirs:'), ['.', 'src']);
    assert.is(await answerOf(tree, 'unknown:x'), null);
    assert.is(await answerOf(tree, 'nonsense'), null);
  });
});

test('a tree that is not there is empty', async () => {
  await withTempFolder(async (root) => assert.equal((await folderReader(join(root, 'none'))).entries, []));
});

test.run();
