import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commandKey } from '../../../machines/plans/command-key.ts';
import { phasePolicy } from '../../../machines/plans/phase-policy.ts';
import { textDigest } from '../../../machines/text-digest.ts';

test('setup and fetch have a network, all other phases have none and say so to the tools', () => {
  assert.is(phasePolicy('setup', 'apt-get update').network, 'fetch');
  assert.is(phasePolicy('fetch', 'go mod download').network, 'fetch');
  assert.is(phasePolicy('fetch', 'go mod download').env.GOPROXY, undefined);
  for (const phase of ['configure', 'build', 'go_prepare_build', 'install', 'discover']) {
    assert.is(phasePolicy(phase, 'make').network, 'off');
    assert.is(phasePolicy(phase, 'make').env.GOPROXY, 'off');
  }
});

test('only what writes outside the workspace runs as root', () => {
  const user = (command: string, phase = 'build') => phasePolicy(phase, command).user;
  for (const command of [
    'make install',
    'cd build && make -j4 install-strip',
    'ninja -C b install',
    'cmake --install build',
    'meson install',
    'make && ldconfig',
  ]) {
    assert.is(user(command), 'root', command);
  }
  for (const command of [
    'make -j4',
    'make DESTDIR=/workspace/out install',
    'cmake --install build --prefix /workspace/out',
    'meson install --destdir=out',
    'echo make install',
    'install -m 755 a bin/a',
    '(make install)',
  ]) {
    assert.is(user(command), 'builder', command);
  }
  assert.is(user('cp a /usr/local/bin', 'install'), 'root');
});

test('a command has the time that the existing system gives it', () => {
  assert.is(phasePolicy('build', 'make').timeoutMs, 1_800_000);
});

test('the key of a command changes with all that decides its outcome and with nothing else', () => {
  const base = { command: 'make', cwd: '/w', env: { A: '1', B: '2' }, treeVersion: 0, phaseId: 2, index: 0 };
  const key = commandKey(base);
  assert.is(commandKey({ ...base, env: { B: '2', A: '1' } }), key);
  const others = [
    { ...base, command: 'make -j1' },
    { ...base, cwd: '/v' },
    { ...base, env: { A: '1', B: '3' } },
    { ...base, treeVersion: 1 },
    { ...base, phaseId: 3 },
    { ...base, index: 1 },
  ];
  assert.is(new Set([key, ...others.map(commandKey)]).size, others.length + 1);
});

test('the digest of a text is 16 hex digits and tells texts apart', () => {
  assert.match(textDigest(''), /^[0-9a-f]{16}$/);
  const seen = new Set(Array.from({ length: 20_000 }, (_, n) => textDigest(`make ${n} ü`)));
  assert.is(seen.size, 20_000);
});

test.run();
