import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openBlobs } from '../../events/blobs.ts';
import type { EventBody } from '../../events/envelope.ts';
import { projectAll } from '../../events/projection.ts';
import { type EffectContext, EffectError } from '../../services/effects/handler.ts';
import { writeOutputs } from '../../services/effects/write-outputs.ts';
import { homeLayout } from '../../services/home.ts';
import { bullets, codeBlock, markdownTable } from '../../services/report/markdown.ts';
import { outputNames, ownPath, stamp, writeWhole } from '../../services/report/output-files.ts';
import { reportMarkdown } from '../../services/report/report.ts';
import { recordRuns } from '../support/recorded-home.ts';
import { commandResult, drive, runId } from '../support/scripted-run.ts';

const good = drive();
const broken = drive({
  runCommand: ({ command }) =>
    String(command).startsWith('make')
      ? { output: { ...commandResult({ exitCode: 2, text: 'x.c:1:9: error: unknown type name foo_t' }) } }
      : undefined,
});

const reportOf = (bodies: EventBody[], exitCode: number): string => {
  const state = projectAll(bodies);
  assert.ok(state);
  return reportMarkdown({ state, exitCode, at: 1_790_000_100_000 });
};

const folder = mkdtempSync(join(tmpdir(), 'atesor-report-'));
test.after(() => rmSync(folder, { recursive: true, force: true }));

test('a verified port has the sections that are due, in their order', () => {
  const report = reportOf(good.bodies, 0);
  const titles = [...report.matchAll(/^## (.*)$/gm)].map(([, title]) => title);
  assert.equal(titles, [
    'Executive Summary',
    'Metrics',
    'Artifact Verification',
    'Package Tests',
    'Build System Analysis',
    'Recommendations',
  ]);
  assert.match(report, 'Verdict: **verified**');
  assert.match(report, 'they do not decide the verdict');
});

test('a failed port tells its errors and why it was escalated', () => {
  const report = reportOf(broken.bodies, 1);
  assert.match(report, '## Error Resolution History');
  assert.match(report, 'unknown type name foo_t');
  assert.match(report, '## Escalation');
});

test('text from a package cannot leave its code block', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('`', 'a', '\n', '~') }), (text) => {
      const [first = '', ...rest] = codeBlock(text).trimEnd().split('\n');
      const fence = /^`+/.exec(first)?.[0] ?? '';
      assert.is(rest.at(-1), fence);
      for (const line of rest.slice(0, -1)) assert.not.ok(line.startsWith(fence), JSON.stringify(text));
    }),
  );
});

test('table cells and list items stay on their line', () => {
  assert.is(markdownTable(['a'], [['x|y\nz']]), '| a |\n| --- |\n| x\\|y z |\n');
  assert.is(bullets(['a\nb', 'c', 'd'], 2), '- a b\n- c\n- and 1 more\n');
});

test('file names carry the time of the event in UTC', () => {
  assert.is(stamp(Date.UTC(2026, 0, 31, 12, 5, 9)), '20260131_120509');
  assert.is(outputNames('zlib', 0).report, 'zlib_report_19700101_000000.md');
  assert.is(outputNames('zlib', 0).recipe, 'zlib_recipe.md');
  assert.is(outputNames('zlib', 0).patch(2), 'zlib_patches_19700101_000000/patch_2.patch');
});

test('a file is written whole, and nothing else is left beside it', async () => {
  const path = join(folder, 'whole', 'a.md');
  await writeWhole(path, 'one');
  await writeWhole(path, 'two');
  assert.is(readFileSync(path, 'utf8'), 'two');
  assert.equal(readdirSync(join(folder, 'whole')), ['a.md']);
});

test('a name that another run has taken gets the id of the run, the same one each time', async () => {
  writeFileSync(join(folder, 'r.md'), 'of run AAA');
  assert.is(await ownPath(folder, 'r.md', 'AAA'), join(folder, 'r.md'));
  assert.is(await ownPath(folder, 'r.md', 'BBB'), join(folder, 'r_BBB.md'));
});

const requested = good.bodies.find(
  (event) => event.type === 'effect.requested' && (event.data as { name: string }).name === 'writeOutputs',
) as EventBody;

const contextFor = (home: string, effectId = requested.id): EffectContext => ({
  runId,
  effectId,
  home,
  blobs: openBlobs(homeLayout(home).blobs),
  signal: new AbortController().signal,
  emit: () => undefined,
  sandbox: () => Promise.reject(new Error('no sandbox is needed')),
  closeSandbox: () => Promise.resolve(true),
});

test('writeOutputs writes from the state at its own event, and twice gives the same files', async () => {
  const home = join(folder, 'home');
  recordRuns(home, [good.bodies]);
  const first = await writeOutputs({ exitCode: 0 }, contextFor(home));
  const before = readdirSync(homeLayout(home).output).sort();
  const second = await writeOutputs({ exitCode: 0 }, contextFor(home));
  assert.equal(second, first);
  assert.equal(readdirSync(homeLayout(home).output).sort(), before);
  const state = JSON.parse(readFileSync(first.state, 'utf8'));
  assert.is(state.build_status, 'SUCCESS');
  assert.is(state.x.run_id, runId);
  assert.ok(statSync(first.recipe ?? '').size > 0);
  assert.match(readFileSync(first.report, 'utf8'), runId);
});

test('writeOutputs names what it lacks: an event that is not there, a folder that cannot be made', async () => {
  const home = join(folder, 'home2');
  recordRuns(home, [good.bodies]);
  const codeOf = async (context: EffectContext): Promise<string> => {
    try {
      await writeOutputs({ exitCode: 0 }, context);
    } catch (error) {
      assert.instance(error, EffectError);
      return (error as EffectError).code;
    }
    return 'none';
  };
  assert.is(await codeOf(contextFor(home, 'nosuch')), 'internal');
  mkdirSync(home, { recursive: true });
  writeFileSync(homeLayout(home).output, 'a file where the folder should be');
  assert.is(await codeOf(contextFor(home)), 'internal');
});

test.run();
