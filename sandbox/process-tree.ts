/** Signals to everything that a command has started. */
import { readdir, readFile } from 'node:fs/promises';

/** More is a fork bomb, which the process limit and the KILL after the grace end. */
const processesMax = 10_000;

/**
 * Sends `signal` to all descendants of `pid` (not to itself). For the first process of a process namespace
 * these are all its processes, also double-forked ones: orphans come back to it.
 */
export async function signalDescendants(pid: number, signal: NodeJS.Signals): Promise<void> {
  const queue = [pid];
  const seen = new Set(queue);
  for (let parent = queue.shift(); parent !== undefined && seen.size < processesMax; parent = queue.shift()) {
    for (const child of await childrenOf(parent))
      if (!seen.has(child)) {
        seen.add(child);
        queue.push(child);
      }
  }
  for (const one of seen) if (one !== pid) signalProcess(one, signal);
}

/** The kernel keeps them by thread. */
async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const texts = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '')),
  );
  return texts.flatMap((text) => text.split(' ').map(Number)).filter((child) => child > 0);
}

/** Ended already is as good as signalled. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // ESRCH
  }
}
