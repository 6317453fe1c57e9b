/** Programs of a tree that is being made, before any run uses it. */
import { hostCommandOk } from './host-command.ts';
import { dropRights } from './host-user.ts';

/** `ldconfig` of a base takes about 1 s under emulation. */
const timeoutMs = 300_000;

/**
 * Runs a program of a tree as the root in it, with nothing else in reach and no network.
 * @param options.write the tree may be changed; it must belong to the sandbox's user then
 * @returns its stdout
 */
export async function runInTree(
  tree: string,
  argv: readonly string[],
  options: { write: boolean; signal?: AbortSignal | undefined },
): Promise<string> {
  // By a file descriptor, because the sandbox's user need not reach the path of the tree.
  const script = 'exec 9<"$1" || exit 1; shift; cd /; exec "$@"';
  const mount = [options.write ? '--bind-fd' : '--ro-bind-fd', '9', '/', '--dev', '/dev', '--proc', '/proc'];
  const entry = [
    '--unshare-all',
    '--uid',
    '0',
    '--gid',
    '0',
    '--die-with-parent',
    '--new-session',
    '--clearenv',
  ];
  const env = ['--setenv', 'PATH', '/usr/sbin:/usr/bin', '--setenv', 'LC_ALL', 'C.UTF-8', '--chdir', '/'];
  return hostCommandOk(
    ['sh', '-c', script, 'run', tree, ...dropRights(), 'bwrap', ...mount, ...entry, ...env, '--', ...argv],
    { doing: `running ${argv[0]} in the new root`, timeoutMs, signal: options.signal },
  );
}
