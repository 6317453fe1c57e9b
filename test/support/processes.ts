/** Processes of this machine, looked at by tests. */
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** Pids of processes whose command line holds `text`, this one left out. */
export async function processesWith(text: string): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    const line = await readFile(`/proc/${name}/cmdline`, 'latin1').catch(() => '');
    if (line.includes(text)) found.push(Number(name));
  }
  return found;
}

/** Those of them that this process has started. */
export async function childrenWith(text: string): Promise<number[]> {
  const found = await processesWith(text);
  const parents = await Promise.all(
    found.map(async (pid) => {
      const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
      return Number(/^PPid:\s*(\d+)/m.exec(status)?.[1]);
    }),
  );
  return found.filter((_, index) => parents[index] === process.pid);
}

/** Waits until a claim about the machine holds. @throws after `timeoutMs`, naming the claim */
export async function until(claim: () => Promise<boolean>, what: string, timeoutMs = 10_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await claim())) {
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await delay(20);
  }
}
