import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { UsageError } from '../../services/cli/command-line.ts';
import { CliError, explainError } from '../../services/cli/errors.ts';
import { isOlder } from '../../services/cli/machine-needs.ts';
import { EngineError } from '../../services/engine.ts';

test('a usage error ends with 2 and points to the help', () => {
  assert.equal(explainError(new UsageError('no such flag'), false), {
    lines: ['atesor: no such flag', 'Try: atesor --help'],
    exitCode: 2,
  });
});

test('an error written for people is shown as it is, on one line', () => {
  const { lines, exitCode } = explainError(new EngineError('natsMissing', 'nats-server is missing'), false);
  assert.equal(lines, ['atesor: nats-server is missing']);
  assert.is(exitCode, 1);
  assert.is(explainError(new CliError('x', 4), false).exitCode, 4);
});

test('errors of the file system name the path and the next step', () => {
  for (const code of ['ENOSPC', 'EROFS', 'EACCES', 'EDQUOT']) {
    const error = Object.assign(new Error(`${code}: bla`), { code, path: '/data/log.db' });
    const [line = ''] = explainError(error, false).lines;
    assert.match(line, '/data/log.db');
    assert.match(line, 'ATESOR_HOME');
  }
});

test('a stack is shown only when asked for, with its causes', () => {
  const error = new Error('outer', { cause: new Error('inner') });
  assert.not.match(explainError(error, false).lines.join('\n'), '    at ');
  const told = explainError(error, true).lines.join('\n');
  assert.match(told, '    at ');
  assert.match(told, 'caused by: Error: inner');
});

test('a circle of causes ends', () => {
  const error = new Error('round');
  error.cause = error;
  assert.ok(explainError(error, true).lines.length < 200);
});

test('something thrown that is no error is still told', () => {
  assert.equal(explainError('oops', false).lines, ['atesor: oops']);
});

test('a version is older by its first number that differs', () => {
  assert.ok(isOlder('2.8.11', '2.9'));
  assert.not.ok(isOlder('2.10.1', '2.9'));
  assert.not.ok(isOlder('2.9', '2.9'));
  assert.ok(isOlder('1.12', '2.9'));
  assert.not.ok(isOlder('unknown version', '2.9'));
});

test.run();
