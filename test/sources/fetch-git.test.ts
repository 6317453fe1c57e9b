import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createBundle, unpackBundle } from '../../services/sources/bundle.ts';
import { fetchGit } from '../../services/sources/fetch-git.ts';
import { gitHost } from '../../services/sources/git-host.ts';
import { sourceIdentity } from '../../services/sources/source-identity.ts';
import { withStage } from '../../services/sources/stage.ts';
import { type GitServer, startGitServer } from '../support/git-server.ts';
import { makeFolder, withTempFolder } from '../support/temp-folder.ts';

const fixture = (name: string) => join(import.meta.dirname, '..', 'fixtures', name);
let server: GitServer;
test.before(async () => {
  server = await startGitServer();
});
test.after(() => server.close());
test.after.each(() => server.intercept(() => null));

const failure = async (
  work: Promise<unknown>,
): Promise<{ code: string; message: string; retryable: boolean }> => {
  try {
    await work;
  } catch (fault) {
    return fault as { code: string; message: string; retryable: boolean };
  }
  throw new Error('it did not fail');
};

test('clones HEAD with its tag, and the bundle gives the same tree without a server', async () => {
  const { url, commit } = await server.addRepository('go-hello', fixture('go-hello'), { tag: 'v1.2' });
  await withTempFolder(async (home) => {
    await withStage(home, async (stage) => {
      const fetched = await fetchGit(url, { home, stage });
      assert.is(fetched.commit, commit);
      assert.is(fetched.branch, 'main');
      assert.is(fetched.version, 'v1.2');
      assert.is(fetched.recovery, null);
      assert.equal(fetched.notes, []);
      const git = await gitHost(stage);
      const bundle = join(stage, 'source.bundle');
      await createBundle(git, fetched.folder, bundle);
      const tree = join(home, 'tree');
      const unpacked = await unpackBundle(git, bundle, tree);
      assert.equal(unpacked, { commit, branch: 'main', fileCount: 5 });
      assert.is(await git.run(['-C', tree, 'status', '--porcelain']), '');
      assert.is((await git.run(['-C', tree, 'describe', '--tags'])).trim(), 'v1.2');
      const [one, two] = [await stat(join(tree, 'main.go')), await stat(join(tree, 'greeting/greeting.go'))];
      assert.is(one.mtimeMs, two.mtimeMs);
    });
    assert.equal(await sourceIdentity({ kind: 'git', url }, home), { identity: commit });
  });
});

test('a shallow clone of a longer history survives as a bundle', async () => {
  const { url } = await server.addRepository('long', fixture('make-hello'));
  const work = join(server.root, '.tree-long');
  await writeFile(join(work, 'more.c'), 'int more;\n');
  await server.git.run(['-C', work, 'add', '-A']);
  await server.git.run([
    '-C',
    work,
    '-c',
    'user.name=t',
    '-c',
    'user.email=t@t',
    'commit',
    '-q',
    '-m',
    'more',
  ]);
  await server.git.run(['-C', work, 'push', '-q', join(server.root, 'long.git'), 'HEAD:main'], {
    env: { GIT_ALLOW_PROTOCOL: 'file' },
  });
  await withTempFolder(async (home) => {
    await withStage(home, async (stage) => {
      const fetched = await fetchGit(url, { home, stage });
      const git = await gitHost(stage);
      await createBundle(git, fetched.folder, join(stage, 'b'));
      const unpacked = await unpackBundle(git, join(stage, 'b'), join(home, 'tree'));
      assert.is(unpacked.commit, fetched.commit);
      assert.is(unpacked.fileCount, 4);
      assert.is((await git.run(['-C', join(home, 'tree'), 'rev-list', '--count', 'HEAD'])).trim(), '1');
    });
  });
});

test('finds a repository under another address and tells so', async () => {
  const { commit } = await server.addRepository('other', fixture('make-hello'));
  server.intercept((request) => (request.url?.startsWith('/other/') ? 404 : null));
  await withTempFolder((home) =>
    withStage(home, async (stage) => {
      const fetched = await fetchGit(`${server.url}/other`, { home, stage });
      assert.is(fetched.commit, commit);
      assert.is(fetched.recovery?.successUrl, `${server.url}/other.git`);
      assert.equal(fetched.recovery?.attempted, [`${server.url}/other`, `${server.url}/other.git`]);
    }),
  );
});

test('submodules become part of the tree and of the bundle; one that fails is noted', async () => {
  const { url: inner } = await server.addRepository('inner', fixture('go-hello'));
  await server.addRepository('outer', fixture('make-hello'));
  const work = join(server.root, '.tree-outer');
  await server.git.run(['-C', work, 'submodule', 'add', '-q', inner, 'deps/inner']);
  await server.git.run(['-C', work, 'config', '-f', '.gitmodules', 'submodule.gone.path', 'deps/gone']);
  await server.git.run([
    '-C',
    work,
    'config',
    '-f',
    '.gitmodules',
    'submodule.gone.url',
    `${server.url}/gone.git`,
  ]);
  await server.git.run(['-C', work, 'add', '.gitmodules']);
  await server.git.run([
    '-C',
    work,
    'update-index',
    '--add',
    '--cacheinfo',
    `160000,${'1'.repeat(40)},deps/gone`,
  ]);
  await server.git.run([
    '-C',
    work,
    '-c',
    'user.name=t',
    '-c',
    'user.email=t@t',
    'commit',
    '-q',
    '-m',
    'submodules',
  ]);
  const upstream = (await server.git.run(['-C', work, 'rev-parse', 'HEAD'])).trim();
  await server.git.run(['-C', work, 'push', '-q', join(server.root, 'outer.git'), 'HEAD:main'], {
    env: { GIT_ALLOW_PROTOCOL: 'file' },
  });
  await withTempFolder((home) =>
    withStage(home, async (stage) => {
      const fetched = await fetchGit(`${server.url}/outer.git`, { home, stage });
      assert.is(fetched.commit, upstream, 'the commit that a person knows is told');
      assert.match(fetched.notes.join('\n'), /1 submodules are part of the tree/);
      assert.match(fetched.notes.join('\n'), /left out: deps\/gone/);
      const git = await gitHost(stage);
      await createBundle(git, fetched.folder, join(stage, 'b'));
      await unpackBundle(git, join(stage, 'b'), join(home, 'tree'));
      assert.match(await readFile(join(home, 'tree/deps/inner/main.go'), 'utf8'), /package main/);
    }),
  );
});

test('a missing repository is sourceNotFound, a closed port sourceUnreachable', async () => {
  await withTempFolder((home) =>
    withStage(home, async (stage) => {
      const missing = await failure(fetchGit(`${server.url}/none.git`, { home, stage }));
      assert.is(missing.code, 'sourceNotFound');
      assert.is(missing.retryable, false);
      assert.match(missing.message, /none\.git/);
      const closed = await failure(fetchGit('http://127.0.0.1:1/x.git', { home, stage }));
      assert.is(closed.code, 'sourceUnreachable');
      assert.is(closed.retryable, true);
      server.intercept(() => 401);
      const login = await failure(fetchGit(`${server.url}/private.git`, { home, stage }));
      assert.is(login.code, 'sourceUnreachable');
      assert.match(login.message, /asks for a login/);
      server.intercept(() => 503);
      assert.is((await failure(fetchGit(`${server.url}/x.git`, { home, stage }))).code, 'sourceUnreachable');
    }),
  );
});

test('the token is not sent to another host than GitHub', async () => {
  const { url } = await server.addRepository('tokenless', fixture('make-hello'));
  let seen: string | undefined;
  server.intercept((request) => {
    seen ??= request.headers.authorization;
    return null;
  });
  process.env.GIT_TOKEN = 'not-a-real-token';
  try {
    await withTempFolder((home) =>
      withStage(home, async (stage) => void (await fetchGit(url, { home, stage }))),
    );
  } finally {
    delete process.env.GIT_TOKEN;
  }
  assert.is(seen, undefined);
});

test('a cancelled fetch ends at once and says so', async () => {
  const { url } = await server.addRepository('cancelled', fixture('make-hello'));
  const stop = new AbortController();
  server.intercept(() => {
    stop.abort();
    return null;
  });
  await withTempFolder((home) =>
    withStage(home, async (stage) => {
      const fault = await failure(fetchGit(url, { home, stage, signal: stop.signal }));
      assert.is(fault.code, 'cancelled');
    }),
  );
});

test('files come byte for byte, whatever .gitattributes asks for', async () => {
  await withTempFolder(async (folder) => {
    await makeFolder(join(folder, 'src'), {
      '.gitattributes': '* text=auto eol=crlf\n*.txt ident\n',
      'unix.c': 'a\nb\n',
      'dos.c': 'a\r\nb\r\n',
      'id.txt': '$Id$\n',
    });
    const { url } = await server.addRepository('bytes', join(folder, 'src'));
    await withStage(folder, async (stage) => {
      const fetched = await fetchGit(url, { home: folder, stage });
      assert.is(await readFile(join(fetched.folder, 'unix.c'), 'utf8'), 'a\nb\n');
      assert.is(await readFile(join(fetched.folder, 'dos.c'), 'utf8'), 'a\r\nb\r\n');
      assert.is(await readFile(join(fetched.folder, 'id.txt'), 'utf8'), '$Id$\n');
    });
  });
});

test.run();
