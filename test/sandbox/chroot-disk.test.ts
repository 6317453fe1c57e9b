/** A disk that is full: before a run, and in the middle of one. Needs root, for disks of its own. */
import { execFileSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createChrootDriver } from '../../sandbox/chroot-driver.ts';
import { withTempFolder } from '../support/temp-folder.ts';
import { testHome } from '../support/test-home.ts';
import { codeOf, shell } from './contract.ts';

const withDisk = (megabytes: number, work: (folder: string) => Promise<void>) =>
  withTempFolder(async (folder) => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]);
    try {
      await work(folder);
    } finally {
      execFileSync('umount', [folder]);
    }
  });

const spec = { runId: 'disk', platform: 'debian-riscv64', strict: false };

if (process.geteuid?.() === 0) {
  test('a run is not begun on a disk that is nearly full', () =>
    withDisk(64, async (folder) => {
      const driver = createChrootDriver({ home: testHome(), runsDir: folder });
      await driver.open(spec).then(
        () => assert.unreachable(),
        (error: { code: string; message: string }) => {
          assert.is(error.code, 'diskFull');
          assert.match(error.message, /MiB free, a run needs 512/);
        },
      );
    }));

  test('a disk that fills up fails the command, then our own writes, and the run goes on when there is space', () =>
    withDisk(600, async (folder) => {
      const driver = createChrootDriver({ home: testHome(), runsDir: folder });
      const sandbox = await driver.open(spec);
      try {
        const filled = await shell(sandbox, 'cat /dev/zero > big');
        assert.is.not(filled.exitCode, 0);
        assert.match(filled.stderr, 'No space left on device');
        assert.is(
          await codeOf(sandbox.writeFile('/workspace/more', Buffer.alloc(1_000_000), 0o644)),
          'diskFull',
        );
        assert.is((await shell(sandbox, 'rm -f big more; echo 1 > x; cat x')).stdout, '1\n');
        assert.is(await sandbox.markOrRestore('after'), 'marked');
      } finally {
        await sandbox.close();
      }
    }));
} else test.skip('needs root, for disks of its own', () => undefined);

test.run();
