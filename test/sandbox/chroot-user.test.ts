/** The chroot driver without root: the same walls, no limits by control groups. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ensureRoot } from '../../sandbox/root.ts';
import { withTempFolder } from '../support/temp-folder.ts';
import { testHome } from '../support/test-home.ts';

/** Debian's `nobody`. */
const user = 65534;
const program = join(import.meta.dirname, 'programs', 'as-user.ts');
const asUser = ['--reuid', String(user), '--regid', String(user), '--clear-groups', '--'];

/** Whether that user can read this project and make a user namespace here at all. */
const possible =
  process.geteuid?.() === 0 &&
  spawnSync('setpriv', [...asUser, process.execPath, '--check', program]).status === 0 &&
  spawnSync('setpriv', [...asUser, 'unshare', '--user', '--map-root-user', '--mount', 'true']).status === 0;

const only = possible ? test : test.skip;

only('an ordinary user builds, installs, marks and stops as root does', () =>
  withTempFolder(async (home) => {
    const root = await ensureRoot({ rootsDir: join(testHome(), 'roots') });
    mkdirSync(join(home, 'roots'));
    execFileSync('cp', ['-a', '--reflink=auto', root.path, join(home, 'roots')]);
    execFileSync('chown', ['-hR', `${user}:${user}`, home]);
    chmodSync(home, 0o755);
    const { stdout, stderr } = spawnSync('setpriv', [...asUser, process.execPath, program, home], {
      env: { ...process.env, HOME: home, TMPDIR: home },
      encoding: 'utf8',
    });
    assert.equal(
      JSON.parse(stdout || '{}'),
      {
        limits: 'not limited',
        who: 'builder\nriscv64\n',
        built: "touch: cannot touch '/usr/x': Read-only file system\n",
        marked: 'marked',
        installed: 'root\n',
        removed: 'a.out\nlocked\n',
        restored: 'restored',
        again: 'a.c\na.out\n',
        stopped: [true, null],
        left: [],
      },
      stderr,
    );
  }),
);

only('a root that belongs to somebody else is refused, with what to do', () =>
  withTempFolder(async (home) => {
    const root = await ensureRoot({ rootsDir: join(testHome(), 'roots') });
    mkdirSync(join(home, 'roots', root.name, 'base'), { recursive: true });
    execFileSync('cp', ['-a', join(root.path, 'manifest.json'), join(home, 'roots', root.name)]);
    chmodSync(home, 0o755);
    const { stdout } = spawnSync('setpriv', [...asUser, process.execPath, program, home], {
      encoding: 'utf8',
    });
    const { code, message } = JSON.parse(stdout || '{}');
    assert.is(code, 'sandboxUnavailable');
    assert.match(message, 'made by another user');
  }),
);

test.run();
