/**
 * Exit 0 when node_modules holds what package-lock.json asks for, by npm's own record of it; else 1.
 * Plain JavaScript: it runs before anything is installed.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = process.argv[2];
const packagesOf = (path) => JSON.parse(readFileSync(join(root, path), 'utf8')).packages;

const same = () => {
  const wanted = packagesOf('package-lock.json');
  const present = packagesOf('node_modules/.package-lock.json');
  delete wanted[''];
  const names = new Set([...Object.keys(wanted), ...Object.keys(present)]);
  // An optional package of another platform is rightly absent.
  return [...names].every((name) =>
    present[name] ? present[name].version === wanted[name]?.version : wanted[name].optional === true,
  );
};

let ready = false;
try {
  ready = same();
} catch {
  // No node_modules yet, or npm's record of it is unreadable: install.
}
process.exit(ready ? 0 : 1);
