/**
 * Runs test files, each as a program of its own, and ends with the line `N passed, N failed`.
 *
 *   node test/tools/run-tests.ts [--fast] [--jobs N] [--coverage] [PART …]
 *
 * PART keeps the files whose path contains it. `--fast` leaves out test/real, which ports real packages.
 * `--coverage` records what the tests of machines/ and events/ run, for `coverage.ts --report`.
 * Exit code 0 only when at least one test ran and none failed: uvu itself calls an empty run a success.
 */
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { coverageFolder, isCovered } from './covered.ts';
import { type FileResult, type FileRun, runFile } from './run-file.ts';

const root = join(import.meta.dirname, '../..');

/** Wall time of one file, ms. A first sandbox root takes 80 s quiet and 330 s loaded (sandbox notes). */
const fileDeadlineMs = 600_000;
/** Wall time of one file under test/real, which ports whole packages, ms. */
const realDeadlineMs = 1_800_000;

const { values: flags, positionals: parts } = parseArgs({
  allowPositionals: true,
  options: {
    fast: { type: 'boolean' },
    jobs: { type: 'string' },
    coverage: { type: 'boolean' },
    verbose: { type: 'boolean', short: 'v' },
  },
});
const jobs = Number(flags.jobs ?? Math.min(2, availableParallelism()));

const isReal = (file: string): boolean => file.startsWith('test/real/');

const testFiles = (): string[] =>
  globSync('test/**/*.test.ts', { cwd: root, exclude: (name) => name === 'fixtures' })
    .filter((file) => !(flags.fast && isReal(file)))
    .filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)))
    .sort((a, b) => Number(isReal(a)) - Number(isReal(b)) || a.localeCompare(b));

const report = (result: FileResult): void => {
  const mark = result.problem === null ? 'ok  ' : 'FAIL';
  const skipped = result.skipped > 0 ? `, ${result.skipped} skipped` : '';
  const counts = `${result.passed} passed${skipped}`;
  console.log(`${mark} ${result.file} (${counts}, ${result.seconds.toFixed(1)} s)`);
  if (result.problem !== null) console.log(`     ${result.problem}`);
  if (result.problem !== null || flags.verbose) console.log(result.output.replace(/^/gm, '     | '));
};

/** One data folder for the whole run, never the user's. */
const home = mkdtempSync(join(tmpdir(), 'atesor-tests-'));
const environment = { NO_COLOR: '1', ATESOR_HOME: home };
const running = new Set<FileRun>();
const results: FileResult[] = [];

const runOne = async (file: string): Promise<void> => {
  const run = runFile(file, isReal(file) ? realDeadlineMs : fileDeadlineMs, {
    ...process.env,
    ...environment,
    ...(flags.coverage && isCovered(file) ? { NODE_V8_COVERAGE: coverageFolder } : {}),
  });
  running.add(run);
  const result = await run.result;
  running.delete(run);
  results.push(result);
  report(result);
};

/** `jobs` files at a time; the real ones last, as each of them takes minutes. */
const runAll = async (files: string[]): Promise<void> => {
  const waiting = [...files];
  const take = async (): Promise<void> => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) await runOne(file);
  };
  await Promise.all(Array.from({ length: jobs }, take));
};

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    for (const run of running) run.kill();
    rmSync(home, { recursive: true, force: true });
    process.exit(130);
  });
}

process.chdir(root);
if (flags.coverage) rmSync(coverageFolder, { recursive: true, force: true });
await runAll(testFiles());
rmSync(home, { recursive: true, force: true });

const sum = (key: 'passed' | 'failed' | 'skipped'): number =>
  results.reduce((total, result) => total + result[key], 0);
for (const { file, problem } of results.filter(({ problem }) => problem !== null))
  console.log(`failed: ${file}: ${problem}`);
if (results.length === 0) console.log(`no test file matches ${parts.join(' ') || 'test/**/*.test.ts'}`);
if (sum('skipped') > 0) console.log(`${sum('skipped')} skipped`);
console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
process.exitCode = sum('passed') > 0 && sum('failed') === 0 ? 0 : 1;
