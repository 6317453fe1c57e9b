/** Limits on memory and processes by the kernel's control groups, version 1 or 2, where we may make them. */
import { mkdir, readdir, readFile, readlink, rmdir, writeFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';

export interface Limits {
  memoryBytes: number;
  /** Tasks. An emulated process has two at least; at the limit the emulator aborts with an assertion. */
  processes: number;
}

/** Source: upstream facts 7.1, 8 GB a container; a quarter of the host stays free for everything else. */
export const defaultLimits = (): Limits => ({
  memoryBytes: Math.min(8 * 1024 ** 3, Math.floor(totalmem() * 0.75)),
  processes: 4096, // 500 is the floor of a parallel emulated build; this stops a fork bomb
});

export interface RunCgroup {
  version: 1 | 2;
  /** Folders to remove at the end. */
  folders: string[];
  /** Files that take a process into the group. */
  procsFiles: string[];
  /** How often the kernel has killed for memory in this group. */
  oomKills(): Promise<number>;
}

/**
 * Names bear the process namespace and the process: a number says nothing about a process of another namespace
 * (a container that shares the hierarchy), and an idle group of a living sandbox is empty between commands.
 */
const prefixOf = async (): Promise<string> => {
  const namespace = /\d+/.exec(await readlink('/proc/self/ns/pid'))?.[0] ?? '0';
  return `atesor-${namespace}-`;
};

/** A group for one open sandbox; null when the host has none that we may make. */
export async function createRunCgroup(runId: string, limits: Limits): Promise<RunCgroup | null> {
  try {
    const prefix = await prefixOf();
    const name = `${prefix}${process.pid}-${runId}`;
    const hierarchies = await findHierarchies();
    if (!hierarchies) return null;
    await sweep(Object.values(hierarchies.parents), prefix);
    return hierarchies.version === 2
      ? await createV2(join(hierarchies.parents.memory, name), limits)
      : await createV1(hierarchies.parents, name, limits);
  } catch {
    return null; // not ours to make (an ordinary user, a container): the driver then says "not known"
  }
}

async function createV1(
  parents: { memory: string; pids: string },
  name: string,
  limits: Limits,
): Promise<RunCgroup> {
  const memory = join(parents.memory, name);
  const pids = join(parents.pids, name);
  await mkdir(memory, { recursive: true });
  await mkdir(pids, { recursive: true });
  await writeFile(join(memory, 'memory.limit_in_bytes'), String(limits.memoryBytes));
  await writeFile(join(pids, 'pids.max'), String(limits.processes));
  return {
    version: 1,
    folders: [memory, pids],
    procsFiles: [join(memory, 'cgroup.procs'), join(pids, 'cgroup.procs')],
    oomKills: () => counter(join(memory, 'memory.oom_control')),
  };
}

async function createV2(folder: string, limits: Limits): Promise<RunCgroup> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'memory.max'), String(limits.memoryBytes));
  await writeFile(join(folder, 'pids.max'), String(limits.processes));
  await writeFile(join(folder, 'memory.swap.max'), '0').catch(() => undefined); // absent without swap
  return {
    version: 2,
    folders: [folder],
    procsFiles: [join(folder, 'cgroup.procs')],
    oomKills: () => counter(join(folder, 'memory.events')),
  };
}

/** Both versions have a line `oom_kill N`. */
async function counter(file: string): Promise<number> {
  return Number(/^oom_kill (\d+)/m.exec(await readFile(file, 'utf8'))?.[1] ?? 0);
}

interface Hierarchies {
  version: 1 | 2;
  parents: { memory: string; pids: string };
}

async function findHierarchies(): Promise<Hierarchies | null> {
  const mounts = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').map((line) => {
    const [before = '', after = ''] = line.split(' - ');
    const [type = '', , options = ''] = after.split(' ');
    return { path: before.split(' ')[4] ?? '', type, options: options.split(',') };
  });
  const own = await readFile('/proc/self/cgroup', 'utf8');
  const v1 = async (controller: string) => {
    const mount = mounts.find((one) => one.type === 'cgroup' && one.options.includes(controller));
    if (!mount) return null;
    const path = new RegExp(`^\\d+:(?:[^:]*,)?${controller}(?:,[^:]*)?:(.*)$`, 'm').exec(own)?.[1] ?? '/';
    // a container may see the mount but not its own path in it
    return (await readdir(join(mount.path, path)).catch(() => null)) ? join(mount.path, path) : mount.path;
  };
  const [memory, pids] = [await v1('memory'), await v1('pids')];
  if (memory && pids) return { version: 1, parents: { memory, pids } };
  const v2 = mounts.find((one) => one.type === 'cgroup2')?.path;
  if (!v2) return null;
  // Groups with processes cannot have limited children, so ours stand under a folder of their own at the top.
  const parent = join(v2, 'atesor');
  await mkdir(parent, { recursive: true });
  await writeFile(join(v2, 'cgroup.subtree_control'), '+memory +pids').catch(() => undefined); // on already, or not ours
  await writeFile(join(parent, 'cgroup.subtree_control'), '+memory +pids');
  return { version: 2, parents: { memory: parent, pids: parent } };
}

/** Removes groups of processes of ours that are gone; the holder does it already unless it was killed too. */
async function sweep(parents: string[], prefix: string): Promise<void> {
  for (const parent of new Set(parents))
    for (const name of await readdir(parent)) {
      const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length).split('-')[0]) : Number.NaN;
      if (!Number.isNaN(pid) && !isAlive(pid)) await rmdir(join(parent, name)).catch(() => undefined);
    }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
