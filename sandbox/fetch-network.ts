/** Outgoing network for a phase that fetches: user-mode networking that cannot reach the host's own loopback. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { SandboxError } from './driver.ts';
import { hostEnv } from './host-command.ts';

const readyTimeoutMs = 15_000;

/**
 * Gives the network namespace of `pid` a way out. It ends with the returned function, or with this process.
 * `enterUser` is the argv prefix that takes us to where we have rights over it.
 * @throws SandboxError `sandboxUnavailable` when slirp4netns is missing or cannot start
 */
export async function startFetchNetwork(
  pid: number,
  enterUser: readonly string[],
): Promise<() => Promise<void>> {
  // By path, so that only the network namespace is joined: bubblewrap's process may stand in a user namespace
  // below the one that owns the network, and has no rights over it.
  const argv = [...enterUser, 'slirp4netns', '--configure', '--mtu=65520', '--disable-host-loopback'];
  const fds = ['--ready-fd=3', '--exit-fd=4', '--netns-type=path', `/proc/${pid}/ns/net`, 'tap0'];
  const child = spawn(argv[0] ?? '', [...argv.slice(1), ...fds], {
    env: hostEnv(),
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-1000);
  });
  const failed = new Promise<never>((_, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new SandboxError(
          'sandboxUnavailable',
          error.code === 'ENOENT'
            ? 'phases that fetch need slirp4netns; get it with: apt-get install slirp4netns'
            : `slirp4netns could not be started: ${error.message}`,
        ),
      ),
    );
    child.once('close', () =>
      reject(new SandboxError('sandboxUnavailable', `slirp4netns ended: ${said.trim()}${hintFor(said)}`)),
    );
  });
  failed.catch(() => undefined); // it is raced below; when it loses, its end is the normal one
  const ready = once(child.stdio[3] as NodeJS.ReadableStream, 'data');
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new SandboxError('sandboxUnavailable', `slirp4netns was not ready: ${said.trim()}`)),
      readyTimeoutMs,
    );
  });
  try {
    await Promise.race([ready, failed, late]);
  } catch (error) {
    await stop(child);
    throw error;
  } finally {
    clearTimeout(timer);
  }
  return () => stop(child);
}

const hintFor = (said: string): string =>
  said.includes('/dev/net/tun') ? '. The host must offer /dev/net/tun; as root: chmod 666 /dev/net/tun' : '';

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}
