/** Layers of packages in the data folder: `layers/<key>/tree`, made once, never changed. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accelerateGo } from './accel-go.ts';
import { knownAlternatives, makeAlternatives } from './alternatives.ts';
import { type AptPackage, aptDownload, archivesOf, dropArchives } from './apt.ts';
import { giveToSandbox } from './host-user.ts';
import { type RootInfo, rootRecipeVersion } from './root.ts';
import { readControls } from './root-base.ts';
import { unpackDebs } from './unpack.ts';

export interface PackageLayer {
  key: string;
  /** dpkg status paragraphs of its packages. */
  paragraphs: string[];
  hasLibraries: boolean;
}

export interface LayerContext {
  root: RootInfo;
  layersDir: string;
  accelerated: boolean;
  onProgress: (text: string) => void;
  signal: AbortSignal;
}

/**
 * Finds or makes the layer of exactly these packages. The caller holds the lock of `layersDir`.
 * @throws SandboxError `sandboxUnavailable` (a 404 in its text says that the index is out of date)
 */
export async function ensureLayer(
  packages: readonly AptPackage[],
  context: LayerContext,
): Promise<PackageLayer> {
  const key = layerKey(packages, context);
  const path = join(context.layersDir, key);
  const ready = await readLayer(path, key);
  if (ready) return ready;
  for (const name of await readdir(context.layersDir))
    if (name.startsWith('.building-'))
      await rm(join(context.layersDir, name), { recursive: true, force: true });
  const build = join(context.layersDir, `.building-${process.pid}`);
  try {
    await buildLayer(build, key, packages, context);
    await rm(path, { recursive: true, force: true });
    await rename(build, path);
  } finally {
    await rm(build, { recursive: true, force: true });
    await dropArchives(context.root.apt);
  }
  const built = await readLayer(path, key);
  if (!built) throw new Error(`the layer ${key} has no manifest`);
  return built;
}

async function buildLayer(
  build: string,
  key: string,
  packages: readonly AptPackage[],
  { root, accelerated, onProgress, signal }: LayerContext,
): Promise<void> {
  const tree = join(build, 'tree');
  const controls = join(build, 'controls');
  await mkdir(tree, { recursive: true, mode: 0o755 });
  await mkdir(controls);
  onProgress(`downloading ${packages.length} packages (${Math.ceil(sizeOf(packages) / 1e6)} MB)`);
  await aptDownload(root.apt, packages, { signal });
  await unpackDebs(
    packages.map((one) => join(archivesOf(root.apt), one.file)),
    tree,
    {
      controls,
      signal,
      onProgress: (done, total) => onProgress(`unpacking packages: ${done} of ${total}`),
    },
  );
  const { paragraphs, alternatives } = await readControls(controls);
  await makeAlternatives(tree, [...alternatives, ...knownAlternatives]);
  if (accelerated && root.hostApt)
    await accelerateGo(tree, join(build, 'scratch'), root.hostApt, packages, signal);
  await rm(controls, { recursive: true });
  await rm(join(build, 'scratch'), { recursive: true, force: true });
  await giveToSandbox(tree);
  const layer: PackageLayer = { key, paragraphs, hasLibraries: await hasLibraries(tree) };
  await writeFile(join(build, 'layer.json'), JSON.stringify(layer), { flush: true });
}

/** The layer of exactly these packages, null when it was not made yet. */
export async function findLayer(
  packages: readonly AptPackage[],
  context: Pick<LayerContext, 'root' | 'layersDir' | 'accelerated'>,
): Promise<PackageLayer | null> {
  const key = layerKey(packages, context);
  return readLayer(join(context.layersDir, key), key);
}

async function readLayer(path: string, key: string): Promise<PackageLayer | null> {
  const text = await readFile(join(path, 'layer.json'), 'utf8').catch(() => null);
  return text === null ? null : { ...(JSON.parse(text) as PackageLayer), key };
}

/** The same packages over another root, or with accelerated programs, are another layer. */
function layerKey(
  packages: readonly AptPackage[],
  { root, accelerated }: Pick<LayerContext, 'root' | 'accelerated'>,
): string {
  const lines = packages.map((one) => `${one.name}=${one.version}`).sort();
  return createHash('sha256')
    .update([rootRecipeVersion, root.digest, accelerated, ...lines].join('\n'))
    .digest('hex')
    .slice(0, 32);
}

async function hasLibraries(tree: string): Promise<boolean> {
  for (const folder of ['usr/lib/riscv64-linux-gnu', 'usr/lib']) {
    const names = await readdir(join(tree, folder)).catch(() => []);
    if (names.some((name) => /\.so(\.|$)/.test(name))) return true;
  }
  return (await readdir(join(tree, 'etc/ld.so.conf.d')).catch(() => [])).length > 0;
}

const sizeOf = (packages: readonly AptPackage[]) => packages.reduce((sum, one) => sum + one.size, 0);
