import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RecipeCacheEntry } from '../../events/records.ts';
import { findRecipe, keepRecipe, normalSource } from '../../services/recipe-cache.ts';
import { withTempFolder } from '../support/temp-folder.ts';

const entry: RecipeCacheEntry = {
  repoUrl: 'https://example.org/team/hello.git',
  sourceCommit: 'c0ffee',
  sourceVersion: '',
  buildSystem: 'make',
  architecture: 'riscv64',
  sandbox: 'debian-riscv64',
  lastBuilt: '1790000000000',
  buildPlan: { phases: [{ name: 'build', commands: ['make'] }] },
  dependencies: [],
  patches: [],
  artifacts: [{ type: 'binary', path: 'hello', role: 'primary' }],
  buildDurationSeconds: 1,
  recipeMarkdown: '# hello',
  verification: { status: 'verified', reason: '', sourceCommit: 'c0ffee' },
  elf: [],
  runId: '01k00000000000000000recipe',
};

const withCache = (work: (home: string, file: string) => Promise<void>): Promise<void> =>
  withTempFolder(async (home) => {
    mkdirSync(join(home, 'cache'));
    await work(home, join(home, 'cache', 'recipe_cache.json'));
  });

test('an entry is found by its source, however that is written, and by its kind of sandbox', () =>
  withCache(async (home) => {
    assert.is(await findRecipe(home, entry.repoUrl, 'debian-riscv64'), null);
    assert.ok(await keepRecipe(home, 'hello', 'debian-riscv64', entry));
    for (const source of [
      entry.repoUrl,
      'http://EXAMPLE.org/team/hello',
      'https://example.org/team/hello/',
    ]) {
      assert.is((await findRecipe(home, source, 'debian-riscv64'))?.sourceCommit, 'c0ffee', source);
    }
    assert.is(await findRecipe(home, entry.repoUrl, 'debian-riscv64-strict'), null);
    assert.is(await findRecipe(home, 'https://example.org/Team/hello', 'debian-riscv64'), null);
  }));

test('the file has the form 2.0 with snake_case names and a date that a person can read', () =>
  withCache(async (home, file) => {
    await keepRecipe(home, 'hello', 'debian-riscv64', entry);
    const stored = JSON.parse(readFileSync(file, 'utf8'));
    assert.is(stored.version, '2.0');
    const kept = stored.packages.hello['debian-riscv64'];
    assert.is(kept.repo_url, entry.repoUrl);
    assert.is(kept.last_built, new Date(1790000000000).toISOString());
    assert.equal(kept.build_plan.phases, entry.buildPlan.phases);
  }));

test('writers at the same time lose nothing', () =>
  withCache(async (home) => {
    const names = Array.from({ length: 8 }, (_, n) => `package${n}`);
    const kept = await Promise.all(
      names.map((name) =>
        keepRecipe(home, name, 'debian-riscv64', { ...entry, repoUrl: `https://example.org/${name}` }),
      ),
    );
    assert.ok(kept.every(Boolean));
    for (const name of names)
      assert.ok(await findRecipe(home, `https://example.org/${name}`, 'debian-riscv64'), name);
  }));

test('a damaged file, and entries of another program, are as if they were not there', () =>
  withCache(async (home, file) => {
    writeFileSync(
      file,
      '{"version": "2.0", "packages": {"hello": {"debian-riscv64": {"repo_url": "https://example.org/team/hello"}}}}',
    );
    assert.is(await findRecipe(home, entry.repoUrl, 'debian-riscv64'), null);
    writeFileSync(file, '{"version": "2.0", "pack');
    assert.is(await findRecipe(home, entry.repoUrl, 'debian-riscv64'), null);
    assert.ok(await keepRecipe(home, 'hello', 'debian-riscv64', entry));
    assert.ok(await findRecipe(home, entry.repoUrl, 'debian-riscv64'));
  }));

test('sources that are no addresses are compared as they are', () => {
  assert.is(normalSource('deb:zlib'), 'deb:zlib');
  assert.is.not(normalSource('deb:zlib=1'), normalSource('deb:zlib'));
});

test.run();
