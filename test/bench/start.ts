/**
 * How long the command line takes to start, beside what Node itself takes: medians of interleaved rounds.
 * `node test/bench/start.ts`; starts what `dist/` holds, as users do.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordRuns } from '../support/recorded-home.ts';
import { drive } from '../support/scripted-run.ts';

const root = join(import.meta.dirname, '../..');
const main = join(root, 'dist/services/cli/main.js');
const rounds = 15;

const home = mkdtempSync(join(tmpdir(), 'atesor-bench-start-'));
recordRuns(home, [drive().bodies]);

const commands: Record<string, string[]> = {
  'node -e 0': ['-e', '0'],
  'atesor --version': [main, '--version'],
  'atesor runs': [main, 'runs'],
  'atesor state last': [main, 'state', 'last'],
  'atesor replay last': [main, 'replay', 'last'],
};
const times = new Map<string, number[]>(Object.keys(commands).map((name) => [name, []]));

for (let round = 0; round < rounds; round++)
  for (const [name, args] of Object.entries(commands)) {
    const began = performance.now();
    const { status } = spawnSync(process.execPath, args, { env: { ...process.env, ATESOR_HOME: home } });
    if (status !== 0) throw new Error(`${name} ended with ${status}: run \`npm run build\` first`);
    times.get(name)?.push(performance.now() - began);
  }
rmSync(home, { recursive: true, force: true });

for (const [name, all] of times) {
  all.sort((a, b) => a - b);
  const [best = 0, median = 0] = [all[0], all[Math.floor(rounds / 2)]];
  console.log(
    `${name.padEnd(20)} median ${median.toFixed(0).padStart(4)} ms   best ${best.toFixed(0).padStart(4)} ms`,
  );
}
