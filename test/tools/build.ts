/**
 * Builds `dist/`: the program as plain JavaScript, so that a start does not strip types from every file.
 * It only translates; `npm run check` is what checks types. Files that are not TypeScript are copied to the
 * same places, so that `new URL('../data.json', import.meta.url)` means the same in both trees.
 */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';

const root = join(import.meta.dirname, '../..');
const folders = ['machines', 'events', 'services', 'sandbox', 'seeds'];
const looseFiles = ['package.json', 'nats.conf'];
const built = join(root, 'dist');

const translate = (target: string): boolean => {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const flags = ['-p', 'tsconfig.build.json', '--noCheck', '--outDir', target];
  return spawnSync(process.execPath, [tsc, ...flags], { cwd: root, stdio: 'inherit' }).status === 0;
};

const filesToCopy = (): string[] => {
  const inFolders = folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
  return [...inFolders, ...looseFiles.filter((name) => existsSync(join(root, name)))];
};

const build = (): boolean => {
  // Beside the old one and then swapped: a start never meets half a program.
  const target = join(root, '.node', `dist-${process.pid}`);
  const started = new Date();
  try {
    if (!translate(target)) return false;
    for (const path of filesToCopy()) {
      mkdirSync(dirname(join(target, path)), { recursive: true });
      copyFileSync(join(root, path), join(target, path));
    }
    // The time before the compiler read its files: an edit made meanwhile is newer, so the next start builds it.
    writeFileSync(join(target, '.stamp'), `${started.toISOString()}\n`);
    utimesSync(join(target, '.stamp'), started, started);
    rmSync(built, { recursive: true, force: true });
    renameSync(target, built);
    return true;
  } finally {
    rmSync(target, { recursive: true, force: true });
  }
};

process.exitCode = build() ? 0 : 1;
