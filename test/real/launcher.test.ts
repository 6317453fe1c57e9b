/** The launchers on a fresh checkout with an empty HOME: what they bring, and what they add to a later start. */
import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const project = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'atesor-launcher-'));
const checkout = join(folder, 'checkout');
const home = join(folder, 'home');

/** Node and packages come over the network, s. */
const setUpTimeoutMs = 600_000;

const environment = {
  ...process.env,
  // Without the Node that runs this test.
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: home,
  ATESOR_HOME: join(folder, 'data'),
};

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

const start = (program: string, args: string[], cwd = folder): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(program, args, { cwd, env: environment, timeout: setUpTimeoutMs }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, stdout, stderr });
    });
  });

const launcher = join(checkout, 'bin/atesor');

test.before(() => {
  mkdirSync(home, { recursive: true });
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: project, encoding: 'utf8' }).split('\0');
  for (const file of files.filter((name) => name !== '')) {
    mkdirSync(dirname(join(checkout, file)), { recursive: true });
    copyFileSync(join(project, file), join(checkout, file));
  }
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

test('two first starts at once: one sets up, the other waits, both answer', async () => {
  const both = await Promise.all([start(launcher, ['--version']), start(launcher, ['runs', '--json'])]);
  for (const { code, stderr } of both) assert.is(code, 0, stderr);
  assert.match(both[0]?.stdout ?? '', /^atesor /);
  assert.is(both[1]?.stdout, '[]\n');
  const said = both.map(({ stderr }) => stderr).join('');
  assert.is(said.split('fetching npm packages').length, 2, said);
  assert.match(said, 'waiting for another start');
});

test('a later start is silent and writes nothing into the checkout', async () => {
  const before = readdirSync(join(checkout, '.node'));
  const { code, stderr } = await start(launcher, ['runs']);
  assert.is(code, 0);
  assert.is(stderr, '');
  assert.equal(readdirSync(join(checkout, '.node')), before);
});

test('it works through a symbolic link, from any folder, and passes exit codes on', async () => {
  const link = join(folder, 'linked');
  symlinkSync(join('checkout', 'bin', 'atesor'), link);
  assert.match((await start(link, ['--version'], '/')).stdout, /^atesor /);
  const { code, stderr } = await start(link, ['rnus'], home);
  assert.is(code, 2);
  assert.match(stderr, "did you mean 'runs'?");
});

test('an edited source is built again at the next start, once', async () => {
  utimesSync(join(checkout, 'services/cli/main.ts'), new Date(), new Date());
  assert.match((await start(launcher, ['--version'])).stderr, 'building');
  assert.is((await start(launcher, ['--version'])).stderr, '');
});

test.run();
