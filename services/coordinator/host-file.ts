/**
 * `coordinator.json`: how other processes of the data folder reach its host. Mode 0600: it holds the token of the
 * embedded server. It is a hint; who hosts is decided by the lock alone.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export interface HostFile {
  pid: number;
  /** Epoch ms. */
  startedAt: number;
  natsUrl: string;
  /** Of the embedded server; null for a server of its own (`NATS_URL`), whose credentials each process has. */
  token: string | null;
  /** Of the log's writer: raised by each new host. */
  epoch: number;
  /** The host's own worker: it does the effects that need the data folder. */
  worker: string;
  /** The data folder's name on the server. */
  folder: string;
}

export const hostFilePath = (home: string): string => join(home, 'coordinator.json');

/** Written whole or not at all. */
export function writeHostFile(home: string, file: HostFile): void {
  const temp = join(home, `.coordinator.${process.pid}.${randomBytes(4).toString('hex')}`);
  try {
    const fd = openSync(temp, 'wx', 0o600);
    try {
      writeSync(fd, `${JSON.stringify(file)}\n`);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temp, hostFilePath(home));
  } finally {
    rmSync(temp, { force: true });
  }
}

/** Null when there is none, or it is not whole. */
export function readHostFile(home: string): HostFile | null {
  try {
    const file = JSON.parse(readFileSync(hostFilePath(home), 'utf8')) as HostFile;
    return typeof file.natsUrl === 'string' && typeof file.epoch === 'number' ? file : null;
  } catch {
    return null;
  }
}

export function removeHostFile(home: string): void {
  rmSync(hostFilePath(home), { force: true });
}
