/**
 * Documents that are made from the code: docs/generated.
 *
 *   node test/tools/docs.ts --write    writes them
 *   node test/tools/docs.ts --check    fails when a written one differs from what the code says now
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventsPage } from './docs/events-page.ts';
import { machinesPage } from './docs/machines-page.ts';
import { stateFieldsPage } from './docs/state-fields-page.ts';

const folder = join(import.meta.dirname, '../../docs/generated');
const notice = '<!-- Made by `npm run docs` from the code; do not edit. -->\n\n';
const pages = { 'events.md': eventsPage, 'state-fields.md': stateFieldsPage, 'machines.md': machinesPage };

const current = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};

const write = process.argv.includes('--write');
for (const [name, page] of Object.entries(pages)) {
  const path = join(folder, name);
  const text = notice + page();
  if (current(path) === text) continue;
  if (write) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, text);
    console.log(`wrote docs/generated/${name}`);
  } else {
    console.log(`docs/generated/${name} is not what the code says: run \`npm run docs\``);
    process.exitCode = 1;
  }
}
