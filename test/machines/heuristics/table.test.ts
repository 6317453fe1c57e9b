/** Every rule's examples and near misses are run as tests, through the same functions as a build uses. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CommandResult } from '../../../events/records.ts';
import { retryFor, retryQueries, rewriteQueries, rewritesFor } from '../../../machines/heuristics/apply.ts';
import { heuristics } from '../../../machines/heuristics/table.ts';
import type { Failure } from '../../../machines/heuristics/types.ts';

const text = (value: string) => ({ size: value.length, blob: null, head: value, tail: '' });
function failure(command: string, output: string, extra: Partial<CommandResult> = {}): Failure {
  const result: CommandResult = {
    command,
    exitCode: 1,
    signal: null,
    timedOut: false,
    oomKilled: null,
    stdout: text(''),
    stderr: text(output),
    lines: [],
    durationMs: 1,
    ...extra,
  };
  return { phase: 'build', repoName: 'demo', answers: {}, planned: command, command, result };
}

for (const rule of heuristics) {
  if (rule.kind === 'rewrite') {
    rule.examples.forEach(({ command, answers = {}, expect }, n) => {
      test(`${rule.id} rewrites its example ${n + 1}`, () => {
        const context = { phase: 'build', repoName: 'demo', answers };
        assert.ok(rule.when(command, context));
        assert.is(rule.act(command, context), expect);
        const done = rewritesFor(expect, context);
        assert.not.ok(
          done.applied.some((applied) => applied.heuristic === rule.id && rule.id.startsWith('go.')),
          'a second application changes nothing',
        );
      });
    });
    rule.nearMisses.forEach(({ command, answers = {} }, n) => {
      test(`${rule.id} leaves its near miss ${n + 1} alone`, () => {
        const context = { phase: 'build', repoName: 'demo', answers };
        assert.is(rule.when(command, context) ? rule.act(command, context) : command, command);
      });
    });
  } else {
    rule.examples.forEach(({ command, output, exitCode = 1, answers = {}, expect, planCommand }, n) => {
      test(`${rule.id} answers its example ${n + 1} and not a second time`, () => {
        const failed = { ...failure(command, output, { exitCode }), answers };
        const action = retryFor(failed, []);
        assert.ok(action !== null);
        assert.is(action.heuristic, rule.id);
        assert.equal(action.steps, expect);
        if (planCommand !== undefined) assert.is(action.planCommand, planCommand);
        assert.is(action.planCommand !== null, rule.changesPlan);
        assert.ok('retry' in (action.steps.at(-1) ?? {}));
        assert.is.not(retryFor(failed, [action.retryKey])?.heuristic, rule.id);
      });
    });
    rule.nearMisses.forEach(({ command, output, exitCode = 1, answers = {}, timedOut = false }, n) => {
      test(`${rule.id} leaves its near miss ${n + 1} alone`, () => {
        const failed = { ...failure(command, output, { exitCode, timedOut }), answers };
        assert.is.not(rule.when(failed) && rule.act(failed) !== null, true);
      });
    });
  }
}

test('ids are unique and the seed numbers stand in the order of the seed', () => {
  assert.is(new Set(heuristics.map((rule) => rule.id)).size, heuristics.length);
  const numbers = heuristics.flatMap((rule) => (rule.seed === null ? [] : [rule.seed]));
  assert.equal(
    numbers,
    numbers.toSorted((a, b) => a - b),
  );
});

test('a command that needs no fact about the tree asks for none', () => {
  assert.equal(rewriteQueries('make -j$(nproc)'), []);
  assert.equal(retryQueries(failure('make', 'error: x'), []), []);
  assert.ok(rewriteQueries('./configure').includes('exists:configure'));
});

test('rewrites work on each other’s results and are named in order', () => {
  const answers = {
    'exists:configure': true,
    'executable:configure': false,
  };
  const { command, applied } = rewritesFor('./configure && go build .', {
    phase: 'build',
    repoName: 'x',
    answers,
  });
  assert.is(command, 'sh ./configure && go build -buildvcs=false .');
  assert.equal(
    applied.map((a) => a.heuristic),
    ['go.vcs-flag', 'script.missing-exec-bit'],
  );
});

test('a second missing header is a new firing, the same one is not', () => {
  const first = retryFor(failure('make', 'a.c:1: fatal error: png.h: No such file or directory'), []);
  const again = failure('make', 'a.c:2: fatal error: zlib.h: No such file or directory');
  assert.ok(first !== null);
  const second = retryFor(again, [first.retryKey]);
  assert.equal(second?.steps[0], { install: ['zlib1g-dev'] });
  assert.is(retryFor(again, [first.retryKey, second?.retryKey ?? '']), null);
});

test('a tool printed on stdout counts like one on stderr', () => {
  const failed = failure('ninja', '', {
    stdout: text('x.c:1:1: fatal error: zlib.h: No such file or directory'),
  });
  assert.equal(retryFor(failed, [])?.steps[0], { install: ['zlib1g-dev'] });
});

test.run();
