import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeRedactor, redactedMark, redactValue } from '../../services/redact.ts';

const env = { GITHUB_TOKEN: 'value-of-a-token-1', MY_SECRET: 'yes', PATH: '/usr/bin:/bin/long/path' };
const { text, lines } = makeRedactor(env);

// Made up, and put together here so that no scanner takes them for real ones.
const letters = 'Abcdefghijklmnopqrstuvwxyz0123456789ABCDEF';
const secrets: Array<[string, string]> = [
  ['GitHub', `ghp_${letters.slice(0, 36)}`],
  ['GitHub, fine', `github_pat_${letters.slice(0, 30)}`],
  ['GitLab', `glpat-${letters.slice(0, 20)}`],
  ['Slack', `xoxb-${letters.slice(0, 24)}`],
  ['Anthropic', `sk-ant-${letters.slice(0, 40)}`],
  ['OpenAI', `sk-${letters.slice(0, 40)}`],
  ['Google', `AIza${letters.slice(0, 35)}`],
  ['AWS', 'AKIAABCDEFGHIJKLMNOP'],
  ['npm', `npm_${letters.slice(0, 36)}`],
  ['web token', `eyJ${letters.slice(0, 20)}.${letters.slice(0, 20)}.${letters.slice(0, 20)}`],
  ['of the environment', 'value-of-a-token-1'],
];

test('takes known kinds of secrets out of any text around them', () => {
  for (const [kind, secret] of secrets) {
    for (const line of [secret, `x ${secret}`, `fatal: could not read "${secret}", stop`, `a=${secret};`]) {
      assert.not.match(text(line), secret, kind);
      assert.match(text(line), redactedMark, kind);
    }
  }
});

test('takes out what a name says is a secret, and keeps the name', () => {
  assert.is(
    text('git clone https://user:pa55w0rd@example.org/x.git'),
    `git clone https://${redactedMark}@example.org/x.git`,
  );
  assert.is(text('Authorization: Bearer abcdefgh12345678'), `Authorization: Bearer ${redactedMark}`);
  assert.is(text('export DEPLOY_API_KEY=abcdef12345'), `export DEPLOY_API_KEY=${redactedMark}`);
  assert.is(text('{"password": "hunter2hunter2"}'), `{"password": "${redactedMark}"}`);
});

test('leaves ordinary build output as it is', () => {
  const ordinary = [
    "main.c:12:5: error: expected ';' before 'token'",
    'syntax error near unexpected token `newline`',
    '-- Looking for CreateToken: not found',
    'gcc -O2 -DPASSWORD_MAX=64 -c auth.c -o auth.o',
    'https://example.org/path/to@file.tar.gz',
    'undefined reference to `EVP_DecryptInit_ex@OPENSSL_3.0.0`',
    'yes',
    'risk-free-text-that-goes-on-and-on-and-on-and-on',
  ];
  for (const line of ordinary) assert.is(text(line), line);
});

test('takes a whole key block out, line by line', () => {
  const each = lines();
  const block = [
    'before\n',
    '-----BEGIN RSA PRIVATE KEY-----\n',
    'MIIabc\n',
    '-----END RSA PRIVATE KEY-----\n',
    'after\n',
  ];
  assert.equal(block.map(each), [
    'before\n',
    `${redactedMark}\n`,
    `${redactedMark}\n`,
    `${redactedMark}\n`,
    'after\n',
  ]);
});

test('cleans the texts of a value and nothing else', () => {
  const value = { tail: 'TOKEN=abcdefgh', count: 3, list: ['plain', null], nested: { ok: true } };
  assert.equal(redactValue(value, text), {
    tail: `TOKEN=${redactedMark}`,
    count: 3,
    list: ['plain', null],
    nested: { ok: true },
  });
});

test('cleaning twice is cleaning once, whatever the text, and never throws', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (any) => {
      assert.is(text(text(any)), text(any));
    }),
    { numRuns: 500 },
  );
});

test('a long line without end costs little', () => {
  const begun = process.cpuUsage().user;
  text('a:'.repeat(32 * 1024));
  text('x='.repeat(32 * 1024));
  text('_'.repeat(64 * 1024));
  assert.ok(process.cpuUsage().user - begun < 2_000_000, 'less than 2 s of CPU');
});

test.run();
