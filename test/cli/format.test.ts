import { stripVTControlCharacters } from 'node:util';
import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cleaned, count, cut, duration, oneLine, table } from '../../services/cli/format.ts';
import { editDistance, nearest } from '../../services/cli/suggest.ts';

test('durations read as a person would say them', () => {
  assert.equal([0, 449, 9_949, 9_950, 59_499, 59_500, 185_000, 3_720_000].map(duration), [
    '0.0 s',
    '0.4 s',
    '9.9 s',
    '10 s',
    '59 s',
    '1 min 00 s',
    '3 min 05 s',
    '1 h 02 min',
  ]);
});

test('a count has the right noun', () => {
  assert.equal([count(0, 'file'), count(1, 'file'), count(2, 'file')], ['0 files', '1 file', '2 files']);
});

test('output cannot move the cursor, colour the screen or turn the text around', () => {
  assert.is(oneLine('\u001b[2J\u001b[31mred\u001b[0m\ttext\u0007'), 'red text');
  assert.is(oneLine('10%\r50%\r100%\n'), '100%');
  assert.is(oneLine('a\u202egnp.exe'), 'agnp.exe');
  assert.is(cleaned('a\r\nb\u0000\n'), 'a\nb\n');
});

test('a line of any text has no control characters left', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const line = oneLine(text);
      assert.not.match(line, /\p{Cc}/u);
      assert.is(stripVTControlCharacters(line), line);
    }),
  );
});

test('a cut line is never wider than asked, and wide characters count double', () => {
  assert.is(cut('abcdef', 6), 'abcdef');
  assert.is(cut('abcdefg', 6), 'abcde…');
  assert.is(cut('漢字漢字', 5), '漢字…');
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-ascii' }), fc.integer({ min: 1, max: 40 }), (text, width) => {
      assert.ok([...cut(text, width)].length <= width);
    }),
  );
});

test('a table pads every column but the last', () => {
  assert.is(
    table([
      ['a', 'bb', 'c'],
      ['aaa', 'b', ''],
    ]),
    'a    bb  c\naaa  b\n',
  );
});

test('edit distance counts a swap of neighbours as one', () => {
  assert.is(editDistance('prot', 'port'), 1);
  assert.is(editDistance('', 'abc'), 3);
  assert.is(editDistance('same', 'same'), 0);
});

test('a word far from all known ones is not guessed', () => {
  assert.is(nearest('zzzzzz', ['port', 'runs']), null);
  assert.is(nearest('even', ['events', 'runs']), 'events');
});

test.run();
