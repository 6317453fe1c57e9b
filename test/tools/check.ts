/**
 * Everything that can be said about the code without running it: types, lint and format, the import rule,
 * and that the generated documents are up to date. Runs all, prints what failed, exit 0 only when all hold.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { findViolations } from './import-rule.ts';

const root = join(import.meta.dirname, '../..');

const runs = (title: string, program: string, ...args: string[]): boolean => {
  console.log(`# ${title}`);
  return (
    spawnSync(process.execPath, [join(root, program), ...args], { cwd: root, stdio: 'inherit' }).status === 0
  );
};

const importRuleHolds = (): boolean => {
  console.log('# import rule');
  const violations = findViolations(root);
  for (const { file, imports, why } of violations) console.log(`${file}: imports ${imports}: ${why}`);
  return violations.length === 0;
};

const held = [
  runs('types', 'node_modules/typescript/bin/tsc', '-p', '.', '--noEmit'),
  runs(
    'lint and format',
    'node_modules/@biomejs/biome/bin/biome',
    'ci',
    ...(process.stdout.isTTY ? [] : ['--colors=off']),
    '.',
  ),
  importRuleHolds(),
  runs('generated documents', 'test/tools/docs.ts', '--check'),
];
const failed = held.filter((ok) => !ok).length;
console.log(failed === 0 ? 'all checks hold' : `${failed} of ${held.length} checks failed`);
process.exitCode = failed === 0 ? 0 : 1;
