/** Programs of the host: started, waited for, never left behind. */
import { spawn } from 'node:child_process';
import { SandboxError } from './driver.ts';

export interface HostCommandOptions {
  cwd?: string;
  env?: Record<string, string>;
  /** Wall time, ms; the whole process group is killed at it. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  input?: string | Uint8Array;
  /** Called with each whole line of stdout. */
  onLine?: (line: string) => void;
}

export interface HostCommandResult {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Bytes of each stream that are kept (its end): apt's longest plan is about 200 KB. */
const outputMaxBytes = 16 * 1024 * 1024;

/**
 * Runs a program and returns how it ended. It dies with this process, also on kill -9.
 * @throws SandboxError `cancelled` when the signal fires, `timedOut` at `timeoutMs`, `sandboxUnavailable`
 *   when the program is not installed
 */
export async function hostCommand(
  argv: readonly string[],
  options: HostCommandOptions,
): Promise<HostCommandResult> {
  if (options.signal?.aborted) throw cancelled(argv);
  return new Promise((resolve, reject) => {
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', ...argv], {
      cwd: options.cwd,
      env: options.env ?? hostEnv(),
      detached: true,
      stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    let failure: SandboxError | null = null;
    const kill = (error: SandboxError) => {
      failure ??= error;
      killGroup(child.pid);
    };
    const timer = setTimeout(
      () => kill(new SandboxError('timedOut', `${argv[0]} took longer than ${options.timeoutMs / 1000} s`)),
      options.timeoutMs,
    );
    const onAbort = () => kill(cancelled(argv));
    options.signal?.addEventListener('abort', onAbort, { once: true });

    const stdout = collector(options.onLine);
    const stderr = collector();
    child.stdout?.on('data', stdout.add);
    child.stderr?.on('data', stderr.add);
    child.stdin?.on('error', () => undefined); // the program may end before it has read everything
    if (options.input !== undefined) child.stdin?.end(options.input);
    child.on('error', (cause) => {
      failure ??= new SandboxError('sandboxUnavailable', `setpriv could not be started: ${cause.message}`, {
        cause,
      });
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', onAbort);
      if (failure) return reject(failure);
      const text = stderr.text();
      // setpriv says so itself, and ends with 127, when it cannot find the program
      if (code === 127 && text.startsWith('setpriv: failed to execute'))
        return reject(
          new SandboxError('sandboxUnavailable', `the program ${argv[0]} is not installed on this host`),
        );
      resolve({ exitCode: code ?? (signal ? 137 : 1), stdout: stdout.text(), stderr: text });
    });
  });
}

/** As `hostCommand`, but a non-zero exit is an error that carries the last lines the program printed. */
export async function hostCommandOk(
  argv: readonly string[],
  options: HostCommandOptions & { doing: string },
): Promise<string> {
  const { exitCode, stdout, stderr } = await hostCommand(argv, options);
  if (exitCode === 0) return stdout;
  const tail = (stderr.trim() || stdout.trim()).split('\n').slice(-5).join('\n');
  const code = /no space left on device/i.test(tail) ? 'diskFull' : 'sandboxUnavailable';
  throw new SandboxError(code, `${options.doing} failed (${argv[0]} ended with ${exitCode}): ${tail}`);
}

/** The host's environment for tools: a fixed language, so that their texts can be read. */
export function hostEnv(): Record<string, string> {
  const env: Record<string, string> = { LC_ALL: 'C', PATH: hostPath };
  for (const name of ['http_proxy', 'https_proxy', 'no_proxy', 'HOME', 'TMPDIR'])
    if (process.env[name] !== undefined) env[name] = process.env[name];
  return env;
}

/** Tools such as ldconfig and mount are in the sbin folders, which an ordinary user's PATH may lack. */
const hostPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

function cancelled(argv: readonly string[]): SandboxError {
  return new SandboxError('cancelled', `${argv[0]} was stopped because the work was cancelled`);
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // it has ended already
  }
}

function collector(onLine?: (line: string) => void) {
  const chunks: Buffer[] = [];
  let size = 0;
  let rest = '';
  return {
    add(chunk: Buffer) {
      chunks.push(chunk);
      size += chunk.length;
      while (chunks.length > 1 && size - (chunks[0]?.length ?? 0) > outputMaxBytes)
        size -= chunks.shift()?.length ?? 0;
      if (!onLine) return;
      const lines = (rest + chunk.toString('utf8')).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) onLine(line);
    },
    text: () => Buffer.concat(chunks).toString('utf8'),
  };
}
