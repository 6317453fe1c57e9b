/** A child process that speaks JSON lines, and what a test may wait for in them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** Longer than anything takes here, also on a loaded machine, ms. */
const deadlineMs = 60_000;

export interface Line {
  [field: string]: unknown;
}

export interface Child {
  readonly pid: number;
  readonly lines: Line[];
  /** Resolves with the first line, said or to come, that `wanted` takes. Rejects when the child ends without it. */
  line(wanted: (line: Line) => boolean): Promise<Line>;
  /** Resolves with the exit code, or the signal's name. */
  readonly ended: Promise<number | string>;
  kill(signal: NodeJS.Signals): void;
}

export function startChild(program: string, args: readonly string[]): Child {
  const child: ChildProcess = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: Line[] = [];
  const waiting = new Set<() => void>();
  let errors = '';
  let isOver = false;
  const wake = (): void => {
    for (const look of [...waiting]) look();
  };
  child.stderr?.on('data', (text) => {
    errors += text;
  });
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (text) => {
    lines.push(JSON.parse(text) as Line);
    wake();
  });
  const ended = new Promise<number | string>((resolve) => {
    child.once('close', (code, signal) => {
      isOver = true;
      wake();
      resolve(signal ?? code ?? -1);
    });
  });
  return {
    pid: child.pid as number,
    lines,
    ended,
    kill: (signal) => void child.kill(signal),
    line: (wanted) =>
      new Promise((resolve, reject) => {
        const settle = (act: () => void): void => {
          clearTimeout(timer);
          waiting.delete(look);
          act();
        };
        const look = (): void => {
          const found = lines.find(wanted);
          if (found) settle(() => resolve(found));
          else if (isOver)
            settle(() =>
              reject(
                new Error(`the child ended without the line. ${errors} ${JSON.stringify(lines.slice(-3))}`),
              ),
            );
        };
        const timer = setTimeout(
          () =>
            settle(() =>
              reject(new Error(`no such line in ${deadlineMs} ms: ${JSON.stringify(lines.slice(-3))}`)),
            ),
          deadlineMs,
        );
        waiting.add(look);
        look();
      }),
  };
}
