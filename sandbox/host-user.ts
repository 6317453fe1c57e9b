/** Who owns the files of roots, layers and runs on the host, and as whom commands start. */
import { hostCommandOk } from './host-command.ts';

/**
 * Host uid and gid that sandboxes use when we are root. It maps to `builder` or `root` inside.
 * Source: Debian policy 9.2.2, 60000-64999 is never given to ordinary users; the kernel checks the host uid
 * for /proc/sys, so a mapping alone would leave root's rights there.
 */
export const sandboxHostId = 64_000;

export const isRoot = (): boolean => process.geteuid?.() === 0;

/** Uid and gid inside for `user: 'builder'`; its passwd entry is in the base root. */
export const builderId = 1000;

/** Argv prefix that gives up root's rights before a sandbox starts. */
export const dropRights = (): string[] =>
  isRoot()
    ? [
        'setpriv',
        `--reuid=${sandboxHostId}`,
        `--regid=${sandboxHostId}`,
        '--clear-groups',
        '--no-new-privs',
        '--',
      ]
    : [];

/** Gives a tree to the sandbox's user; an ordinary user's files are its own already. */
export async function giveToSandbox(...paths: string[]): Promise<void> {
  if (!isRoot() || paths.length === 0) return;
  await hostCommandOk(['chown', '-hR', `${sandboxHostId}:${sandboxHostId}`, '--', ...paths], {
    doing: 'giving files to the sandbox user',
    timeoutMs: 300_000,
  });
}
