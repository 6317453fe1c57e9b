import { execFileSync } from 'node:child_process';
import { cp, readFile, readlink, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fetchFolder } from '../../services/sources/fetch-folder.ts';
import type { FetchedSource } from '../../services/sources/fetched.ts';
import { parseSource } from '../../services/sources/parse-source.ts';
import { sourceIdentity } from '../../services/sources/source-identity.ts';
import { withStage } from '../../services/sources/stage.ts';
import { makeFolder, withTempFolder } from '../support/temp-folder.ts';

const git = (folder: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
const fetched = (home: string, path: string, look?: (source: FetchedSource) => Promise<void>) =>
  withStage(home, async (stage) => {
    const source = await fetchFolder(path, { home, stage });
    await look?.(source);
    return source;
  });

test('the same files give the same commit, wherever they lie and whenever they were written', async () => {
  await withTempFolder(async (folder) => {
    const home = join(folder, 'home');
    await makeFolder(join(folder, 'a'), {
      'run.sh': '#!/bin/sh\n',
      'x.c': 'int x;\n',
      link: '-> x.c',
      '.gitignore': '*.c\n',
    });
    await cp(join(folder, 'a'), join(folder, 'b'), { recursive: true, verbatimSymlinks: true });
    await utimes(join(folder, 'b', 'x.c'), 1, 1);
    const a = await fetched(home, join(folder, 'a'), async (source) => {
      assert.is(
        await readFile(join(source.folder, 'x.c'), 'utf8'),
        'int x;\n',
        'outside git nothing is ignored',
      );
      assert.is(await readlink(join(source.folder, 'link')), 'x.c');
      assert.is((await stat(join(source.folder, 'run.sh'))).mode & 0o111, 0o111);
    });
    const b = await fetched(home, join(folder, 'b'));
    assert.is(a.commit, b.commit);
    assert.equal(await sourceIdentity({ kind: 'folder', path: join(folder, 'b') }, home), {
      identity: a.commit,
    });
    await writeFile(join(folder, 'b', 'x.c'), 'int y;\n');
    assert.is.not((await fetched(home, join(folder, 'b'))).commit, a.commit);
  });
});

test('a clean git repository keeps its commit, branch and tag', async () => {
  await withTempFolder(async (folder) => {
    const path = join(folder, 'repo');
    await makeFolder(path, { 'x.c': 'int x;\n', '.gitignore': '*.o\n', 'x.o': 'object' });
    git(path, 'init', '-q', '-b', 'trunk');
    git(path, 'add', '.');
    git(path, 'commit', '-q', '-m', 'one');
    git(path, 'tag', 'v3');
    const source = await fetched(join(folder, 'home'), path, async ({ folder: tree }) => {
      assert.is(await readFile(join(tree, 'x.o'), 'utf8').catch(() => 'left out'), 'left out');
    });
    assert.is(source.commit, git(path, 'rev-parse', 'HEAD').trim());
    assert.is(source.branch, 'trunk');
    assert.is(source.version, 'v3');
  });
});

test('what is on disk is ported: changes, new and deleted files are one commit on top of HEAD', async () => {
  await withTempFolder(async (folder) => {
    const path = join(folder, 'repo');
    await makeFolder(path, { 'x.c': 'int x;\n', 'gone.c': '' });
    git(path, 'init', '-q', '-b', 'main');
    git(path, 'add', '.');
    git(path, 'commit', '-q', '-m', 'one');
    await writeFile(join(path, 'x.c'), 'int changed;\n');
    await writeFile(join(path, 'new.c'), 'int n;\n');
    await rm(join(path, 'gone.c'));
    const home = join(folder, 'home');
    const source = await fetched(home, path, async ({ folder: tree }) => {
      assert.is(await readFile(join(tree, 'x.c'), 'utf8'), 'int changed;\n');
      assert.is(git(tree, 'rev-parse', 'HEAD~1').trim(), git(path, 'rev-parse', 'HEAD').trim());
      assert.equal(git(tree, 'ls-files').trim().split('\n'), ['new.c', 'x.c']);
    });
    assert.match(source.notes.join('\n'), /3 files differ from commit/);
    assert.is(source.commit, (await fetched(home, path)).commit);
  });
});

test('a folder inside a repository is a source of its own, without what git ignores there', async () => {
  await withTempFolder(async (folder) => {
    await makeFolder(folder, { '.gitignore': '*.o\n', 'sub/x.c': 'int x;\n', 'sub/x.o': 'o', 'other.c': '' });
    git(folder, 'init', '-q');
    const source = await fetched(join(folder, 'home'), join(folder, 'sub'), async ({ folder: tree }) => {
      assert.equal(git(tree, 'ls-files').trim().split('\n'), ['x.c']);
    });
    assert.is(source.branch, 'main');
  });
});

test('the data folder inside the source is not copied into itself', async () => {
  await withTempFolder(async (folder) => {
    await makeFolder(folder, { 'x.c': 'int x;\n' });
    await fetched(join(folder, '.atesor'), folder, async ({ folder: tree }) => {
      assert.equal(git(tree, 'ls-files').trim().split('\n'), ['x.c']);
    });
  });
});

test('an empty folder, a file and a missing path are bad sources', async () => {
  await withTempFolder(async (folder) => {
    await makeFolder(folder, { 'src/a/.keep': '', 'file.txt': 'x' });
    await rm(join(folder, 'src/a/.keep'));
    const code = (work: Promise<unknown>) =>
      work.then(
        () => 'fine',
        (fault: { code: string }) => fault.code,
      );
    assert.is(await code(fetched(join(folder, 'home'), join(folder, 'src'))), 'badSource');
    assert.is(await code(parseSource('./file.txt', folder)), 'badSource');
    assert.is(await code(parseSource('./missing', folder)), 'badSource');
    assert.equal(await parseSource('./src', folder), { kind: 'folder', path: join(folder, 'src') });
  });
});

test('stages of killed processes are removed by the next one', async () => {
  await withTempFolder(async (home) => {
    // Above the largest process id that Linux gives out (2^22).
    await makeFolder(join(home, 'cache/stage/4999999-x'), { big: 'x' });
    await withStage(home, async () => {});
    assert.is(await stat(join(home, 'cache/stage/4999999-x')).catch(() => null), null);
  });
});

test.run();
