import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { evaluate, isBuiltOn } from '../../services/analysis/go-constraint.ts';
import { findGoMain, goProgramNames } from '../../services/analysis/go-modules.ts';
import { memoryTree } from '../support/memory-tree.ts';

const main = 'package main\n\nfunc main() {}\n';

test('file names and constraint lines decide what is built', () => {
  const cases: Array<[string, string, boolean]> = [
    ['x.go', 'package x', true],
    ['x_riscv64.go', 'package x', true],
    ['x_amd64.go', 'package x', false],
    ['x_linux_riscv64.go', 'package x', true],
    ['x_windows.go', 'package x', false],
    ['x_linux.go', 'package x', true],
    ['linux.go', 'package x', true],
    ['amd64.go', 'package x', true],
    ['x.go', '//go:build amd64 || arm64\n\npackage x', false],
    ['x.go', '//go:build !(amd64 || arm64) && linux\n\npackage x', true],
    ['x.go', '//go:build ignore\n\npackage main', false],
    ['x.go', '// +build amd64 arm64\n\npackage x', false],
    ['x.go', '// +build !windows,!darwin\n// +build riscv64\n\npackage x', true],
    ['x.go', '//go:build (linux\n\npackage x', false],
    ['x.go', 'package x\n\n//go:build ignore\n', true],
    ['x.go', '//go:build go1.21\n\npackage x', true],
  ];
  for (const [path, text, built] of cases)
    assert.is(isBuiltOn(path, text, 'riscv64'), built, `${path}: ${text}`);
});

test('constraint expressions mean what they say', () => {
  type Node = { text: string; value: boolean };
  const tags: Record<string, boolean> = { linux: true, riscv64: true, amd64: false, 'go1.99': false };
  const node = fc.letrec<{ node: Node }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom(...Object.keys(tags)).map((tag) => ({ text: tag, value: tags[tag] === true })),
      tie('node').map(({ text, value }) => ({ text: `!(${text})`, value: !value })),
      fc.tuple(tie('node'), tie('node')).map(([a, b]) => ({
        text: `(${a.text}) && ${b.text === '' ? '' : `(${b.text})`}`,
        value: a.value && b.value,
      })),
      fc
        .tuple(tie('node'), tie('node'))
        .map(([a, b]) => ({ text: `(${a.text})||(${b.text})`, value: a.value || b.value })),
    ),
  })).node;
  fc.assert(
    fc.property(node, ({ text, value }) =>
      assert.is(
        evaluate(text, (tag) => tags[tag] === true),
        value,
      ),
    ),
  );
});

test('no text makes the reader of constraints fail', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'()!&|a1. '), maxLength: 400 }), (text) => {
      const value = evaluate(text, () => true);
      assert.ok(value === null || typeof value === 'boolean');
    }),
  );
});

test('the programs are those of cmd/, the own one first; helpers and other modules are none', async () => {
  const tree = memoryTree({
    'go.mod': 'module example.test/tool/v2\n',
    'lib.go': 'package tool\n',
    'cmd/zeta/main.go': main,
    'cmd/tool/main.go': main,
    'examples/x/main.go': main,
    'internal/gen/main.go': main,
    'win/main_windows.go': main,
    'gen.go': '//go:build ignore\n\npackage main\n',
    'other/go.mod': 'module other\n',
    'other/main.go': main,
  });
  const info = await findGoMain(tree, '', 'tool');
  assert.equal(info, {
    hasMain: true,
    mainPath: 'cmd/tool',
    moduleDir: '',
    buildCommand: 'go build -o bin/ ./cmd/tool ./cmd/zeta',
    needsGoInit: false,
    hasGoMod: true,
    hasGoFiles: true,
    allMainPaths: ['cmd/tool', 'cmd/zeta'],
  });
  assert.equal(info && goProgramNames(info, 'example.test/tool/v2', 'tool'), ['tool', 'zeta']);
});

test('a program at the top, in a nested module, and a library', async () => {
  const top = await findGoMain(memoryTree({ 'go.mod': 'module a/gron\n', 'main.go': main }), '', 'gron');
  assert.is(top?.buildCommand, 'go build -o bin/ .');
  assert.equal(top && goProgramNames(top, 'a/gron/v3', 'gron'), ['gron']);
  const nested = await findGoMain(
    memoryTree({ 'src/go.mod': 'module m\n', 'src/cmd/a/main.go': main }),
    'src',
    'x',
  );
  assert.equal(nested?.allMainPaths, ['src/cmd/a']);
  assert.is(nested?.buildCommand, 'go build -o bin/ ./cmd/a');
  const library = await findGoMain(memoryTree({ 'go.mod': 'module m\n', 'm.go': 'package m\n' }), '', 'm');
  assert.is(library?.hasMain, false);
  assert.is(library?.buildCommand, 'go build ./...');
  assert.is(await findGoMain(memoryTree({ 'x.c': '' }), '', 'x'), null);
  assert.is((await findGoMain(memoryTree({ 'main.go': main }), '', 'x'))?.needsGoInit, true);
});

test.run();
