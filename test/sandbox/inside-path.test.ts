/** Following paths under a root: the answer is always under it, whatever the links say. */
import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { resolveInside, resolveInWorkspace } from '../../sandbox/inside-path.ts';
import { makeFolder, withTempFolder } from '../support/temp-folder.ts';

test('links are followed inside the root, absolute ones too', () =>
  withTempFolder(async (root) => {
    await makeFolder(root, {
      'workspace/file': 'x',
      'workspace/absolute': '-> /workspace/file',
      'workspace/relative': '-> ../workspace/./file',
      'workspace/above': '-> ../../../../../../etc/passwd',
      'workspace/folder': '-> /workspace',
      'etc/passwd': 'inside',
    });
    const follow = async (path: string) => (await resolveInside(root, path)).inside;
    assert.is(await follow('/workspace/absolute'), '/workspace/file');
    assert.is(await follow('/workspace/relative'), '/workspace/file');
    assert.is(await follow('/workspace/above'), '/etc/passwd');
    assert.is(await follow('workspace/folder/folder/absolute'), '/workspace/file');
    assert.is(await follow('/workspace/none/../file'), '/workspace/file');
    const none = await resolveInside(root, '/workspace/none/deep');
    assert.equal([none.inside, none.stats], ['/workspace/none/deep', null]);
    const under = await resolveInside(root, '/workspace/file/x');
    assert.equal([under.inside, under.stats], ['/workspace/file/x', null]);
  }));

test('what is not under /workspace is refused', () =>
  withTempFolder(async (root) => {
    await makeFolder(root, { 'workspace/out': '-> /etc', 'workspace2/x': '', 'etc/x': '' });
    for (const path of ['/etc/x', '/workspace/out/x', '/workspace/../etc', '/workspace2/x', '/', ''])
      await resolveInWorkspace(root, path).then(
        () => assert.unreachable(path),
        (error: { code: string }) => assert.is(error.code, 'denied'),
      );
    assert.is((await resolveInWorkspace(root, '/workspace')).inside, '/workspace');
  }));

test('no tree of links leads out of the root, and the answer has no link left', async () => {
  const part = fc.constantFrom('a', 'b', 'c', '..', '.', '');
  const path = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/'));
  const link = fc.record({
    at: fc
      .array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 })
      .map((parts) => parts.join('/')),
    to: fc.tuple(fc.constantFrom('', '/', '../../../'), path).map(([start, rest]) => start + rest),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(link, { maxLength: 6 }), path, (links, asked) =>
      withTempFolder(async (outer) => {
        const root = join(await realpath(outer), 'root');
        await mkdir(join(root, 'a/b'), { recursive: true });
        await writeFile(join(root, 'c'), '');
        for (const { at, to } of links) {
          // a place that is taken, or under a file, is left alone
          await mkdir(dirname(join(root, at)), { recursive: true }).catch(() => undefined);
          const target = to === '' ? '.' : to;
          const place = await realpath(dirname(join(root, at))).catch(() => '');
          if (place.startsWith(root)) await symlink(target, join(root, at)).catch(() => undefined);
        }
        const found = await resolveInside(root, asked).catch((error: { code: string }) => error.code);
        if (typeof found === 'string') return assert.is(found, 'denied');
        assert.ok(found.host === `${root}/` || found.host === root || found.host.startsWith(`${root}/`));
        assert.not.match(found.inside, /(^|\/)\.\.?(\/|$)/);
        if (found.stats) assert.is(await realpath(found.host), found.host.replace(/\/$/, ''));
      }),
    ),
    { numRuns: 200 },
  );
});

test.run();
