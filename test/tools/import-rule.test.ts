import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findViolations, importsOf, violationsOf } from './import-rule.ts';

const whyOf = (file: string, source: string): string[] => violationsOf(file, source).map(({ why }) => why);

test('no file of the project breaks the import rule', () => {
  assert.equal(findViolations(join(import.meta.dirname, '../..')), []);
});

test('finds imports over several lines, re-exports, side effects and dynamic ones', () => {
  const source = `import {\n  a,\n  type B,\n} from './a.ts';\nexport { c } from './c.ts';\nimport './d.ts';
    const e = await import('./e.ts');\nimport type { F } from './f.ts';`;
  assert.equal(importsOf(source), [
    { target: './a.ts', typeOnly: false },
    { target: './c.ts', typeOnly: false },
    { target: './d.ts', typeOnly: false },
    { target: './f.ts', typeOnly: true },
    { target: './e.ts', typeOnly: false },
  ]);
});

test('machines may not reach Node, values of events, or services', () => {
  assert.is(whyOf('machines/a.ts', `import { readFileSync } from 'node:fs';`).length, 1);
  assert.is(whyOf('machines/a.ts', `import { openLog } from '../events/log.ts';`).length, 1);
  assert.is(whyOf('machines/nodes/a.ts', `import { b } from '../../services/b.ts';`).length, 1);
});

test('machines may use xstate, types of events and the projection', () => {
  const source = `import { setup } from 'xstate';\nimport type { A } from '../events/records.ts';
import { project } from '../events/projection.ts';`;
  assert.equal(whyOf('machines/a.ts', source), []);
});

test('events import nothing of the outer parts', () => {
  assert.is(whyOf('events/a.ts', `import type { B } from '../machines/b.ts';`).length, 1);
});

test('only wire.ts assembles handlers and drivers', () => {
  const handler = `import { runCommand } from './effects/run-command.ts';`;
  const driver = `import { createChrootDriver } from '../sandbox/chroot-driver.ts';`;
  assert.equal(whyOf('services/wire.ts', `${handler}\n${driver}`), []);
  assert.is(whyOf('services/engine.ts', `${handler}\n${driver}`).length, 2);
  assert.equal(whyOf('services/engine.ts', handler.replace('import', 'import type')), []);
});

test.run();
