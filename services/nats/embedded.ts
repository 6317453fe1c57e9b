/**
 * The embedded nats-server: a child on a free loopback port with a random token, its store in the data folder.
 *
 * N1 It dies with this process, also when this is killed (`setpriv --pdeathsig KILL`).
 * N2 Never two on one store: the child itself holds a kernel lock on the store (`flock`, kept over exec).
 * N3 Ready means that it has accepted connections; nothing here waits by sleeping.
 * N4 When it dies by itself it is started again on the same port, so that clients find it again.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, watch } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { EngineError } from '../engine.ts';

/** Ready after 30 ms on a quiet machine; a store of some GiB has to be read first. */
const readyDeadlineMs = 30_000;
/** After SIGTERM it flushes its store; measured below 100 ms. */
const stopDeadlineMs = 3_000;
/** How long a start waits for the lock of a server whose host has just been killed, s. */
const storeLockWaitS = 10;
/** Exit status that `flock -E` gives when the lock is not to be had; nats-server itself uses 0, 1 and 2. */
const lockedExit = 75;
/** More deaths than these within the window: something is wrong with the server, not with the moment. */
const restartsMax = 5;
const restartWindowMs = 60_000;

export interface EmbeddedNats {
  readonly url: string;
  readonly token: string;
  readonly pid: number;
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  /** Folder of the store; made when missing. */
  store: string;
  /** It died and was started again, or was given up (`false`). */
  onRestart?: (back: boolean, why: string) => void;
}

interface Child {
  process: ChildProcess;
  port: number;
  pid: number;
  /** Last lines that it said. */
  said: () => string;
  exited: Promise<string>;
}

/**
 * Starts the server and waits until it listens.
 * @throws EngineError `natsMissing` (not installed), `natsUnusable` (did not start; with its own words)
 */
export async function startEmbeddedNats(options: EmbeddedOptions): Promise<EmbeddedNats> {
  const token = `t${randomBytes(24).toString('hex')}`;
  let child = await launch(options.store, token, -1);
  const port = child.port;
  let stopping = false;
  const deaths: number[] = [];

  const supervise = (current: Child): void => {
    void current.exited.then(async (why) => {
      if (stopping) return;
      deaths.push(Date.now());
      const recent = deaths.filter((at) => at > Date.now() - restartWindowMs);
      if (recent.length > restartsMax) {
        options.onRestart?.(false, `nats-server died ${recent.length} times in a minute (${why})`);
        return;
      }
      try {
        child = await launch(options.store, token, port);
        if (stopping) return void child.process.kill('SIGTERM');
        options.onRestart?.(true, why);
        supervise(child);
      } catch (error) {
        options.onRestart?.(false, (error as Error).message);
      }
    });
  };
  supervise(child);

  return {
    url: `nats://127.0.0.1:${port}`,
    token,
    get pid() {
      return child.pid;
    },
    async stop() {
      stopping = true;
      await end(child);
    },
  };
}

async function launch(store: string, token: string, port: number): Promise<Child> {
  const server = which('nats-server');
  if (!server) {
    throw new EngineError(
      'natsMissing',
      'nats-server is not installed: install it (`apt-get install nats-server`), or set NATS_URL to a server',
    );
  }
  const runFolder = join(store, 'run');
  mkdirSync(runFolder, { recursive: true });
  const argv = [
    ...['setpriv', '--pdeathsig', 'KILL', '--'],
    ...['flock', '--no-fork', '-E', `${lockedExit}`, '-w', `${storeLockWaitS}`, join(store, 'lock')],
    ...[server, '-c', findConfig()],
  ];
  const child = spawn(argv[0] as string, argv.slice(1), {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      PATH: process.env.PATH,
      // Quoted as the configuration's own strings are: a folder's name may hold a blank.
      ATESOR_NATS_PORT: `${port}`,
      ATESOR_NATS_TOKEN: token,
      ATESOR_NATS_STORE: JSON.stringify(store),
      ATESOR_NATS_RUN: JSON.stringify(runFolder),
    },
  });
  return ready(child, runFolder);
}

/** Waits for the file of ports, which the server writes once it listens. */
function ready(child: ChildProcess, runFolder: string): Promise<Child> {
  let tail = '';
  const said = () => tail.trim().split('\n').slice(-5).join('\n');
  const exited = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `exit ${code}`));
    child.once('error', (error) => resolve(error.message));
  });
  return new Promise((resolve, reject) => {
    const portsFile = join(runFolder, `nats-server_${child.pid}.ports`);
    const settle = (act: () => void): void => {
      clearTimeout(deadline);
      watcher.close();
      act();
    };
    const look = (): void => {
      const port = readPort(portsFile);
      if (port) settle(() => resolve({ process: child, port, pid: child.pid as number, said, exited }));
    };
    const watcher = watch(runFolder, look);
    const deadline = setTimeout(() => {
      watcher.close();
      child.kill('SIGKILL');
      reject(
        new EngineError(
          'natsUnusable',
          `nats-server was not ready after ${readyDeadlineMs / 1000} s: ${said()}`,
        ),
      );
    }, readyDeadlineMs);
    void exited.then((why) =>
      settle(() => {
        rmSync(portsFile, { force: true });
        reject(new EngineError('natsUnusable', startFailure(why, said())));
      }),
    );
    child.stderr?.setEncoding('utf8');
    child.stderr?.on('data', (text: string) => {
      tail = (tail + text).slice(-4096);
      look();
    });
    // The server must not keep a finished program alive.
    child.unref();
    (child.stderr as unknown as { unref?: () => void })?.unref?.();
  });
}

function startFailure(why: string, said: string): string {
  if (why === `exit ${lockedExit}`) {
    return 'another nats-server uses the store of this data folder: end it, or set ATESOR_HOME to another folder';
  }
  return `nats-server ended at its start (${why}): ${said || 'it said nothing'}`;
}

function readPort(portsFile: string): number | null {
  try {
    const urls = (JSON.parse(readFileSync(portsFile, 'utf8')) as { nats?: string[] }).nats ?? [];
    const port = Number(new URL(urls[0] ?? '').port);
    return port > 0 ? port : null;
  } catch {
    return null; // not there yet, or half written: the next change looks again
  }
}

async function end(child: Child): Promise<void> {
  child.process.ref();
  if (child.process.exitCode !== null || child.process.signalCode !== null) return;
  child.process.kill('SIGTERM');
  const kill = setTimeout(() => child.process.kill('SIGKILL'), stopDeadlineMs);
  await child.exited;
  clearTimeout(kill);
}

/** nats.conf stands at the top of the project; this file is there too, or one folder deeper once compiled. */
function findConfig(): string {
  let folder = import.meta.dirname;
  for (let up = 0; up < 5; up++) {
    const path = join(folder, 'nats.conf');
    if (existsSync(path)) return path;
    folder = dirname(folder);
  }
  throw new EngineError('internal', 'nats.conf is missing from the program: install it again');
}

function which(name: string): string | null {
  // nats-server is in sbin on Debian, which an ordinary user's PATH may lack.
  for (const folder of [
    ...(process.env.PATH ?? '').split(delimiter),
    '/usr/sbin',
    '/usr/local/sbin',
    '/sbin',
  ]) {
    if (!folder) continue;
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // next one
    }
  }
  return null;
}
