import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseGitIndex } from '../../sandbox/git-index.ts';
import { readTrackedFiles } from '../../sandbox/tracked-files.ts';
import { type GitHost, gitHost } from '../../services/sources/git-host.ts';
import { makeFolder, withTempFolder } from '../support/temp-folder.ts';

const files = {
  'a.txt': 'a',
  'deep/folder/b.txt': 'b',
  'deep/folder/b.txt.more': 'bb',
  'deep/ü.txt': 'c',
  [`long/${'n'.repeat(200)}/${'m'.repeat(200)}`]: 'd',
  link: '-> a.txt',
};

/** What git itself says of the regular files in its index. */
async function listing(git: GitHost, folder: string): Promise<Map<string, string>> {
  const lines = (await git.run(['-C', folder, 'ls-files', '-s', '-z'])).split('\0').filter(Boolean);
  return new Map(
    lines.flatMap((line) => {
      const [, id, path] = /^100\d{3} (\w+) 0\t(.*)$/s.exec(line) ?? [];
      return id !== undefined && path !== undefined ? [[path, id] as const] : [];
    }),
  );
}

async function withRepository(
  options: { format?: string; version?: string },
  work: (folder: string, git: GitHost) => Promise<void>,
): Promise<void> {
  await withTempFolder(async (top) => {
    const git = await gitHost(join(top, 'host'));
    const folder = join(top, 'root', 'repo');
    await makeFolder(folder, files);
    await git.run(['init', '-q', `--object-format=${options.format ?? 'sha1'}`, folder]);
    await git.run(['-C', folder, 'add', '-A']);
    await git.run(['-C', folder, 'update-index', '--index-version', options.version ?? '2']);
    await work(folder, git);
  });
}

for (const version of ['2', '3', '4']) {
  for (const format of ['sha1', 'sha256']) {
    test(`reads what git lists from an index of version ${version} with ${format} ids`, async () => {
      await withRepository({ version, format }, async (folder, git) => {
        // a flag that only versions 3 and 4 can hold
        if (version === '3') await git.run(['-C', folder, 'update-index', '--skip-worktree', 'a.txt']);
        const index = await readFile(join(folder, '.git', 'index'));
        assert.is(index.readUInt32BE(4), Number(version));
        const expected = await listing(git, folder);
        assert.is(expected.size, Object.keys(files).length - 1);
        assert.equal(parseGitIndex(index), expected);
        assert.equal(await readTrackedFiles(join(folder, '..'), '/repo'), expected);
      });
    });
  }
}

test('knows nothing of a split index, whose other part is in another file', async () => {
  await withRepository({}, async (folder, git) => {
    await git.run(['-C', folder, 'update-index', '--split-index']);
    assert.is(parseGitIndex(await readFile(join(folder, '.git', 'index'))), null);
  });
});

test('reads no index through a link, and none that is missing or no file', async () => {
  await withRepository({}, async (folder) => {
    await makeFolder(join(folder, '..'), {
      'linked/.git': '-> ../repo/.git',
      'linkedIndex/.git/index': '-> ../../repo/.git/index',
      'worktree/.git': 'gitdir: ../repo/.git\n',
    });
    await mkdir(join(folder, '..', 'strange', '.git', 'index'), { recursive: true });
    for (const name of ['linked', 'linkedIndex', 'worktree', 'strange', 'missing'])
      assert.is(await readTrackedFiles(join(folder, '..'), `/${name}`), null, name);
    await writeFile(join(folder, '.git', 'index'), 'DIRC');
    assert.is(await readTrackedFiles(join(folder, '..'), '/repo'), null);
  });
});

test('never throws, whatever the index holds', async () => {
  await withRepository({ version: '4' }, async (folder, git) => {
    const version4 = await readFile(join(folder, '.git', 'index'));
    await git.run(['-C', folder, 'update-index', '--index-version', '2']);
    const version2 = await readFile(join(folder, '.git', 'index'));
    const changes = fc.array(fc.tuple(fc.nat(2000), fc.nat(255)), { maxLength: 8 });
    fc.assert(
      fc.property(fc.constantFrom(version2, version4), changes, fc.nat(2000), (index, changed, cut) => {
        const bytes = Buffer.from(index);
        for (const [at, value] of changed) bytes[at % bytes.length] = value;
        parseGitIndex(bytes);
        parseGitIndex(bytes.subarray(0, cut));
      }),
      { numRuns: 2000 },
    );
  });
});

test.run();
