import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { repositoryScanSchema } from '../../events/records.ts';
import { scanTree } from '../../services/analysis/scan-tree.ts';
import { folderReader } from '../../services/analysis/tree-reader.ts';
import { memoryTree } from '../support/memory-tree.ts';

const fixtures = join(import.meta.dirname, '..', 'fixtures');
const validate = new Ajv.default().compile(repositoryScanSchema as object);

test('the fixtures are understood', async () => {
  const expected: Record<string, [string, string[]]> = {
    'go-hello': ['go', ['go-hello']],
    'rust-hello': ['cargo', ['rust-hello']],
    'make-hello': ['make', ['hello']],
    'broken-header': ['make', ['broken']],
  };
  for (const [name, [system, artifacts]] of Object.entries(expected)) {
    assert.ok(readdirSync(fixtures).includes(name));
    const scan = await scanTree(await folderReader(join(fixtures, name)), name);
    assert.is(scan.buildSystem.type, system);
    assert.ok(scan.buildSystem.confidence >= 0.5, 'a default plan can be made');
    assert.equal(scan.candidates[0], scan.buildSystem);
    assert.equal(scan.expectedArtifacts, artifacts);
    assert.equal(scan.archFindings, []);
    assert.ok(validate({ ...scan, durationMs: 1 }), JSON.stringify(validate.errors));
  }
});

test('a scan stays under the 64 KiB of an event, however long the texts are', async () => {
  const files: Record<string, string> = { 'CMakeLists.txt': '"\\\n'.repeat(20_000) };
  for (let i = 0; i < 900; i++)
    files[`folder${i}/very/long/${'n'.repeat(60)}${i}.c`] = '#include <immintrin.h>\n';
  for (const name of ['README', 'README.md', 'INSTALL', 'BUILDING', 'CONTRIBUTING.md', 'docs/x.md']) {
    files[name] = '"\\\t\u00e9\n'.repeat(40_000);
  }
  const scan = await scanTree(memoryTree(files), 'long');
  const bytes = Buffer.byteLength(JSON.stringify({ ...scan, durationMs: 1 }));
  assert.ok(bytes <= 64 * 1024, `${bytes} bytes`);
  assert.ok(scan.evidence.length <= 14_000);
  assert.ok(Buffer.byteLength(scan.tree) <= 8 * 1024);
  assert.ok(Object.keys(scan.documentation).length <= 5);
  assert.is(scan.fileCount, 907);
});

test('the same tree gives the same scan', async () => {
  const path = join(fixtures, 'go-hello');
  const [one, two] = [
    await scanTree(await folderReader(path), 'x'),
    await scanTree(await folderReader(path), 'x'),
  ];
  assert.equal(one, two);
});

test('an empty tree is a source of unknown kind', async () => {
  const scan = await scanTree(memoryTree({}), 'x');
  assert.is(scan.buildSystem.type, 'unknown');
  assert.is(scan.buildSystem.confidence, 0);
  assert.ok(validate({ ...scan, durationMs: 0 }), JSON.stringify(validate.errors));
});

test.run();
