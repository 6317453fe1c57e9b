import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, leadingFolder, pathIn, segmentFolders } from '../../../machines/shell/folder.ts';
import { mapSegments, segmentsOf } from '../../../machines/shell/segments.ts';
import { baseName, programOf, quoted, wordsOf } from '../../../machines/shell/words.ts';

const texts = (command: string): string[] => segmentsOf(command).map((segment) => segment.text);

/** Printed by fast-check when a property fails. */
const runs = { numRuns: 300 };
/** Pieces that shell text is made of, the awkward ones among them. */
const piece = fc.constantFrom(
  'a',
  'make',
  '-j4',
  ' ',
  '  ',
  '&&',
  '||',
  ';',
  '|',
  '&',
  '\n',
  '"',
  "'",
  '\\',
  '$(',
  ')',
  '`',
  '(',
  '{',
  '}',
  '#',
  '<<EOF',
  'EOF',
  '>',
  '2>&1',
  `\${x}`,
  '=',
  'cd',
  '$',
  'é',
  '/',
);
const shellText = fc.array(piece, { maxLength: 40 }).map((parts) => parts.join(''));

test('a chain is cut at its separators, and each part knows what follows it', () => {
  const segments = segmentsOf('cd b && make -j4 || exit 1; ls | head\ntrue &');
  assert.equal(
    segments.map(({ text, after }) => [text, after]),
    [
      ['cd b', '&&'],
      ['make -j4', '||'],
      ['exit 1', ';'],
      ['ls', '|'],
      ['head', '\n'],
      ['true', '&'],
    ],
  );
});

test('quotes, substitutions, subshells, redirections and comments hide separators', () => {
  assert.equal(texts(`echo "a && b" && echo 'c; d'`), ['echo "a && b"', "echo 'c; d'"]);
  assert.equal(texts('x=$(a && b; c) && d'), ['x=$(a && b; c)', 'd']);
  assert.equal(texts('echo "$(a "b;c" && d)"; e'), ['echo "$(a "b;c" && d)"', 'e']);
  assert.equal(texts('(cd a && make) && b'), ['(cd a && make)', 'b']);
  assert.equal(texts('make 2>&1 | tee log'), ['make 2>&1', 'tee log']);
  assert.equal(texts('make &> log; b >& c'), ['make &> log', 'b >& c']);
  assert.equal(texts('a # b && c\nd'), ['a # b && c', 'd']);
  assert.equal(texts('echo a#b && c'), ['echo a#b', 'c']);
  assert.equal(texts('a |& b'), ['a', 'b']);
  assert.equal(texts('echo `a; b` && c'), ['echo `a; b`', 'c']);
  assert.equal(texts('echo a\\;b && c'), ['echo a\\;b', 'c']);
  assert.equal(texts(`echo \${x:-a;b}; c`), [`echo \${x:-a;b}`, 'c']);
});

test('a here-document belongs to its command', () => {
  assert.equal(texts("cat > f <<'EOF'\na && b\nEOF\nmake"), ["cat > f <<'EOF'\na && b\nEOF", 'make']);
  assert.equal(texts('cat <<A && next\nx; y\nA\nlast'), ['cat <<A', 'next\nx; y\nA', 'last']);
  assert.equal(texts('cat <<END\nnever closed; x'), ['cat <<END\nnever closed; x']);
});

test('empty text has no command', () => {
  assert.equal(texts(''), []);
  assert.equal(texts(' ;; \n && '), []);
});

test('every part stands where it says, in order, for any text', () => {
  fc.assert(
    fc.property(shellText, (command) => {
      let last = 0;
      for (const { text, start, end } of segmentsOf(command)) {
        assert.is(command.slice(start, end), text);
        assert.ok(start >= last && end > start);
        assert.is(text, text.trim());
        last = end;
      }
    }),
    runs,
  );
});

test('changing nothing gives the same text, for any text', () => {
  fc.assert(
    fc.property(shellText, (command) => {
      assert.is(
        mapSegments(command, () => null),
        command,
      );
      assert.is(
        mapSegments(command, ({ text }) => text),
        command,
      );
    }),
    runs,
  );
});

test('simple commands joined by separators come apart again', () => {
  const word = fc.stringMatching(/^[a-z][a-z0-9./-]{0,8}$/);
  const simple = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '));
  const quotedWord = fc.string({ maxLength: 12 }).map((text) => `echo ${quoted(`${text}x y`)}`);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.oneof(simple, quotedWord), fc.constantFrom(' && ', ' || ', '; ', ' | ', '\n')), {
        minLength: 1,
        maxLength: 6,
      }),
      (parts) => {
        const command = `${parts.map(([text, by]) => text + by).join('')}end`;
        assert.equal(texts(command), [...parts.map(([text]) => text), 'end']);
      },
    ),
    runs,
  );
});

test('a quoted word is read back as it was, for any text', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 20 }), (value) => {
      assert.equal(
        wordsOf(`x ${quoted(value)} y`).map((word) => word.value),
        ['x', value, 'y'],
      );
    }),
    runs,
  );
});

test('the program is found behind assignments, keywords and programs that start others', () => {
  const name = (text: string): string | undefined => programOf(text)?.name;
  assert.is(name('CC=gcc CFLAGS="-O2 -g" ./configure --x'), './configure');
  assert.is(name('sudo -u root env A=1 make'), 'make');
  assert.is(name('timeout -k 5 60 nice -n 10 ninja'), 'ninja');
  assert.is(name('if ! make'), 'make');
  assert.is(name('then make'), 'make');
  assert.is(name('env'), 'env');
  assert.is(name('"./my script" a'), './my script');
  assert.is(name('(cd a)'), undefined);
  assert.is(name('# make'), undefined);
  assert.is(name('A=1'), undefined);
  assert.equal(
    programOf('A=1 make -C "b c" x\\ y')?.args.map((arg) => arg.value),
    ['-C', 'b c', 'x y'],
  );
  assert.is(baseName('/usr/bin/gcc'), 'gcc');
});

test('wrappers and members of Object are told apart', () => {
  assert.is(programOf('constructor x')?.name, 'constructor');
  assert.is(programOf('toString')?.name, 'toString');
});

test('the program and its words are where they say, for any text', () => {
  fc.assert(
    fc.property(shellText, (text) => {
      const program = programOf(text);
      if (program === null) return;
      assert.ok(program.start >= 0);
      for (const arg of program.args) assert.is(text.slice(arg.start, arg.end), arg.raw);
    }),
    runs,
  );
});

test('leading changes of folder are told from the rest', () => {
  assert.equal(leadingFolder('cd a && cd b/../c && make && cd d'), { folder: 'a/c', rest: 'make && cd d' });
  assert.equal(leadingFolder('make'), { folder: '', rest: 'make' });
  assert.equal(leadingFolder('cd "$X" && make'), { folder: null, rest: 'make' });
  assert.equal(leadingFolder('cd a || make'), { folder: '', rest: 'cd a || make' });
  assert.equal(leadingFolder('cd ../.. && x'), { folder: '../..', rest: 'x' });
  assert.equal(leadingFolder('cd && x'), { folder: null, rest: 'x' });
  assert.equal(leadingFolder('cd - && x'), { folder: null, rest: 'x' });
  assert.equal(leadingFolder('cd a'), { folder: '', rest: 'cd a' });
  assert.equal(leadingFolder(`${'cd a && '.repeat(20)}make`).folder, Array(8).fill('a').join('/'));
});

test('each command knows the folder it runs in', () => {
  const folders = (command: string) => segmentFolders(command).map(({ folder }) => folder);
  assert.equal(folders('mkdir b && cd b && cmake ..'), ['', '', 'b']);
  assert.equal(folders('cd a | cat; make'), ['', '', '']);
  assert.equal(folders('cd /opt && x && cd $Y && z'), ['', '/opt', '/opt', null]);
});

test('folders and paths go together', () => {
  assert.is(inFolder('', 'make'), 'make');
  assert.is(inFolder('a b', 'make'), "cd 'a b' && make");
  assert.is(pathIn('a/b', '../c'), 'a/c');
  assert.is(pathIn('a', '/etc'), '/etc');
  assert.is(pathIn('', './x'), 'x');
  assert.is(pathIn('a', '$X'), '$X');
});

test.run();
