/** Runs one test file as a program of its own and judges how it ended. */
import { spawn } from 'node:child_process';
import { uvuCounts } from './uvu-counts.ts';

export interface FileResult {
  file: string;
  passed: number;
  failed: number;
  skipped: number;
  /** Why the file counts as failed; null when all is well. */
  problem: string | null;
  output: string;
  seconds: number;
}

/** Output beyond this is a runaway, not a report; the end is what matters, bytes. */
const outputMax = 4 * 1024 * 1024;

export interface FileRun {
  result: Promise<FileResult>;
  /** Ends the file and every process it started in its group. */
  kill(): void;
}

const problemOf = (
  exit: { code: number | null; signal: string | null; late: boolean },
  counts: ReturnType<typeof uvuCounts>,
  deadlineMs: number,
): string | null => {
  if (exit.late) return `did not end within ${deadlineMs / 1000} s`;
  if (exit.signal !== null) return `died by ${exit.signal}`;
  if (counts === null || counts.total === 0) return 'ran no test: is `test.run()` missing?';
  if (counts.passed < counts.total) return `${counts.total - counts.passed} failed`;
  if (exit.code !== 0) return `ended with exit code ${exit.code}`;
  return null;
};

/**
 * Starts `node FILE`. Never rejects: a file that cannot be started or does not end is a failed file.
 * @param deadlineMs wall time, ms; then the whole process group is killed
 */
export const runFile = (file: string, deadlineMs: number, env: NodeJS.ProcessEnv): FileRun => {
  const started = performance.now();
  // A group of its own, so that a kill reaches what the test started.
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'pipe'], detached: true, env });
  const chunks: Buffer[] = [];
  let size = 0;
  let late = false;

  const kill = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The group is gone already.
    }
  };
  const keep = (chunk: Buffer): void => {
    chunks.push(chunk);
    size += chunk.length;
    while (size > outputMax && chunks.length > 1) size -= chunks.shift()?.length ?? 0;
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);

  const timer = setTimeout(() => {
    late = true;
    kill();
  }, deadlineMs);

  const result = new Promise<FileResult>((resolve) => {
    const finish = (code: number | null, signal: string | null): void => {
      clearTimeout(timer);
      kill();
      const output = Buffer.concat(chunks).toString('utf8');
      const counts = uvuCounts(output);
      const problem = problemOf({ code, signal, late }, counts, deadlineMs);
      const failures = counts === null ? 0 : counts.total - counts.passed;
      resolve({
        file,
        passed: counts?.passed ?? 0,
        failed: problem === null ? 0 : Math.max(1, failures),
        skipped: counts?.skipped ?? 0,
        problem,
        output,
        seconds: (performance.now() - started) / 1000,
      });
    };
    child.on('error', () => finish(null, 'spawn error'));
    // 'exit', not 'close': a process left behind keeps the pipe open, and is killed by `finish`.
    child.on('exit', (code, signal) => setImmediate(() => finish(code, signal)));
  });
  return { result, kill };
};
