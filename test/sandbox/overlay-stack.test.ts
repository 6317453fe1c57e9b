import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  addLayer,
  flattened,
  foldersOf,
  freeze,
  mark,
  newStack,
  type OverlayStack,
  readStack,
  restore,
  writeStack,
} from '../../sandbox/overlay-stack.ts';
import { withTempFolder } from '../support/temp-folder.ts';

const fresh = () => newStack({ name: 'root', digest: 'd' }, false);

test('[O2] an empty folder is not frozen, another is and is never written again', () => {
  const empty = freeze(fresh(), true);
  assert.equal(empty, fresh());
  const frozen = freeze(fresh(), false);
  assert.equal(frozen.entries, [{ upper: 'u1' }]);
  assert.is(frozen.current, 'u2');
});

test('[O3] going back cuts what came after the mark, and the marks beyond', () => {
  const one = mark(fresh(), 'one', false);
  const two = mark(addLayer(one, 'key', false), 'two', false);
  assert.equal(two.entries, [{ upper: 'u1' }, { upper: 'u2' }, { layer: 'key' }, { upper: 'u3' }]);
  const back = restore(two, 'one');
  assert.equal(back.entries, [{ upper: 'u1' }]);
  assert.equal(Object.keys(back.marks), ['one']);
  assert.not.ok(foldersOf(two).has(back.current), 'a new folder is written');
});

test('folding keeps packages below, and the marks at the end', () => {
  const deep = mark(mark(addLayer(mark(fresh(), 'a', false), 'key', true), 'b', false), 'c', true);
  const { stack, into } = flattened(deep);
  assert.equal(stack.entries, [{ layer: 'key' }, { upper: into }]);
  assert.equal(stack.marks, { b: 2, c: 2 });
  assert.is(stack.current, deep.current);
});

test('no folder is used twice, whatever the order of steps', () => {
  const step = fc.oneof(
    fc.record({
      kind: fc.constant('mark' as const),
      name: fc.constantFrom('a', 'b', 'c'),
      empty: fc.boolean(),
    }),
    fc.record({ kind: fc.constant('layer' as const), name: fc.constantFrom('k', 'l'), empty: fc.boolean() }),
    fc.record({ kind: fc.constant('fold' as const), name: fc.constant(''), empty: fc.constant(true) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let stack: OverlayStack = fresh();
      const written = new Set([stack.current]);
      for (const { kind, name, empty } of steps) {
        const before = stack;
        if (kind === 'fold') stack = flattened(stack).stack;
        else if (kind === 'layer') stack = addLayer(stack, name, empty);
        else stack = Object.hasOwn(stack.marks, name) ? restore(stack, name) : mark(stack, name, empty);
        if (stack.current !== before.current) {
          assert.not.ok(written.has(stack.current), `${stack.current} was written before`);
          written.add(stack.current);
        }
        const uppers = stack.entries.flatMap((entry) => ('upper' in entry ? [entry.upper] : []));
        assert.is(new Set([...uppers, stack.current]).size, uppers.length + 1);
        for (const at of Object.values(stack.marks)) assert.ok(at <= stack.entries.length);
      }
    }),
  );
});

test('the record is read as it was written, and none is null', () =>
  withTempFolder(async (folder) => {
    assert.is(await readStack(folder), null);
    const stack = mark(fresh(), 'x', false);
    await writeStack(folder, stack);
    assert.equal(await readStack(folder), stack);
  }));

test.run();
