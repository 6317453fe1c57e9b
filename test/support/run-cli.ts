/** Runs the command line as a user does: as a program of its own. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const ownMain = join(import.meta.dirname, '../../services/cli/main.ts');
/** A command that looks at a record takes well below 1 s; this is for a loaded machine, ms. */
const deadlineMs = 60_000;

export interface CliResult {
  code: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
}

export interface CliOptions {
  home: string;
  env?: Record<string, string>;
  cwd?: string;
  timeoutMs?: number;
  /** Another program's start than this checkout's. */
  main?: string;
}

export const runCli = (
  args: readonly string[],
  { home, env, cwd, timeoutMs, main = ownMain }: CliOptions,
): Promise<CliResult> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [main, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(cwd === undefined ? {} : { cwd }),
      env: { PATH: process.env.PATH ?? '', HOME: home, ATESOR_HOME: home, ...env },
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs ?? deadlineMs);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, stdout, stderr });
    });
  });
