/** Runs all benches, one after another: `npm run bench [PART …]`. A PART keeps the benches whose name contains it. */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';

const parts = process.argv.slice(2);
const benches = globSync('*.ts', { cwd: import.meta.dirname })
  .filter((name) => name !== 'run.ts')
  .filter((name) => parts.length === 0 || parts.some((part) => name.includes(part)))
  .sort();

for (const name of benches) {
  console.log(`\n=== ${name}`);
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, name)], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
