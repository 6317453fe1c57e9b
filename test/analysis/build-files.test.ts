import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { detectBuildSystems } from '../../services/analysis/build-system.ts';
import { cargoDependencies, cargoPackage } from '../../services/analysis/cargo-manifest.ts';
import { cmakeTargets } from '../../services/analysis/cmake-targets.ts';
import { debianBuildDepends } from '../../services/analysis/debian-control.ts';
import { readDependencies } from '../../services/analysis/dependencies.ts';
import { expectedArtifacts } from '../../services/analysis/expected-artifacts.ts';
import { automakeTargets, makefileTargets, mesonTargets } from '../../services/analysis/make-targets.ts';
import { memoryTree } from '../support/memory-tree.ts';

test('cmake: what is installed, else what is built without a condition', async () => {
  const zlib = `
    project(zlib C)
    add_library(zlib SHARED a.c) # comment
    add_library(zlibstatic STATIC a.c)
    set_target_properties(zlib zlibstatic PROPERTIES OUTPUT_NAME z)
    add_executable(example t.c)
    if(NOT SKIP) 
      install(TARGETS zlib zlibstatic RUNTIME DESTINATION bin)
    endif()`;
  assert.equal(cmakeTargets([zlib]), {
    installed: ['libz'],
    always: ['libz', 'example'],
    sometimes: [],
  });
  const named =
    // biome-ignore lint/suspicious/noTemplateCurlyInString: cmake variables
    'PROJECT(tool)\nset(NAME my-${PROJECT_NAME})\nadd_executable(${NAME} m.c)\nadd_library(i INTERFACE)\nif(X)\nadd_library(extra e.c)\nendif()';
  assert.equal(cmakeTargets([named]), { installed: [], always: ['my-tool'], sometimes: ['libextra'] });
});

test('automake, meson and plain makefiles name what they build', () => {
  assert.equal(
    automakeTargets(
      'bin_PROGRAMS = jq \\\n  jv\nlib_LTLIBRARIES = libjq.la\nif X\nbin_PROGRAMS += cond\nendif\ncheck_PROGRAMS = t\n',
    ),
    ['jq', 'jv', 'libjq'],
  );
  assert.equal(
    mesonTargets(
      "executable('a', 'a.c')\nlib = library('b', 'b.c')\nif x\n  executable('c')\nendif\nlibrary(meson.project_name())\n",
      'p',
    ),
    ['a', 'libb', 'libp'],
  );
  const makefile =
    'PROG = hello\nLIB=libhi.so.1\n.PHONY: all\nall: build docs\nbuild: $(PROG) $(LIB)\n$(PROG): hello.o\n\t$(CC) -o $@ hello.o\ndocs:\n\tmake-docs\n';
  assert.equal(makefileTargets(makefile), ['libhi', 'hello']);
  assert.equal(makefileTargets('all: sub\nsub:\n\t$(MAKE) -C lib $@\n'), []);
});

test('a makefile that only calls others is answered for by those', async () => {
  const tree = memoryTree({
    Makefile: 'LIB = lib\nall:\n\t$(MAKE) -C $(LIB) $@\n\t$(MAKE) -C tests\n\t$(MAKE) -C ../out\n',
    'lib/Makefile': 'all: libx.a\nlibx.a: x.o\n\t$(AR) rcs $@ x.o\n',
    'lib/x.c': '',
    'tests/Makefile': 'all: t\nt:\n\t$(CC) -o $@\n',
  });
  const [system] = await detectBuildSystems(tree, 'x');
  assert.is(system?.type, 'make');
  assert.equal(system && (await expectedArtifacts(tree, system, null, 'x')), ['libx']);
});

test('cargo: package, binaries, C libraries and members', async () => {
  const manifest =
    '[package]\nname = "rg" # x\n[[bin]]\nname = "ripgrep"\npath = "m.rs"\n[lib]\ncrate-type = ["rlib",\n "cdylib"]\n[dependencies]\nlibz-sys = "1"\n[dependencies.serde]\nversion = "1"\n[target.\'cfg(unix)\'.dependencies]\nnix = "0"\n[dev-dependencies]\ntestlib = "1"\n[workspace]\nmembers = ["crates/*"]\n';
  assert.equal(cargoPackage(manifest), {
    name: 'rg',
    binaries: ['ripgrep'],
    cLibrary: 'librg',
    members: ['crates/*'],
  });
  assert.equal(cargoDependencies(manifest), ['libz-sys', 'serde', 'nix']);
  const tree = memoryTree({
    'Cargo.toml': '[workspace]\nmembers = ["crates/*"]\n',
    'crates/a/Cargo.toml': '[package]\nname = "a"\n',
    'crates/a/src/main.rs': '',
    'crates/b/Cargo.toml': '[package]\nname = "b"\n',
    'crates/b/src/lib.rs': '',
  });
  const [system] = await detectBuildSystems(tree, 'x');
  assert.equal(system && (await expectedArtifacts(tree, system, null, 'x')), ['a']);
});

test('debian/control: the first alternative, for riscv64, without profiles', () => {
  const control = `Source: x
Build-Depends: debhelper-compat (= 13), libssl-dev (>= 3) | libssl1-dev,
 gcc-multilib [amd64 i386] <!nobiarch>, libatomic1 [riscv64], valgrind [!riscv64 !armel],
 python3:any, check <!nocheck>, mingw <stage1>, \${misc:Depends}, libfoo-dev [linux-any]
# a comment
Build-Depends-Arch: zlib1g-dev
Build-Depends-Indep: texlive

Package: x
Depends: nothing
`;
  assert.equal(debianBuildDepends(control), [
    'debhelper-compat',
    'libssl-dev',
    'libatomic1',
    'python3',
    'check',
    'libfoo-dev',
    'zlib1g-dev',
  ]);
});

test('libraries come from the build files of the system', async () => {
  const librariesOf = async (files: Record<string, string>) => {
    const tree = memoryTree(files);
    const [system] = await detectBuildSystems(tree, 'own');
    if (!system) throw new Error('no system');
    return await readDependencies(tree, system, 'own');
  };
  const cmake = await librariesOf({
    'CMakeLists.txt':
      'find_package(ZLIB REQUIRED)\nfind_package(Threads)\npkg_check_modules(X REQUIRED IMPORTED_TARGET libuv>=1.3 glib-2.0)\n# find_package(Boost)\n',
  });
  assert.equal(cmake.libraries, ['zlib', 'libuv', 'glib-2.0']);
  assert.equal(cmake.versionConstraints, { libuv: '>= 1.3' });
  assert.equal(cmake.buildTools, ['cmake', 'make', 'gcc', 'g++']);
  const autotools = await librariesOf({
    'configure.ac':
      'PKG_CHECK_MODULES([A], [libpcap >= 1.0 sqlite3])\nAC_CHECK_LIB([z], [inflate])\ndnl AC_CHECK_LIB(no, x)\n',
  });
  assert.equal(autotools.libraries, ['libpcap', 'sqlite3', 'z']);
  const meson = await librariesOf({
    'meson.build': "dependency('glib-2.0', version: '>=2.5')\ndependency('threads')\n",
  });
  assert.equal(meson.libraries, ['glib-2.0']);
  const make = await librariesOf({
    Makefile: 'LIBS = -lz -lm -lssl -lown\nX = $(shell pkg-config --libs ncurses)\nx:\n\t$(CC)\n',
  });
  assert.equal(make.libraries, ['zlib', 'openssl', 'ncurses']);
  const go = await librariesOf({
    'go.mod':
      'module m\nrequire (\n\tgolang.org/x/sys v0.1.0 // indirect\n)\nrequire github.com/a/b v1.2.3\n',
  });
  assert.equal(go.libraries, ['golang.org/x/sys', 'github.com/a/b']);
});

test('values that hold themselves twice do not grow without end', () => {
  const lines = 300;
  cmakeTargets([
    // biome-ignore lint/suspicious/noTemplateCurlyInString: cmake variables
    `set(A xxxxxxxx)\n${'set(A "${A}${A}")\nlist(APPEND B ${B} ${A})\n'.repeat(lines)}add_library(\${B})`,
  ]);
  makefileTargets(
    `${['A', 'B', 'C', 'D', 'E'].map((name, i) => `${name} = ${`$(${'BCDEF'[i]}) `.repeat(1_000)}`).join('\n')}\nall: $(A)\n`,
  );
});

test('no text makes the readers of build files fail or hang', () => {
  const piece = fc.constantFrom(
    'add_library(',
    'set(A ',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a cmake variable
    '${A}',
    ')',
    '$(A)',
    'all:',
    '\n',
    '\t',
    'A = ',
    '\\',
    '[bin]',
    'if(',
    'endif()',
    'install(TARGETS ',
    "executable('",
    'bin_PROGRAMS =',
    'Build-Depends: ',
    '[',
    ']',
    '<',
    '|',
    ',',
    'x',
    '"',
    '(',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 80 }), (pieces) => {
      const text = pieces.join('');
      cmakeTargets([text]);
      automakeTargets(text);
      makefileTargets(text);
      mesonTargets(text, 'p');
      cargoPackage(text);
      debianBuildDepends(`Source: x\n${text}`);
    }),
    { numRuns: 300 },
  );
});

test.run();
