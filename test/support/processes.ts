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

/** Waits until a claim about the machine holds. @throws after `timeoutMs`, naming the claim */
export async function until(claim: () => Promise<boolean>, what: string, timeoutMs = 10_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await claim())) {
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await delay(20);
  }
}
