/** A lock between processes that the kernel gives back when its holder dies, however it dies. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { SandboxError } from './driver.ts';

/**
 * Does `work` while holding an exclusive lock on `path` (made when missing, never removed: removing a lock
 * file lets two processes hold "the" lock). Calls `onWait` once when somebody else has it.
 * @throws SandboxError `timedOut` after `timeoutMs` of waiting, `cancelled` when the signal fires meanwhile
 */
export async function withFileLock<T>(
  path: string,
  options: { timeoutMs: number; signal?: AbortSignal | undefined; onWait?: () => void },
  work: () => Promise<T>,
): Promise<T> {
  // The child holds the lock until its stdin ends: that is when we say so, or when this process is gone.
  const child = spawn('sh', ['-c', holdScript, 'hold', path, String(Math.ceil(options.timeoutMs / 1000))], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const closed = once(child, 'close');
  const onAbort = () => child.kill('SIGKILL');
  options.signal?.addEventListener('abort', onAbort, { once: true });
  try {
    let held = false;
    for await (const line of createInterface({ input: child.stdout })) {
      if (line === 'waiting') options.onWait?.();
      if (line === 'held') {
        held = true;
        break;
      }
    }
    if (options.signal?.aborted) throw new SandboxError('cancelled', `cancelled while waiting for ${path}`);
    if (!held)
      throw new SandboxError(
        'timedOut',
        `${path} was held by another process for more than ${options.timeoutMs / 1000} s; end that process and try again`,
      );
    options.signal?.removeEventListener('abort', onAbort);
    return await work();
  } finally {
    options.signal?.removeEventListener('abort', onAbort);
    child.stdin.end();
    await closed;
  }
}

const holdScript = `
exec 9>>"$1" || exit 1
flock -n 9 || { echo waiting; flock -w "$2" 9 || exit 1; }
echo held
exec cat >/dev/null
`;
