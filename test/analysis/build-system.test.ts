import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { detectBuildSystems } from '../../services/analysis/build-system.ts';
import { memoryTree } from '../support/memory-tree.ts';

const detected = async (files: Record<string, string>, name = 'thing') => {
  const found = await detectBuildSystems(memoryTree(files), name);
  return found.map(
    ({ type, confidence, moduleDir }) => `${type} ${confidence}${moduleDir && ` ${moduleDir}`}`,
  );
};
const makefile = 'all: x\nx: x.c\n\t$(CC) -o $@ x.c\n';

test('takes the best of what is at the top, cmake before autotools', async () => {
  assert.equal(
    await detected({ 'CMakeLists.txt': '', 'configure.ac': '', 'meson.build': '', Makefile: makefile }),
    ['cmake 0.95', 'autotools 0.95', 'meson 0.9', 'make 0.8'],
  );
  assert.equal(await detected({ 'go.mod': '', 'package.json': '{"scripts":{"build":"x"}}' }), [
    'go 0.95',
    'npm 0.3',
  ]);
  assert.equal(await detected({ 'Cargo.toml': '' }), ['cargo 0.95']);
});

test('a plain makefile and a meson project are sure enough for a plan', async () => {
  assert.equal(await detected({ Makefile: makefile, 'x.c': '' }), ['make 0.8']);
  assert.equal(await detected({ GNUmakefile: 'all:\n\t$(MAKE) -C src\n', 'src/x.c': '' }), ['make 0.8']);
  assert.equal(await detected({ 'meson.build': '' }), ['meson 0.9']);
  assert.equal(await detected({ Makefile: 'all:\n\techo hi\n' }), ['make 0.5']);
});

test('a makefile of shortcuts does not win over the system beside it', async () => {
  const shortcuts = 'lint:\n\tflake8\n';
  assert.equal((await detected({ Makefile: shortcuts, 'setup.py': '' }))[0], 'pip 0.3');
  assert.equal((await detected({ Makefile: shortcuts, 'Makefile.PL': '', 'x.xs': '' }))[0], 'perl 0.6');
});

test("a configure script of the project's own counts as autotools, and cmake wins over it", async () => {
  assert.equal(await detected({ configure: '#!/bin/sh\n', 'Makefile.in': '' }), ['autotools 0.85']);
  assert.equal(
    (await detected({ configure: '#!/bin/sh\n', 'CMakeLists.txt': '', Makefile: '' }))[0],
    'cmake 0.95',
  );
});

test('cmake comes last when the release lacks a source that it asks for', async () => {
  const cmake =
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a cmake variable
    'if(NOT MINGW)\nset(SRCS\n  a.c\n  win32/x.rc # for Windows\n)\nendif()\nadd_library(x ${SRCS})\n';
  const files = { 'CMakeLists.txt': cmake, configure: '#!/bin/sh\n', 'a.c': '' };
  assert.equal(await detected(files), ['autotools 0.85', 'cmake 0.6']);
  assert.equal((await detected({ ...files, 'win32/x.rc': '' }))[0], 'cmake 0.95');
  assert.equal((await detected({ 'CMakeLists.txt': cmake, 'a.c': '' }))[0], 'cmake 0.6');
  const made =
    'add_custom_command(OUTPUT gen.c COMMAND x)\nadd_executable(x a.c gen.c)\nif(WIN32)\nset(W w.rc)\nendif()\n';
  assert.equal((await detected({ ...files, 'CMakeLists.txt': made }))[0], 'cmake 0.95');
});

test('names the files that decide how the system is driven', async () => {
  const files = { 'configure.ac': '', 'Makefile.am': '', 'autogen.sh': '#!/bin/sh\n' };
  const [info] = await detectBuildSystems(memoryTree(files), 'x');
  assert.equal(info?.additionalFiles, ['autogen.sh', 'Makefile.am']);
  assert.is(info?.requiresConfiguration, true);
  assert.is(info?.primaryFile, 'configure.ac');
});

test('looks two folders down when the top has nothing, and not into tests or vendored code', async () => {
  assert.equal(await detected({ README: '', 'squashfs-tools/Makefile': makefile }, 'squashfs-tools'), [
    'make 0.75 squashfs-tools',
  ]);
  assert.equal(await detected({ 'tests/Makefile': makefile, 'vendor/CMakeLists.txt': '' }), ['unknown 0']);
  assert.equal(await detected({ 'a/b/c/Makefile': makefile }), ['unknown 0']);
  assert.equal(
    await detected({ 'atheos/Makefile': makefile, 'unix/Makefile': makefile, 'unix/configure': '' }),
    ['make 0.75 unix', 'autotools 0.75 unix'],
  );
});

test('prefers the nested Go module that has a program', async () => {
  const files = {
    'api/go.mod': 'module x/api\n',
    'api/api.go': 'package api\n',
    'cli/go.mod': 'module x/cli\n',
    'cli/main.go': 'package main\nfunc main() {}\n',
  };
  assert.equal(await detected(files), ['go 0.9 cli']);
  assert.equal(await detected({ 'x.go': 'package main\n' }), ['go 0.65']);
  assert.equal(await detected({ 'sub/Cargo.toml': '' }), ['cargo 0.9 sub']);
});

test('a makefile that makes and installs a shared library itself comes before cmake', async () => {
  const whole = 'libx.so: x.o\n\t$(CC) -shared -o $@ x.o\ninstall: libx.so\n\tcp libx.so $(PREFIX)/lib\n';
  const beside = { 'CMakeLists.txt': 'project(x)\nadd_library(x x.c)\n', 'x.c': '' };
  assert.is((await detected({ ...beside, Makefile: whole }))[0], 'make 0.96');
  const staticOnly = whole.replaceAll('libx.so', 'libx.a').replace('-shared', '');
  assert.is((await detected({ ...beside, Makefile: staticOnly }))[0], 'cmake 0.95');
  assert.is((await detected({ ...beside, Makefile: `${whole}all:\n\tcmake -B build\n` }))[0], 'cmake 0.95');
});

test.run();
