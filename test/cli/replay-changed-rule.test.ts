/** A replay by a program whose routing rule was changed by hand: the first diverging event, exit code 4, no byte written. */
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { recordRuns } from '../support/recorded-home.ts';
import { runCli } from '../support/run-cli.ts';
import { drive, runId } from '../support/scripted-run.ts';

const project = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'atesor-changed-rule-'));
const home = join(folder, 'home');
const changed = join(folder, 'program');
test.after(() => rmSync(folder, { recursive: true, force: true }));

const digest = (): string[] =>
  readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => {
      const bytes = readFileSync(join(parentPath, name));
      return `${join(parentPath, name)} ${createHash('sha256').update(bytes).digest('hex')}`;
    })
    .sort();

test('replay with a changed routing rule names the first event that would be another one', async () => {
  const { bodies } = drive();
  recordRuns(home, [bodies]);
  for (const part of ['machines', 'events', 'services', 'sandbox', 'seeds', 'package.json'])
    cpSync(join(project, part), join(changed, part), { recursive: true });
  symlinkSync(join(project, 'node_modules'), join(changed, 'node_modules'));
  const rules = join(changed, 'machines/routing.ts');
  const text = readFileSync(rules, 'utf8');
  // A port that has succeeded goes to the escalation, not to its end.
  const rule = "{ row: 'success', when: succeeded, to: 'finish_node' }";
  assert.match(text, rule);
  writeFileSync(rules, text.replace(rule, rule.replace('finish_node', 'escalate_node')));

  const expected = bodies.find(
    ({ type, data }) => type === 'supervisor.routed' && (data as { to: string }).to === 'finish_node',
  );
  assert.ok(expected);
  const before = digest();
  const options = { home, main: join(changed, 'services/cli/main.ts') };
  const { code, stdout } = await runCli(['replay', runId, '--json'], options);
  assert.is(code, 4);
  const { diverged } = JSON.parse(stdout);
  assert.is(diverged.seq, expected.seq, stdout);
  assert.match(diverged.expected, 'to finish_node');
  assert.match(diverged.actual, 'to escalate_node');
  const shown = await runCli(['replay', runId], options);
  assert.is(shown.code, 4);
  for (const part of [`diverged at event ${expected.seq}`, 'supervisor_node', 'recorded', 'decided now'])
    assert.match(shown.stdout, part);
  assert.equal(digest(), before);
  assert.is((await runCli(['replay', runId], { home })).code, 0);
});

test.run();
