import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readCommandLine, UsageError } from '../../services/cli/command-line.ts';

const problem = (...argv: string[]): string => {
  try {
    readCommandLine(argv);
  } catch (error) {
    assert.instance(error, UsageError);
    return (error as Error).message;
  }
  throw new Error(`accepted: ${argv.join(' ')}`);
};

test('the old form --repo URL is a port', () => {
  for (const argv of [
    ['--repo', 'https://h/x'],
    ['-r', 'https://h/x'],
    ['port', '--repo', 'https://h/x'],
  ]) {
    const line = readCommandLine(argv);
    assert.is(line.command, 'port');
    assert.is(line.operand, 'https://h/x');
  }
});

test('a port has five attempts unless told otherwise, wherever the flag stands', () => {
  assert.is(readCommandLine(['port', 'deb:x']).maxAttempts, 5);
  assert.is(readCommandLine(['-m', '3', 'port', 'deb:x']).maxAttempts, 3);
  assert.is(readCommandLine(['port', 'deb:x', '--max-attempts=7']).maxAttempts, 7);
});

test('a number flag takes only whole numbers in its range', () => {
  for (const bad of ['0', '1.5', 'x', '', '99999999999999999999'])
    assert.match(problem('port', 'deb:x', '--max-attempts', bad), 'whole number');
  assert.match(problem('state', 'last', '--at', '0'), 'at least 1');
});

test('a mistyped command or flag is answered with the one that was meant', () => {
  assert.match(problem('prot', 'deb:x'), "did you mean 'port'?");
  assert.match(problem('port', 'deb:x', '--frce'), "did you mean '--force'?");
  assert.match(problem('xyzzy'), 'there are port, resume');
});

test('a source without a command is answered with the whole command', () => {
  assert.match(problem('https://h/x'), "did you mean 'atesor port https://h/x'?");
  assert.match(problem('deb:zlib'), "did you mean 'atesor port deb:zlib'?");
});

test('a flag of another command is refused and those it has are named', () => {
  assert.match(problem('runs', '--force'), "'atesor runs' has no flag --force; it has --json");
});

test('a command refuses what is missing and what is too much', () => {
  assert.match(problem('port'), 'needs a SOURCE');
  assert.match(problem('show'), 'needs a RUN');
  assert.match(problem('port', 'a', 'b'), "not also 'b'");
  assert.match(problem('runs', 'x'), "takes no 'x'");
  assert.match(problem('port', ''), 'needs a SOURCE');
  assert.match(problem(), 'no command given');
  assert.match(problem('port', 'deb:x', '-m'), 'argument missing');
});

test('help and version win over all else', () => {
  assert.is(readCommandLine(['--version', 'port']).command, 'version');
  assert.equal(readCommandLine(['port', '--help']).about, 'port');
  assert.equal(readCommandLine(['help', 'show']).about, 'show');
  assert.is(readCommandLine(['-h']).about, null);
});

test('--type and --node may be given several times', () => {
  const line = readCommandLine([
    'events',
    'last',
    '--type',
    'build',
    '--type',
    'error',
    '--node',
    'build_node',
  ]);
  assert.equal(line.types, ['build', 'error']);
  assert.equal(line.nodes, ['build_node']);
});

test.run();
