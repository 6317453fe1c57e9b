/** Runs `atesor … --json` as a process of its own, so that it can be watched and killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { AnyEvent } from '../../events/envelope.ts';

const mainFile = join(import.meta.dirname, '../../services/cli/main.ts');

export interface PortResult {
  runId: string;
  exitCode: number;
  verdict: string;
  recipe: string | null;
  report: string | null;
  state: string | null;
  artifacts: Array<{ path: string; type: string; machine: string; abi: string; sha256: string }>;
}

export interface Ended {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  events: AnyEvent[];
  /** The last line, when it was the result. */
  result: PortResult | null;
  stderr: string;
}

export interface Started {
  child: ChildProcess;
  /** Called with each event as it is printed; may be set after the start. */
  onEvent: ((event: AnyEvent) => void) | null;
  ended: Promise<Ended>;
}

/** @param limitMs the process is killed after it: a test that hangs must say so */
export function startAtesor(home: string, args: string[], limitMs: number, wrap: string[] = []): Started {
  const command = [...wrap, process.execPath, mainFile, ...args];
  const child = spawn(command[0] as string, command.slice(1), {
    env: { ...process.env, ATESOR_HOME: home, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const limit = setTimeout(() => child.kill('SIGKILL'), limitMs);
  const events: AnyEvent[] = [];
  let result: PortResult | null = null;
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString()).slice(-20_000);
  });
  const started: Started = { child, onEvent: null, ended: Promise.resolve() as never };
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  lines.on('line', (line) => {
    if (!line.startsWith('{')) return; // a command that speaks to people
    const value = JSON.parse(line) as AnyEvent | PortResult;
    if ('seq' in value) {
      events.push(value);
      started.onEvent?.(value);
    } else result = value;
  });
  const read = new Promise<void>((resolve) => lines.on('close', resolve));
  started.ended = new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', async (exitCode, signal) => {
      clearTimeout(limit);
      await read;
      resolve({ exitCode, signal, events, result, stderr });
    });
  });
  return started;
}

export const runAtesor = (
  home: string,
  args: string[],
  limitMs = 600_000,
  wrap: string[] = [],
): Promise<Ended> => startAtesor(home, args, limitMs, wrap).ended;
