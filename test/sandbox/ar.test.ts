import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { archiveKind, type ReadAt, readArchive } from '../../sandbox/ar.ts';
import { archiveOf, elfFile, type Member } from '../support/elf-files.ts';

const limits = { membersMax: 100, headBytes: 64 };
const reader =
  (bytes: Uint8Array): ReadAt =>
  async (offset, length) =>
    bytes.subarray(offset, offset + length);
const read = (bytes: Uint8Array) => readArchive(reader(bytes), limits);

const members: Member[] = [
  { name: 'a.o', content: elfFile({ type: 1, tail: 'odd' }) },
  { name: 'a_name_of_more_than_15_characters.o', content: elfFile({ type: 1 }) },
  { name: 'empty.o', content: Buffer.alloc(0) },
];

for (const style of ['gnu', 'bsd'] as const) {
  test(`reads names, sizes and first bytes of the members of a ${style} archive`, async () => {
    const archive = await read(archiveOf(style, members));
    assert.is(archive?.kind, 'regular');
    assert.is(archive?.end, 'complete');
    assert.equal(
      archive?.members.map(({ name, size }) => ({ name, size })),
      members.map(({ name, content }) => ({ name, size: content.length })),
    );
    for (const [i, member] of (archive?.members ?? []).entries())
      assert.equal(Buffer.from(member.head), members[i]?.content.subarray(0, 64));
  });
}

test('lists the members of a thin archive, which holds none of their bytes', async () => {
  const archive = await read(archiveOf('thin', members));
  assert.is(archive?.kind, 'thin');
  assert.is(archive?.end, 'complete');
  assert.equal(
    archive?.members.map(({ name, size, head }) => [name, size, head.length]),
    members.map(({ name, content }) => [name, content.length, 0]),
  );
});

test('reads 64 bit symbol tables as tables, not as members', async () => {
  const bytes = archiveOf('gnu', members);
  bytes.write('/SYM64/', 8, 'latin1');
  assert.is((await read(bytes))?.members.length, members.length);
});

test('an archive without members is complete, another file is none', async () => {
  assert.equal(await read(Buffer.from('!<arch>\n')), { kind: 'regular', members: [], end: 'complete' });
  assert.is(await read(Buffer.from('!<arch>')), null);
  assert.is(await read(elfFile()), null);
  assert.is(archiveKind(Buffer.from('!<thin>\nmore')), 'thin');
});

test('says when an archive is cut off or damaged, and keeps the members before', async () => {
  const bytes = archiveOf('gnu', members);
  const cut = await read(bytes.subarray(0, bytes.length - 61)); // inside the header of the last member but one
  assert.is(cut?.end, 'damaged');
  assert.is(cut?.members.length, 1);
  const broken = Buffer.from(bytes);
  broken.write('!!', bytes.length - 2, 'latin1');
  const damaged = await read(broken);
  assert.is(damaged?.end, 'damaged');
  assert.is(damaged?.members.length, 2);
});

test('reads no more members than it may', async () => {
  const many = Array.from({ length: 150 }, (_, i) => ({ name: `${i}.o`, content: Buffer.from('x') }));
  const archive = await read(archiveOf('gnu', many));
  assert.is(archive?.end, 'tooMany');
  assert.ok((archive?.members.length ?? 0) <= limits.membersMax);
});

test('never throws and always ends, whatever the bytes are', async () => {
  const whole = archiveOf('gnu', members);
  const noise = fc.uint8Array({ maxLength: 300 }).map((rest) => Buffer.concat([whole.subarray(0, 8), rest]));
  const changed = fc
    .tuple(
      fc.constantFrom('gnu', 'bsd', 'thin'),
      fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 6 }),
    )
    .map(([style, changes]) => {
      const bytes = archiveOf(style as 'gnu', members);
      for (const [at, value] of changes) bytes[at % bytes.length] = value;
      return bytes;
    });
  await fc.assert(
    fc.asyncProperty(fc.oneof(noise, changed), async (bytes) => {
      const archive = await read(bytes);
      for (const { size, head } of archive?.members ?? []) assert.ok(size >= 0 && head.length <= 64);
    }),
    { numRuns: 1000 },
  );
});

test('gives back the members of every archive that was written', async () => {
  const name = fc
    .stringMatching(/^[a-zA-Z_][a-zA-Z0-9_.-]{0,30}$/)
    .filter((one) => !one.startsWith('__.SYMDEF'));
  const member = fc.record({ name, content: fc.uint8Array({ maxLength: 200 }).map((b) => Buffer.from(b)) });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('gnu' as const, 'bsd' as const, 'thin' as const),
      fc.array(member, { maxLength: 8 }),
      async (style, all) => {
        const archive = await read(archiveOf(style, all));
        assert.is(archive?.end, 'complete');
        assert.equal(
          archive?.members.map((one) => [one.name, one.size]),
          all.map((one) => [one.name, one.content.length]),
        );
      },
    ),
  );
});

test.run();
