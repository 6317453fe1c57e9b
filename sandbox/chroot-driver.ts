/**
 * The chroot driver: a Debian riscv64 root on this machine, its programs run by qemu-user, entered by
 * bubblewrap. Commands are kept apart from the host by namespaces of their own and an unprivileged host user.
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, stat, statfs } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { createRunCgroup, defaultLimits, type Limits } from './cgroups.ts';
import { ChrootSandbox, makeRunPipes } from './chroot-sandbox.ts';
import { asSandboxError } from './disk-full.ts';
import { type OpenSpec, type Sandbox, type SandboxDriver, SandboxError } from './driver.ts';
import { startHolder } from './holder.ts';
import { hostCommand } from './host-command.ts';
import { isRoot } from './host-user.ts';
import { mountStack, removeFolder } from './mount-stack.ts';
import { newStack, type OverlayStack, readStack } from './overlay-stack.ts';
import { ensureRoot, type RootInfo } from './root.ts';

export interface ChrootDriverOptions {
  /** The data folder; the other three are in it unless given. Absolute paths. */
  home: string;
  rootsDir?: string;
  layersDir?: string;
  runsDir?: string;
  mirror?: string;
  limits?: Limits;
  /** Marks that can be gone back to; more are folded together, but for the last. 200 unless given. */
  frozenMax?: number;
}

export interface ChrootDriver extends SandboxDriver {
  /** Opens a run; `detach` and `hostPath` are this driver's own. */
  open(spec: OpenSpec): Promise<ChrootSandbox>;
  /** Runs that have files here, open or not. */
  listRuns(): Promise<string[]>;
  /** Removes the files of a run that is not open. */
  removeRun(runId: string): Promise<void>;
}

/** A build leaves objects and logs; below this it would fail half-way. */
const freeBytesMin = 512 * 1024 ** 2;

export function createChrootDriver(options: ChrootDriverOptions): ChrootDriver {
  const rootsDir = options.rootsDir ?? join(options.home, 'roots');
  const layersDir = options.layersDir ?? join(options.home, 'layers');
  const runsDir = options.runsDir ?? join(options.home, 'runs');
  const limits = options.limits ?? defaultLimits();
  for (const path of [rootsDir, layersDir, runsDir])
    if (!isAbsolute(path)) throw new SandboxError('sandboxUnavailable', `${path} must be an absolute path`);

  // a run's own `info.limits` says what it has in fact
  const limited = isRoot() && existsSync('/sys/fs/cgroup');
  return {
    name: 'chroot',
    abilities: { network: true, memory: limited, processes: limited, disk: false, marks: true },

    async open(spec) {
      if (spec.platform !== 'debian-riscv64')
        throw new SandboxError(
          'sandboxUnavailable',
          `the chroot driver has no platform ${spec.platform}; it has debian-riscv64`,
        );
      const onProgress = spec.onProgress ?? (() => undefined);
      await checkTools();
      const runDir = join(runsDir, checkedRunId(spec.runId));
      const begunOn = (await readStack(runDir))?.rootName;
      const root = await ensureRoot({
        rootsDir,
        mirror: options.mirror,
        begunOn,
        onProgress,
        signal: spec.signal,
      });
      await mkdir(runDir, { recursive: true });
      await checkSpace(runDir);
      const cgroup = await createRunCgroup(spec.runId, limits);
      const holder = await startHolder(runDir, cgroup?.folders ?? []);
      try {
        // read under the holder's lock: another process may have had the run open until now
        const stack = (await readStack(runDir)) ?? newStack(root, spec.strict);
        checkSameRoot(stack, root, spec);
        await makeRunPipes(runDir);
        await mountStack(stack, { runDir, root, layersDir, holder });
        const info = infoOf(root, stack, cgroup ? limits : null);
        return new ChrootSandbox({
          runId: spec.runId,
          runDir,
          root,
          layersDir,
          stack,
          holder,
          cgroup,
          info,
          onProgress,
          frozenMax: options.frozenMax,
        });
      } catch (error) {
        await holder.close();
        throw asSandboxError(error);
      }
    },

    async listRuns() {
      const names = await readdir(runsDir).catch(() => []);
      const found = [];
      for (const name of names)
        if (await stat(join(runsDir, name, 'stack.json')).catch(() => null)) found.push(name);
      return found.sort();
    },

    async removeRun(runId) {
      const runDir = join(runsDir, checkedRunId(runId));
      if (!(await stat(runDir).catch(() => null))) return;
      const holder = await startHolder(runDir, []); // its lock says that nobody has the run open
      await holder.close();
      await removeFolder(runDir);
    },
  };
}

function infoOf(root: RootInfo, stack: OverlayStack, limits: Limits | null): Sandbox['info'] {
  return {
    platform: 'debian-riscv64',
    accelerated: !stack.strict && root.accel !== null,
    rootDigest: root.digest,
    toolVersions: root.toolVersions,
    limits: limits
      ? { memory: `${Math.round(limits.memoryBytes / 1024 ** 2)} MiB`, processes: String(limits.processes) }
      : { memory: 'not limited', processes: 'not limited' },
  };
}

/** Files of a run only make sense on the root that they were written over. */
function checkSameRoot(stack: OverlayStack, root: RootInfo, spec: OpenSpec): void {
  if (stack.rootDigest !== root.digest)
    throw new SandboxError(
      'sandboxLost',
      `run ${spec.runId} was begun on another root (${stack.rootDigest.slice(0, 12)}, now ${root.digest.slice(0, 12)}); its files cannot be used any more`,
    );
  if (stack.strict !== spec.strict)
    throw new SandboxError(
      'sandboxUnavailable',
      `run ${spec.runId} was begun ${stack.strict ? 'in strict mode' : 'with the accelerated layer'}; it must go on so`,
    );
}

async function checkTools(): Promise<void> {
  const packages = {
    bwrap: 'bubblewrap',
    nsenter: 'util-linux',
    flock: 'util-linux',
    'apt-get': 'apt',
    'dpkg-deb': 'dpkg',
  };
  const script = 'for name; do command -v "$name" >/dev/null || echo "$name"; done';
  const { stdout } = await hostCommand(['sh', '-c', script, 'check', ...Object.keys(packages)], {
    timeoutMs: 10_000,
  });
  const missing = stdout.split('\n').filter((name) => name !== '') as Array<keyof typeof packages>;
  if (missing.length > 0)
    throw new SandboxError(
      'sandboxUnavailable',
      `missing on this host: ${missing.join(', ')}; get it with: apt-get install ${[...new Set(missing.map((name) => packages[name]))].join(' ')}`,
    );
}

async function checkSpace(path: string): Promise<void> {
  const { bavail, bsize } = await statfs(path);
  if (bavail * bsize >= freeBytesMin) return;
  throw new SandboxError(
    'diskFull',
    `${path} has ${Math.round((bavail * bsize) / 1024 ** 2)} MiB free, a run needs ${freeBytesMin / 1024 ** 2}; free some, or move the data folder`,
  );
}

function checkedRunId(runId: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(runId)) return runId;
  throw new SandboxError(
    'denied',
    `${JSON.stringify(runId)} is no run id: letters, digits, - and _, at most 64`,
  );
}
