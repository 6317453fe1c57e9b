/**
 * The holder of a run: a process that keeps a mount namespace with the run's files mounted in it. It waits for
 * the end of its stdin, so it ends with this process however this one ends, and the mounts vanish with it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { SandboxError } from './driver.ts';
import { hostCommandOk, hostEnv } from './host-command.ts';
import { isRoot, sandboxHostId } from './host-user.ts';

/** Where the run's files are mounted in the holder's namespace. /mnt is on every Linux (FHS 3.12). */
export const mountPoint = '/mnt/m';
/** Stands in for /etc/resolv.conf while a command has a network; in the namespace too, so that it can be reached. */
export const resolvConf = '/mnt/resolv.conf';
/** Address at which slirp4netns answers DNS questions. Source: slirp4netns(1), DESCRIPTION. */
const resolver = '10.0.2.3';
/** A run is open in one process only; after a kill its holder needs a moment to end. */
const lockWaitSeconds = 8;
const mountTimeoutMs = 30_000;

export class Holder {
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #listeners = new Set<() => void>();

  constructor(child: ChildProcess, pid: number) {
    this.#child = child;
    this.pid = pid;
    this.#ended = once(child, 'close').then(() => {
      for (const listener of this.#listeners) listener();
    });
  }

  /** True when the namespace is gone: nothing can be run or read any more. */
  get lost(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Calls `listener` when the namespace goes. @returns a function that takes it back */
  onLost(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The run's files seen from the host. */
  get root(): string {
    return this.hostView(mountPoint);
  }

  /** A path of the namespace, seen from the host. */
  hostView(path: string): string {
    return `/proc/${this.pid}/root${path}`;
  }

  /** Argv prefix that enters the namespace with all our rights, for mounts and copies. */
  enter(): string[] {
    return [...this.#nsenter(), '--'];
  }

  /** Argv prefix that enters the namespace and gives up root's rights: one program less to start for a command. */
  enterUnprivileged(): string[] {
    const user = isRoot() ? [`--setgid=${sandboxHostId}`, `--setuid=${sandboxHostId}`] : [];
    return [...this.#nsenter(), ...user, '--'];
  }

  #nsenter(): string[] {
    const mount = `--mount=/proc/${this.pid}/ns/mnt`;
    if (isRoot()) return ['nsenter', mount];
    return ['nsenter', '--preserve-credentials', `--user=/proc/${this.pid}/ns/user`, mount];
  }

  /** Argv prefix that gives rights over namespaces made below this one; root has them anyway. */
  enterUser(): string[] {
    return isRoot() ? [] : ['nsenter', '--preserve-credentials', `--user=/proc/${this.pid}/ns/user`, '--'];
  }

  /** Mounts an overlay of folders under `runDir` in place of the one before. Paths are relative to it. */
  async mount(runDir: string, layers: { lower: string[]; upper: string; work: string }): Promise<void> {
    // userxattr is what an unprivileged overlay has; it cannot rename folders of lower layers, root's can
    const kind = isRoot() ? 'redirect_dir=on,volatile' : 'userxattr';
    const options = `lowerdir=${layers.lower.join(':')},upperdir=${layers.upper},workdir=${layers.work},${kind}`;
    // cd inside the namespace: a folder opened before entering belongs to another one, and is refused
    const script = `cd "$1" && { umount -l ${mountPoint} 2>/dev/null; mount -t overlay overlay -o "$2" ${mountPoint}; }`;
    await hostCommandOk([...this.enter(), 'sh', '-c', script, 'mount', runDir, options], {
      doing: `mounting the files of the run (${layers.lower.length} layers)`,
      timeoutMs: mountTimeoutMs,
    });
  }

  /** Mounts layers alone, beside the run's files. @returns where, in the namespace */
  async mountReadOnly(runDir: string, lower: readonly string[]): Promise<string> {
    const place = '/mnt/lower';
    // a stack of one has no overlay; the empty folder beside it changes nothing
    const script = `mkdir -p ${place} /mnt/empty && cd "$1" && mount -t overlay overlay -o "$2" ${place}`;
    const options = `ro,lowerdir=${[...lower, '/mnt/empty'].join(':')}${isRoot() ? ',redirect_dir=on' : ',userxattr'}`;
    await hostCommandOk([...this.enter(), 'sh', '-c', script, 'mount', runDir, options], {
      doing: `mounting ${lower.length} layers`,
      timeoutMs: mountTimeoutMs,
    });
    return place;
  }

  async unmount(place: string): Promise<void> {
    await hostCommandOk([...this.enter(), 'umount', '-l', place], {
      doing: `unmounting ${place}`,
      timeoutMs: mountTimeoutMs,
    });
  }

  /** Ends it and waits until it is gone. */
  async close(): Promise<void> {
    this.#child.stdin?.end();
    await this.#ended;
  }
}

/**
 * Starts a holder with an empty namespace. `cgroupFolders` are removed by it when everything has ended.
 * @throws SandboxError `sandboxUnavailable` when another process has the run open, or namespaces are refused
 */
export async function startHolder(runDir: string, cgroupFolders: readonly string[]): Promise<Holder> {
  const namespaces = isRoot() ? ['--mount'] : ['--user', '--map-root-user', '--mount'];
  const child = spawn(
    'flock',
    [
      ...['--no-fork', '--wait', String(lockWaitSeconds), '--conflict-exit-code', '75', join(runDir, 'lock')],
      ...[
        'unshare',
        ...namespaces,
        '--propagation',
        'private',
        'sh',
        '-c',
        holdScript,
        'hold',
        ...cgroupFolders,
      ],
    ],
    { cwd: '/', env: hostEnv(), detached: true, stdio: ['pipe', 'pipe', 'pipe'] },
  );
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-2000);
  });
  child.on('error', () => undefined); // flock cannot be started: told below, by the missing line
  child.stdin.on('error', () => undefined); // it may be gone before we end it
  for await (const line of createInterface({ input: child.stdout }))
    if (line === 'ready' && child.pid !== undefined) return new Holder(child, child.pid);
  if (child.exitCode === 75)
    throw new SandboxError(
      'sandboxUnavailable',
      `the run in ${runDir} is open in another process; end that one first`,
    );
  const hint = isRoot()
    ? ''
    : ' An ordinary user needs user namespaces (sysctl kernel.unprivileged_userns_clone=1) or root.';
  throw new SandboxError('sandboxUnavailable', `a mount namespace could not be made: ${said.trim()}.${hint}`);
}

/** After the end of stdin it waits (5 s at most) for the commands to be gone, then removes their control groups. */
const holdScript = `
mount -t tmpfs -o mode=755 tmpfs /mnt && mkdir ${mountPoint} || exit 1
echo 'nameserver ${resolver}' > ${resolvConf}
echo ready
cat >/dev/null
tries=0
while [ $# -gt 0 ] && [ $tries -lt 100 ]; do
  rmdir "$@" 2>/dev/null
  for folder; do shift; [ ! -d "$folder" ] || set -- "$@" "$folder"; done
  tries=$((tries + 1))
  [ $# -eq 0 ] || sleep 0.05
done
`;
