/** Where built files are looked for, with one budget of files and time for all places. */
import type { Stats } from 'node:fs';
import { type BuiltFile, collectBuilt } from './collect-built.ts';
import type { TrackedFiles } from './git-index.ts';
import { fromByteName, openFolderInside, toByteName } from './open-inside.ts';

/** Byte strings: `shown` is the path in the answer, `inside` the absolute path in the tree. */
export type LocatedFile = BuiltFile & { shown: string; inside: string };

interface Place {
  /** Absolute byte string inside the tree. */
  path: string;
  /** Put before the paths in the answer. */
  prefix: string;
  depthMax: number;
  tracked: TrackedFiles;
  wants: (name: string, stats: Stats) => boolean;
}

/** Deeper than the folders of any build; each level keeps one open. */
const depthMax = 100;
/** Where an install step puts its outputs. Source: upstream facts §10.1; the last two are of the sandbox's HOME. */
const outsideFolders = [
  '/usr/local/bin',
  '/usr/local/sbin',
  '/usr/local/lib',
  '/usr/local/lib64',
  '/root/go/bin',
  '/root/.cargo/bin',
  '/workspace/go/bin',
  '/workspace/.cargo/bin',
];
/** Source: upstream facts §10.1, depth 3. */
const outsideDepthMax = 2;

export class ArtifactSearch {
  readonly files: LocatedFile[] = [];
  examined = 0;
  truncated = false;
  readonly #root: string;
  readonly #filesMax: number;
  readonly #stop: AbortSignal;
  readonly #faults: string[] = [];

  constructor(root: string, filesMax: number, stop: AbortSignal) {
    this.#root = root;
    this.#filesMax = filesMax;
    this.#stop = stop;
  }

  async repository(repoPath: string, tracked: TrackedFiles): Promise<void> {
    const path = toByteName(repoPath);
    const there = await this.#search({ path, prefix: '', depthMax, tracked, wants: () => true });
    if (!there && this.#faults.length === 0)
      this.#faults.push(`there is no folder ${repoPath} in the sandbox`);
  }

  async outside(wants: Place['wants']): Promise<void> {
    for (const path of outsideFolders)
      await this.#search({ path, prefix: `${path}/`, depthMax: outsideDepthMax, tracked: new Map(), wants });
  }

  /** Notes that a file or folder (byte string) cannot be read. */
  fault(shown: string, error: Error): void {
    if (this.#stop.aborted) return; // what was stopped did not fail
    // the message of the system would show paths of the host
    const { code } = error as NodeJS.ErrnoException;
    this.#faults.push(`${fromByteName(shown) || '.'} cannot be read (${code ?? error.message})`);
  }

  get error(): string | null {
    const [first, ...others] = this.#faults;
    if (first === undefined) return null;
    return others.length === 0 ? first : `${first}, and ${others.length} more`;
  }

  /** False when there is no such folder, or a link is in its place. */
  async #search(place: Place): Promise<boolean> {
    const { path, prefix } = place;
    const onFault = (below: string, error: Error) => this.fault(prefix + below, error);
    const folder = await openFolderInside(this.#root, path).catch((error: Error) => onFault('', error));
    if (!folder) return false;
    const filesMax = this.#filesMax - this.examined;
    const found = await collectBuilt(folder, { ...place, filesMax, stop: this.#stop, onFault }).finally(() =>
      folder.close(),
    );
    this.examined += found.examined;
    this.truncated ||= found.truncated;
    for (const file of found.files)
      this.files.push({ ...file, shown: prefix + file.path, inside: `${path}/${file.path}` });
    return true;
  }
}
