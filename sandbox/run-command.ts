/** Runs one command in a run's namespace: enter, limit, give up rights, bubblewrap, shell. */
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import type { RunCgroup } from './cgroups.ts';
import { type ExecResult, type ExecSpec, SandboxError } from './driver.ts';
import { entryArguments } from './entry-arguments.ts';
import { startFetchNetwork } from './fetch-network.ts';
import type { Holder } from './holder.ts';
import { hostEnv } from './host-command.ts';
import { OutputPipe } from './output-pipe.ts';
import { signalDescendants, signalProcess } from './process-tree.ts';

/** Between TERM and KILL: enough for make to remove half-written targets, ms. */
const killGraceMs = 3_000;
/** Source: Linux MAX_ARG_STRLEN, 32 pages: the longest single argument. */
const commandMaxBytes = 131_071;

export interface RunCommandContext {
  holder: Holder;
  cgroup: RunCgroup | null;
  /** Named pipes for stdout and stderr, free to use. */
  pipes: { stdout: string; stderr: string };
  /** File descriptor of the command's stdin, or 'ignore'. */
  stdin: number | 'ignore';
}

/**
 * @throws SandboxError `sandboxLost` when the holder ends meanwhile, `cancelled` when the signal fires,
 *   `sandboxUnavailable` when the sandbox cannot be entered
 */
export async function runCommand(spec: ExecSpec, context: RunCommandContext): Promise<ExecResult> {
  if (Buffer.byteLength(spec.command) > commandMaxBytes)
    throw new SandboxError(
      'denied',
      `the command is longer than ${commandMaxBytes} bytes; put it into a file`,
    );
  const entry = entryArguments(spec);
  const oomBefore = await context.cgroup?.oomKills();
  const startedAt = performance.now();
  const run = start(spec, context);
  const { status, whyEnded, kill } = run;
  const timer = setTimeout(() => kill('timeout'), spec.timeoutMs);
  const onAbort = () => kill('abort');
  spec.signal?.addEventListener('abort', onAbort, { once: true });
  if (spec.signal?.aborted) kill('abort');
  // its files are still mounted for the command, but nobody could read what it makes of them
  const stopListening = context.holder.onLost(() => kill('lost'));
  let stopNetwork: (() => Promise<void>) | null = null;
  try {
    run.argumentsEnd.end(entry.map((one) => `${one}\0`).join(''));
    if (spec.network === 'fetch') {
      const pid = await status.childPid;
      // no process: it could not be entered, or was killed already, and the end below says which
      if (pid !== null) stopNetwork = await startFetchNetwork(pid, context.holder.enterUser());
      run.goEnd?.end('go');
    }
    await run.ended;
  } finally {
    kill('done');
    clearTimeout(timer);
    spec.signal?.removeEventListener('abort', onAbort);
    stopListening();
    await run.ended;
    await stopNetwork?.();
    await run.drained();
  }
  if (whyEnded() === 'abort')
    throw new SandboxError('cancelled', 'the command was stopped because it was cancelled');
  const timedOut = whyEnded() === 'timeout';
  if (context.holder.lost)
    throw new SandboxError('sandboxLost', 'the sandbox ended while a command ran in it');
  if (status.exitCode() === null && !timedOut) throw notEntered(run.errorText());
  const exitCode = status.exitCode() ?? 128 + constants.signals.SIGKILL;
  const oomAfter = await context.cgroup?.oomKills();
  return {
    exitCode,
    signal: signalOf(exitCode),
    timedOut,
    oomKilled: oomBefore === undefined || oomAfter === undefined ? null : !timedOut && oomAfter > oomBefore,
    durationMs: Math.round(performance.now() - startedAt),
  };
}

type EndReason = 'timeout' | 'abort' | 'lost' | 'done';

function start(spec: ExecSpec, context: RunCommandContext) {
  const { holder, cgroup } = context;
  let errorTail = '';
  const stdout = new OutputPipe(context.pipes.stdout, (chunk) => spec.onOutput?.('stdout', chunk));
  const stderr = new OutputPipe(context.pipes.stderr, (chunk) => {
    errorTail = (errorTail + chunk.toString('latin1')).slice(-1000);
    spec.onOutput?.('stderr', chunk);
  });
  const fds = [
    '--args',
    '3',
    '--json-status-fd',
    '4',
    ...(spec.network === 'fetch' ? ['--block-fd', '5'] : []),
  ];
  const child = spawn(
    'sh',
    [
      ...['-c', enterScript, 'enter', ...(cgroup?.procsFiles ?? []), '--'],
      ...[...holder.enterUnprivileged(), 'bwrap', ...fds, '--', '/bin/bash', '-c', spec.command],
    ],
    {
      cwd: '/',
      env: hostEnv(),
      detached: true,
      stdio: [
        context.stdin,
        stdout.writeEnd,
        stderr.writeEnd,
        'pipe',
        'pipe',
        ...(spec.network === 'fetch' ? ['pipe' as const] : []),
      ],
    },
  );
  stdout.handedOver();
  stderr.handedOver();
  // typed for five entries, and this has six
  const ends = child.stdio as unknown as Array<Readable | Writable | null | undefined>;
  const argumentsEnd = ends[3] as Writable;
  const goEnd = (ends[5] ?? null) as Writable | null;
  for (const end of [argumentsEnd, goEnd]) end?.on('error', () => undefined); // it may end before it has read
  const status = readStatus(child.stdio[4] as Readable);
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const { kill, reason } = killer(child, status.childPid);
  return {
    status,
    argumentsEnd,
    goEnd,
    ended,
    kill,
    whyEnded: reason,
    errorText: () => errorTail,
    drained: () => Promise.all([stdout.drained(), stderr.drained()]),
  };
}

/** TERM to everything at a timeout, KILL after a grace; KILL at once when cancelled. The first reason stays. */
function killer(child: ChildProcess, childPid: Promise<number | null>) {
  let first: EndReason | null = null;
  let grace: NodeJS.Timeout | undefined;
  const killAll = async () => {
    const pid = await Promise.race([childPid, Promise.resolve(null)]);
    // the first process of the namespace takes all others with it; bubblewrap itself goes last
    if (pid !== null) signalProcess(pid, 'SIGKILL');
    else if (child.pid !== undefined) signalProcess(child.pid, 'SIGKILL');
  };
  const kill = (reason: EndReason) => {
    first ??= reason;
    const alive = child.exitCode === null && child.signalCode === null;
    if (reason !== 'timeout' || !alive) {
      clearTimeout(grace);
      if (alive) void killAll();
      return;
    }
    grace = setTimeout(() => void killAll(), killGraceMs);
    void childPid.then(async (pid) => {
      if (pid !== null) await signalDescendants(pid, 'SIGTERM');
    });
  };
  return { kill, reason: () => first };
}

/** What bubblewrap says of the sandbox: the first process as it starts, the exit code when the command ran. */
function readStatus(stream: Readable) {
  let text = '';
  const childPid = new Promise<number | null>((resolve) => {
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const pid = /"child-pid": (\d+)/.exec(text)?.[1];
      if (pid !== undefined) resolve(Number(pid));
    });
    stream.once('end', () => resolve(null));
    stream.once('error', () => resolve(null));
    stream.once('close', () => resolve(null));
  });
  const exitCode = () => {
    const code = /"exit-code": (\d+)/.exec(text)?.[1];
    return code === undefined ? null : Number(code);
  };
  return { childPid, exitCode };
}

function notEntered(errorText: string): SandboxError {
  const what = errorText.trim().split('\n').pop() ?? '';
  if (/No space left/i.test(what))
    return new SandboxError('diskFull', `no space left for the sandbox: ${what}`);
  return new SandboxError('sandboxUnavailable', `the sandbox could not be entered: ${what}`);
}

/** By the shell's convention; an exit code of a program's own above 128 looks the same, as in any shell. */
function signalOf(exitCode: number): string | null {
  const found = Object.entries(constants.signals).find(([, number]) => 128 + number === exitCode);
  return found?.[0] ?? null;
}

/** Joins the control groups (arguments before `--`), then becomes the rest. Core files would land in the workspace. */
const enterScript = `
umask 022
ulimit -c 0
while [ "$1" != -- ]; do
  echo 0 > "$1" || { echo "cannot join $1" >&2; exit 1; }
  shift
done
shift
exec "$@"
`;
