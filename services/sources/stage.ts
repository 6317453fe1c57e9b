/** Short-lived working folders under the data folder, cleaned up also after a crash. */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Runs `work` with an empty folder on the data folder's disk and removes the folder whatever happens. Folders
 * of processes that were killed are removed by the next call.
 */
export async function withStage<T>(home: string, work: (folder: string) => Promise<T>): Promise<T> {
  const stages = join(home, 'cache', 'stage');
  await mkdir(stages, { recursive: true });
  await removeLeftovers(stages);
  const folder = join(stages, `${process.pid}-${randomUUID()}`);
  await mkdir(folder);
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function removeLeftovers(stages: string): Promise<void> {
  for (const name of await readdir(stages)) {
    const pid = Number(name.split('-')[0]);
    if (Number.isInteger(pid) && pid > 0 && !isAlive(pid)) {
      await rm(join(stages, name), { recursive: true, force: true });
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code === 'EPERM';
  }
}
