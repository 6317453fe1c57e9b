/** The riscv64 root that every run starts from: built once, found by its manifest ever after. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AptFolder, type AptPackage, aptDownload, aptPlan, aptUpdate, dropArchives } from './apt.ts';
import { emulatorVersion, ensureBinfmt } from './binfmt.ts';
import { SandboxError } from './driver.ts';
import { withFileLock } from './file-lock.ts';
import { giveToSandbox, isRoot, sandboxHostId } from './host-user.ts';
import { findMirror } from './mirror.ts';
import { accelHosts, accelNeeds, accelPackages, buildAccel, compilePython } from './root-accel.ts';
import { basePackages, buildBase } from './root-base.ts';
import { runInTree } from './run-in-tree.ts';

/** Raised when the recipe (packages, fix-ups, accelerated programs) changes: older roots are then left unused. */
export const rootRecipeVersion = 4;
export const rootSuite = 'trixie';
export const rootArchitecture = 'riscv64';
const rootName = `debian-${rootSuite}-${rootArchitecture}-${rootRecipeVersion}`;

/** A build takes 80 s quiet, 330 s loaded: another process that builds is waited for this long, ms. */
const lockTimeoutMs = 1_700_000;

export interface RootInfo {
  name: string;
  /** Folder that holds base/, accel/, the package index and the manifest. */
  path: string;
  base: string;
  /** The accelerated layer; null when the host has none. */
  accel: string | null;
  /** sha256 over the packages of the base and the recipe's version, hex. */
  digest: string;
  packages: Record<string, string>;
  toolVersions: Record<string, string>;
  /** Index of the target's packages, as it was when the root was made or brought up to date. */
  apt: AptFolder;
  /** The same for the host's architecture; null without accelerated layers. */
  hostApt: AptFolder | null;
}

export interface RootOptions {
  rootsDir: string;
  /** A Debian mirror, used when the host's own apt sources have none. */
  mirror?: string | undefined;
  onProgress?: ((text: string) => void) | undefined;
  /** Name of the root that a run was begun on: used as long as it is there, also when the recipe is newer. */
  begunOn?: string | undefined;
  signal?: AbortSignal | undefined;
}

interface Manifest {
  recipeVersion: number;
  suite: string;
  architecture: string;
  hostArchitecture: string | null;
  digest: string;
  packages: Record<string, string>;
  accelPackages: Record<string, string>;
  createdAt: string;
}

/**
 * Finds or builds the root. Only one process builds; others wait and then use its root. A build is made
 * aside and renamed when complete, so a killed one leaves nothing that could be taken for a root.
 * @throws SandboxError `sandboxUnavailable` (mirror, tools or rights are missing), `diskFull`, `cancelled`
 */
export async function ensureRoot(options: RootOptions): Promise<RootInfo> {
  const progress = options.onProgress ?? (() => undefined);
  await ensureBinfmt();
  const found =
    (options.begunOn && (await readRoot(options.rootsDir, options.begunOn))) ||
    (await readRoot(options.rootsDir));
  if (found) return ofThisUser(found);
  await mkdir(options.rootsDir, { recursive: true });
  return withFileLock(
    join(options.rootsDir, `.${rootName}.lock`),
    {
      timeoutMs: lockTimeoutMs,
      signal: options.signal,
      onWait: () => progress('another process builds the riscv64 root; waiting for it'),
    },
    async () => {
      const meanwhile = await readRoot(options.rootsDir);
      if (meanwhile) return meanwhile;
      await removeLeftovers(options.rootsDir);
      const build = join(options.rootsDir, `.building-${process.pid}`);
      try {
        await buildRoot(build, options, progress);
        // what stands there has no manifest: somebody has damaged it
        await rm(join(options.rootsDir, rootName), { recursive: true, force: true });
        await rename(build, join(options.rootsDir, rootName));
      } finally {
        await rm(build, { recursive: true, force: true });
      }
      const built = await readRoot(options.rootsDir);
      if (!built)
        throw new SandboxError('sandboxUnavailable', `the root in ${options.rootsDir} has no manifest`);
      return built;
    },
  );
}

/** Files of another user would show as nobody's inside, and could not be written by anyone there. */
async function ofThisUser(root: RootInfo): Promise<RootInfo> {
  const owner = (await stat(root.base)).uid;
  if (owner === (isRoot() ? sandboxHostId : process.getuid?.())) return root;
  throw new SandboxError(
    'sandboxUnavailable',
    `the riscv64 root in ${root.path} was made by another user; use a data folder of your own (ATESOR_HOME)`,
  );
}

/** The root if it is there, without building it. */
export async function readRoot(rootsDir: string, name = rootName): Promise<RootInfo | null> {
  const path = join(rootsDir, name);
  const text = await readFile(join(path, 'manifest.json'), 'utf8').catch(() => null);
  if (text === null) return null;
  const manifest = JSON.parse(text) as Manifest;
  const host = manifest.hostArchitecture;
  return {
    name,
    path,
    base: join(path, 'base'),
    accel: host ? join(path, 'accel') : null,
    digest: manifest.digest,
    packages: manifest.packages,
    toolVersions: {
      gcc: manifest.packages['gcc-14'] ?? '',
      binutils: manifest.packages.binutils ?? '',
      libc: manifest.packages.libc6 ?? '',
      qemu: await emulatorVersion(),
    },
    apt: { path: join(path, 'apt'), architecture: manifest.architecture },
    hostApt: host ? { path: join(path, 'apt-host'), architecture: host } : null,
  };
}

async function buildRoot(
  build: string,
  options: RootOptions,
  progress: (text: string) => void,
): Promise<void> {
  const { signal } = options;
  progress(`building the riscv64 root (once; about 2 minutes)`);
  const mirror = await findMirror({
    suite: rootSuite,
    architecture: rootArchitecture,
    configured: options.mirror,
    signal,
  });
  const host = accelHosts[process.arch] ?? null;
  const apt: AptFolder = { path: join(build, 'apt'), architecture: rootArchitecture };
  const hostApt: AptFolder | null = host && {
    path: join(build, 'apt-host'),
    architecture: host.architecture,
  };
  progress('fetching the package index');
  await Promise.all(
    [apt, hostApt]
      .filter((one) => one !== null)
      .map((one) => aptUpdate(one, { mirror, suite: rootSuite, signal })),
  );
  const [target, accel] = await Promise.all([
    planned(apt, basePackages, signal),
    hostApt ? planned(hostApt, accelPackages, signal).then(accelNeeds) : [],
  ]);
  const useAccel = host !== null && hostApt !== null && sameToolchain(target, accel);
  const megabytes = Math.round([...target, ...accel].reduce((sum, one) => sum + one.size, 0) / 1e6);
  progress(`downloading ${target.length + accel.length} packages (${megabytes} MB)`);
  await aptDownload(apt, target, { signal });

  const base = join(build, 'base');
  const scratch = join(build, 'scratch');
  await Promise.all([
    buildBase(base, apt, target, { onProgress: progress, signal }),
    useAccel ? aptDownload(hostApt, accel, { signal }) : undefined,
  ]);
  if (useAccel) {
    progress('adding the accelerated compiler layer');
    await buildAccel(join(build, 'accel'), base, scratch, hostApt, accel, host, signal);
    progress('compiling Python modules');
    await compilePython(base, scratch, host, signal);
  }
  await rm(scratch, { recursive: true, force: true });
  await giveToSandbox(base, ...(useAccel ? [join(build, 'accel')] : []));
  progress('indexing libraries');
  await runInTree(base, ['/sbin/ldconfig'], { write: true, signal });
  await Promise.all([apt, hostApt].filter((one) => one !== null).map(dropArchives));

  const packages = versions(target);
  const manifest: Manifest = {
    recipeVersion: rootRecipeVersion,
    suite: rootSuite,
    architecture: rootArchitecture,
    hostArchitecture: useAccel ? host.architecture : null,
    digest: digestOf(packages),
    packages,
    accelPackages: useAccel ? versions(accel) : {},
    createdAt: new Date().toISOString(),
  };
  await writeFile(join(build, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

async function planned(
  apt: AptFolder,
  names: readonly string[],
  signal: AbortSignal | undefined,
): Promise<AptPackage[]> {
  const plan = await aptPlan(apt, names, { signal });
  if (plan.ok) return plan.packages;
  throw new SandboxError(
    'sandboxUnavailable',
    `the mirror cannot give the packages of the root: ${plan.text}`,
  );
}

/** Equal compiler and binutils on both sides, else outputs could differ. */
function sameToolchain(target: readonly AptPackage[], accel: readonly AptPackage[]): boolean {
  const [ours, theirs] = [versions(target), versions(accel)];
  const gcc = theirs['cpp-14-riscv64-linux-gnu']?.replace(/cross\d+$/, '');
  return gcc === ours['gcc-14'] && theirs['binutils-riscv64-linux-gnu'] === ours.binutils;
}

const versions = (packages: readonly AptPackage[]): Record<string, string> =>
  Object.fromEntries(packages.map((one) => [one.name, one.version]).sort());

function digestOf(packages: Record<string, string>): string {
  const lines = Object.entries(packages).map(([name, version]) => `${name}=${version}\n`);
  return createHash('sha256')
    .update(`recipe ${rootRecipeVersion}\n${lines.join('')}`)
    .digest('hex');
}

/** A build that was killed leaves its folder; we hold the lock, so none is in use. */
async function removeLeftovers(rootsDir: string): Promise<void> {
  for (const name of await readdir(rootsDir))
    if (name.startsWith('.building-')) await rm(join(rootsDir, name), { recursive: true, force: true });
}
