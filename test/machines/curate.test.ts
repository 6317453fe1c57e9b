import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { BuildArtifact } from '../../events/records.ts';
import { curate } from '../../machines/curate.ts';

const artifact = (filepath: string, type = 'binary'): BuildArtifact => ({
  filepath,
  type,
  architecture: 'riscv64',
});
const analysis = { expectedArtifacts: ['helper'] } as never;
const roles = (files: BuildArtifact[], repoName = 'lz4') => {
  const { artifacts, dropped } = curate({ buildArtifacts: files, repoName, packageAnalysis: analysis });
  return { roles: artifacts.map(({ filepath, role }) => `${filepath} ${role}`), dropped };
};

test('libraries, expected files and files named like the package are primary and come first', () => {
  const files = [
    artifact('tests/frametest'),
    artifact('programs/lz4'),
    artifact('lib/liblz4.so.1', 'library_shared'),
    artifact('datagen'),
    artifact('tools/helper'),
  ];
  assert.equal(roles(files), {
    roles: [
      'programs/lz4 primary',
      'lib/liblz4.so.1 primary',
      'tools/helper primary',
      'tests/frametest secondary',
      'datagen secondary',
    ],
    dropped: 0,
  });
});

test('what a build system makes for itself is dropped, objects too', () => {
  const files = [
    artifact('build/CMakeFiles/3.31/CompilerIdC/a.out'),
    artifact('conftest'),
    artifact('a.o', 'object'),
    artifact('lz4c'),
  ];
  assert.equal(roles(files), { roles: ['lz4c primary'], dropped: 3 });
});

test('a libtool product that stands in .libs alone is no noise, a copy is', () => {
  assert.equal(roles([artifact('.libs/lz4')]).dropped, 0);
  assert.equal(roles([artifact('src/.libs/lz4'), artifact('src/lz4')]), {
    roles: ['src/lz4 primary'],
    dropped: 1,
  });
  assert.equal(roles([artifact('.libs/conftest'), artifact('x')]).dropped, 1);
});

test('when everything looks like noise, all is kept', () => {
  assert.equal(roles([artifact('meson-private/x')]), { roles: ['meson-private/x secondary'], dropped: 0 });
});

test('short or empty names are related only when equal', () => {
  assert.equal(roles([artifact('jo'), artifact('joiner'), artifact('--')], 'jo').roles, [
    'jo primary',
    'joiner secondary',
    '-- secondary',
  ]);
});

test('nothing built is nothing to curate', () => {
  assert.equal(curate({ buildArtifacts: [], repoName: 'a', packageAnalysis: null }), {
    artifacts: [],
    dropped: 0,
  });
});

test.run();
