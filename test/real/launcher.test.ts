/** The launchers on a fresh checkout with an empty HOME: what they bring, and what they add to a later start. */
import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
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

/** CPU time of a command, ms, over 20 runs: unlike wall time it does not depend on what else runs. */
const cpuMs = async (...command: string[]): Promise<number> => {
  const runs = 20;
  const script = `i=0; while [ $i -lt ${runs} ]; do "$0" "$@" >/dev/null || exit 1; i=$((i + 1)); done; times`;
  const { code, stdout } = await start('sh', ['-c', script, ...command]);
  assert.is(code, 0);
  // The second line of `times` is that of the children: user and system.
  const parts = [...(stdout.trim().split('\n')[1] ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
  assert.is(parts.length, 2, stdout);
  return (
    (parts.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds), 0) * 1000) /
    runs
  );
};

test('a later start adds less than 20 ms to what node itself takes', async () => {
  const find = 'ls -d .node/node_modules/node-linux-*/bin/node 2>/dev/null || cat .node/system';
  const [node = ''] = execFileSync('sh', ['-c', find], { cwd: checkout, encoding: 'utf8' }).split('\n');
  const plain = await cpuMs(
    resolve(checkout, node),
    join(checkout, 'dist/services/cli/main.js'),
    '--version',
  );
  const launched = await cpuMs(launcher, '--version');
  console.log(`CPU time of a start: launcher ${launched} ms, node alone ${plain} ms`);
  // On a loaded machine CPU time grows too; node's own, 80 ms on a quiet one, tells by how much.
  assert.ok(
    launched - plain < 20 * Math.max(1, plain / 80),
    `launcher ${launched} ms, node alone ${plain} ms`,
  );
});

test.run();
