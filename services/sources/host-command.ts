/** Programs of the host (git, apt, tar) run with a deadline, a cap on what they print, and no one left behind. */
import { spawn } from 'node:child_process';
import { EffectError } from '../effects/handler.ts';

export interface HostCommand {
  argv: readonly [string, ...string[]];
  cwd?: string;
  /** The whole environment; nothing is inherited. */
  env: Record<string, string>;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  stdin?: string | Uint8Array;
  /** Called with each piece of standard error as it comes, for progress. */
  onStderr?: (text: string) => void;
}

export interface HostResult {
  exitCode: number;
  stdout: string;
  stderr: string;
  timedOut: boolean;
}

/** Most that is kept of each stream, bytes; a listing of 100,000 files is about 6 MB. */
const outputBytesMax = 32 * 1024 * 1024;
/** From TERM to KILL, ms. */
const killGraceMs = 2_000;

/**
 * Runs a program of the host in its own process group and waits for its end.
 *
 * A non-zero exit is an answer. At the deadline, or when `signal` fires, the whole group is ended; it also
 * ends when this process dies (parent death signal), so that no download goes on alone.
 * @throws {EffectError} `cancelled` when the signal fired, `sandboxUnavailable` when the program is not installed
 */
export async function runOnHost(command: HostCommand): Promise<HostResult> {
  if (command.signal?.aborted) throw new EffectError('cancelled', `${command.argv[0]} was cancelled`);
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', ...command.argv], {
    cwd: command.cwd,
    env: command.env,
    detached: true, // its own process group, so that helpers of git and apt are ended with it
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => {}); // a program that ends before it has read all is no fault of ours
  child.stdin.end(command.stdin);
  const stdout = capture(child.stdout);
  const stderr = capture(child.stderr, command.onStderr);

  let timedOut = false;
  const kill = (signal: NodeJS.Signals) => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, signal);
    } catch {
      // The group is gone already.
    }
  };
  let grace: NodeJS.Timeout | undefined;
  const stop = () => {
    kill('SIGTERM');
    grace = setTimeout(() => kill('SIGKILL'), killGraceMs);
  };
  const deadline = setTimeout(() => {
    timedOut = true;
    stop();
  }, command.timeoutMs);
  command.signal?.addEventListener('abort', stop, { once: true });
  try {
    const exitCode = await new Promise<number>((done, fail) => {
      child.on('error', (cause) => fail(notInstalled('setpriv', cause)));
      child.on('close', (code, signal) => done(code ?? (signal === 'SIGKILL' ? 137 : 143)));
    });
    if (command.signal?.aborted) throw new EffectError('cancelled', `${command.argv[0]} was cancelled`);
    // setpriv answers 127 when the program is not there.
    if (exitCode === 127) throw notInstalled(command.argv[0]);
    return { exitCode, stdout: stdout(), stderr: stderr(), timedOut };
  } finally {
    clearTimeout(deadline);
    clearTimeout(grace);
    command.signal?.removeEventListener('abort', stop);
    kill('SIGKILL');
  }
}

function notInstalled(program: string, cause?: unknown): EffectError {
  return new EffectError('sandboxUnavailable', `${program} is not installed on this machine`, { cause });
}

function capture(stream: NodeJS.ReadableStream, onText?: (text: string) => void): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    if (size < outputBytesMax) chunks.push(chunk);
    size += chunk.length;
    onText?.(chunk.toString());
  });
  return () => Buffer.concat(chunks).toString();
}

const noSpace = /no space left on device|disk quota exceeded/i;

/** True when a program's words, or a system error, say that the disk is full. */
export function isDiskFull(fault: unknown): boolean {
  if (typeof fault === 'string') return noSpace.test(fault);
  const code = (fault as NodeJS.ErrnoException | null)?.code;
  return code === 'ENOSPC' || code === 'EDQUOT';
}
