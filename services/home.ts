/** The data folder: where it is, what is in it, and clear errors when it cannot be had. */
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { EngineError } from './engine.ts';

export interface Home {
  root: string;
  log: string;
  blobs: string;
  nats: string;
  roots: string;
  layers: string;
  runs: string;
  output: string;
  packages: string;
  logs: string;
  cache: string;
  data: string;
}

/** Below this nothing is begun, bytes: log, streams and an output's head need some room before a sandbox does. */
const startBytesMin = 8 * 1024 ** 2;
/** Below this a run cannot go on, bytes: one commit is at most 768 KiB, in the log's -wal and in two streams. */
const commitBytesMin = 2 * 1024 ** 2;

/** Sub-folders that are made at once. Others (`packages`) are made by who needs them. */
const folders = [
  'blobs',
  'nats',
  'roots',
  'layers',
  'runs',
  'output',
  'packages',
  'logs',
  'cache',
  'data',
] as const;

/**
 * Where the data folder is: `$ATESOR_HOME`, else `/var/lib/atesor` for root (root's home cannot be reached after
 * privileges are dropped), else `$XDG_DATA_HOME/atesor`, else `~/.local/share/atesor`. Makes nothing.
 */
export function homePath(env: NodeJS.ProcessEnv = process.env, uid = process.getuid?.() ?? 1): string {
  if (env.ATESOR_HOME) return resolve(env.ATESOR_HOME);
  if (uid === 0) return '/var/lib/atesor';
  if (env.XDG_DATA_HOME) return join(resolve(env.XDG_DATA_HOME), 'atesor');
  return join(env.HOME || homedir(), '.local', 'share', 'atesor');
}

/** The names inside a data folder. Makes nothing. */
export function homeLayout(root: string): Home {
  const names = Object.fromEntries(folders.map((name) => [name, join(root, name)]));
  return { root, log: join(root, 'log.db'), ...(names as Record<(typeof folders)[number], string>) };
}

/**
 * Makes the data folder and its sub-folders where they are missing.
 * @throws EngineError `homeUnwritable`, `diskFull`
 */
export function openHome(root: string): Home {
  const home = homeLayout(root);
  try {
    for (const folder of [root, ...folders.map((name) => home[name])]) {
      // 0755: a sandbox's unprivileged user must be able to enter; secrets have their own modes.
      makeFolder(folder);
    }
    accessSync(root, constants.W_OK | constants.X_OK);
    proveWritable(root);
    if (freeBytes(root) < startBytesMin) throw Object.assign(new Error('little space'), { code: 'ENOSPC' });
  } catch (error) {
    throw homeError(root, error);
  }
  return home;
}

/**
 * The name of a data folder among others on one NATS server; made once, kept in the file `id`.
 * @throws EngineError `homeUnwritable`, `diskFull`
 */
export function homeId(root: string): string {
  const path = join(root, 'id');
  try {
    return readId(path);
  } catch {
    // not there yet
  }
  const temp = join(root, `.id.${process.pid}.${randomBytes(4).toString('hex')}`);
  try {
    writeFileSync(temp, `${randomBytes(8).toString('hex')}\n`, { flag: 'wx', mode: 0o644 });
    try {
      linkSync(temp, path); // fails when another process was first: then its id holds
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      rmSync(temp, { force: true });
    }
    return readId(path);
  } catch (error) {
    throw homeError(root, error);
  }
}

function readId(path: string): string {
  const id = readFileSync(path, 'utf8').trim();
  if (!/^[0-9a-f]{16}$/.test(id)) throw new Error(`${path} is damaged`);
  return id;
}

const freeBytes = (root: string): number => {
  const { bavail, bsize } = statfsSync(root);
  return bavail * bsize;
};

/** The error of a data folder that has no room for another commit, or null. Never throws. */
export function spaceProblem(root: string): EngineError | null {
  try {
    return freeBytes(root) < commitBytesMin ? homeError(root, { code: 'ENOSPC' }) : null;
  } catch {
    return null; // it cannot even be looked at: whoever uses it next says why
  }
}

/**
 * `mkdir -p`, one step at a time: Node's own recursive one never ends where a file system answers ENOENT for a new
 * folder whose parent is there (/proc, Node 24).
 */
function makeFolder(path: string): void {
  const make = () => mkdirSync(path, { mode: 0o755 });
  try {
    make();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && statSync(path).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    makeFolder(dirname(path));
    if (!existsSync(path)) makeOnce(make);
  }
}

/** Another process may make the same folder at the same time. */
function makeOnce(make: () => void): void {
  try {
    make();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** A folder can look writable and not be (read-only mount, quota, full disk): only a written byte tells. */
function proveWritable(root: string): void {
  const probe = join(root, `.probe.${process.pid}.${randomBytes(4).toString('hex')}`);
  try {
    writeFileSync(probe, Buffer.alloc(4096, 1), { flag: 'wx', flush: true });
  } finally {
    rmSync(probe, { force: true });
  }
}

/** Turns what the file system said about the data folder into an error for a person. */
export function homeError(root: string, error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new EngineError(
      'diskFull',
      `the data folder ${root} has no space left: free some, or set ATESOR_HOME to a folder on a larger disk`,
      { cause: error },
    );
  }
  const why =
    code === 'EROFS'
      ? 'is on a read-only file system'
      : code === 'ENOTDIR' || code === 'EEXIST'
        ? 'is not a folder'
        : `cannot be written (${code ?? (error as Error).message})`;
  return new EngineError(
    'homeUnwritable',
    `the data folder ${root} ${why}: set ATESOR_HOME to a folder that you may write`,
    { cause: error },
  );
}
