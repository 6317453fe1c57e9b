import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { planOf } from '../../../machines/plans/phases.ts';
import { validatePlan } from '../../../machines/plans/validate-plan.ts';

const check = (...commands: string[]) => validatePlan(planOf('make', 0.7, [{ name: 'build', commands }], ''));

const kept = (...commands: string[]): string[] => {
  const verdict = check(...commands);
  assert.ok(verdict.ok);
  return verdict.plan.phases.flatMap((phase) => phase.commands);
};

test('a plain plan stays as it is', () => {
  assert.equal(kept('./configure', 'make -j$(nproc) || exit 1', 'cp a b || true'), [
    './configure',
    'make -j$(nproc) || exit 1',
    'cp a b || true',
  ]);
});

test('tests are taken out of a plan, whole or from a chain', () => {
  for (const command of [
    'make check',
    'cd build && ctest --output-on-failure',
    'go test ./...',
    'cargo test --release',
    'meson test -C b',
    'npm test',
    'pytest',
  ]) {
    assert.equal(kept('make', command), ['make'], command);
  }
  assert.equal(kept('make && make check'), ['make']);
  assert.equal(kept('make check && make install'), ['make install']);
  assert.equal(kept('cd b && make; ctest; make doc'), ['cd b && make; make doc']);
  assert.equal(kept('make all check'), ['make all']);
  assert.equal(kept('make -C b check all -j 4'), ['make -C b all -j 4']);
  assert.equal(kept('make && make check || echo failed'), ['make']);
  assert.equal(kept('make check || exit 1; make install'), ['make install']);
});

test('what is no test stays', () => {
  assert.equal(kept('make tests/helper.o', 'go build ./test', 'cargo build --test x'), [
    'make tests/helper.o',
    'go build ./test',
    'cargo build --test x',
  ]);
});

test('a plan of tests alone, or of nothing, is refused', () => {
  assert.equal(check('make check'), { ok: false, reasons: ['the plan has only tests'] });
  assert.equal(check(), { ok: false, reasons: ['the plan has no command'] });
});

test('a plan that cannot work is refused with the reason', () => {
  const refused: Array<[string, RegExp]> = [
    ['make || true', /hides/],
    ['cmake --build b; true', /hides/],
    ['./configure && make || echo failed', /hides/],
    ['make &', /hides/],
    ['cp /path/to/x .', /placeholder/],
    ['git clone https://example.com/x', /placeholder/],
    ['CC=riscv64-unknown-linux-gnu-gcc make', /cross compiler/],
    ['ls /home/me', /home folder/],
    ['cd build && cmake -S .. -B build', /build inside build/],
    ['apt-get install -y mod tidy', /go command/],
  ];
  for (const [command, reason] of refused) {
    const verdict = check('make', command);
    assert.ok(!verdict.ok, command);
    assert.match(verdict.ok ? '' : verdict.reasons.join(), reason);
  }
});

test.run();
