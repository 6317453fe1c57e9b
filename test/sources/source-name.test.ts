import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readSourceName, repoNameOf, type SourceName } from '../../machines/source-name.ts';

const refusal = (text: string): string => {
  const read = readSourceName(text);
  if (!('refused' in read)) throw new Error(`${text} was taken as ${JSON.stringify(read)}`);
  return read.refused;
};
const accepted = (text: string): SourceName => {
  const read = readSourceName(text);
  if ('refused' in read) throw new Error(read.refused);
  return read;
};

test('takes http(s) addresses, Debian packages and folders', () => {
  assert.equal(accepted('https://example.test/a/b.git'), {
    kind: 'git',
    url: 'https://example.test/a/b.git',
  });
  assert.equal(accepted('http://127.0.0.1:8418/x.git').kind, 'git');
  assert.equal(accepted('deb:zlib'), { kind: 'deb', name: 'zlib', version: null });
  assert.equal(accepted('orig:g++=1:2.0~rc1-3+b1'), { kind: 'orig', name: 'g++', version: '1:2.0~rc1-3+b1' });
  assert.equal(accepted('./x'), { kind: 'folder', path: './x' });
  assert.equal(accepted('/srv/x').kind, 'folder');
  assert.equal(accepted('.').kind, 'folder');
});

test('refuses other transports and says what is accepted', () => {
  for (const text of ['git@host:x', 'ssh://host/x', 'file:///etc', 'ftp://host/x', 'git://host/x', '']) {
    assert.match(refusal(text), /accepted are an http\(s\) git URL, deb:NAME/, text);
  }
});

test('a bare word gets a hint', () => {
  assert.match(refusal('zlib'), /did you mean deb:zlib or \.\/zlib\?$/);
});

test('refuses a URL that carries a password, without repeating it', () => {
  const message = refusal('https://user:geheim@example.test/x.git');
  assert.match(message, /GIT_TOKEN/);
  assert.not.match(message, /geheim/);
});

test('refuses shell characters, blanks and control characters', () => {
  for (const text of [
    'https://h/x;reboot',
    'https://h/$(id)',
    'https://h/x y',
    'deb:Zlib',
    'deb:../x',
    'deb:x=1 2',
    './a\u0000b',
    'https://h',
    'https://--upload-pack=x/y',
  ]) {
    refusal(text);
  }
});

test('names a port after its repository, with the owner before names that say nothing', () => {
  const names: Array<[string, string]> = [
    ['https://example.test/tomnomnom/gron', 'gron'],
    ['https://example.test/tomnomnom/gron.git/', 'gron'],
    ['https://example.test/foo/cli', 'foo-cli'],
    ['https://example.test/foo/server.git', 'foo-server'],
    ['https://example.test/x/.hidden', 'hidden'],
    ['https://example.test/x/a+b', 'a-b'],
    ['https://example.test/x/y?z=1', 'y'],
    ['orig:g++', 'g--'],
    ['/srv/work/src', 'work-src'],
  ];
  for (const [text, name] of names) assert.is(repoNameOf(accepted(text)), name, text);
});

test('every accepted source has a safe name, and no text makes the reader fail', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.webUrl({ withQueryParameters: true, withFragments: true }),
        fc.string({ unit: 'grapheme' }).map((text) => `./${text}`),
        fc.string().map((text) => `deb:${text}`),
      ),
      (text) => {
        const read = readSourceName(text);
        if (!('refused' in read)) assert.match(repoNameOf(read), /^[A-Za-z0-9_-][A-Za-z0-9_.-]*$/);
      },
    ),
  );
});

test.run();
