/** Finds the ELF files of one tree, and says of each whether it came with the source. */
import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { concurrently } from './concurrently.ts';
import { type Evidence, examineFile, isCandidate } from './examine-file.ts';
import type { TrackedFiles } from './git-index.ts';
import { fromByteName, openFileAt } from './open-inside.ts';
import { digestsOf } from './tracked-files.ts';
import { type FoundFile, filesAtOnce, walkFiles } from './walk-files.ts';

export interface BuiltFile {
  /** Byte string, relative to the folder that was walked. */
  path: string;
  size: number;
  evidence: Evidence;
  /** Tracked and unchanged: it proves nothing of the build. */
  prebuilt: boolean;
}

export interface CollectOptions {
  depthMax: number;
  /** Which of the candidates to read. */
  wants: (name: string, stats: Stats) => boolean;
  tracked: TrackedFiles;
  /** Candidates that are read at most. */
  filesMax: number;
  /** Ends the search early; what was found until then is answered. */
  stop: AbortSignal;
  /** Called with a path that cannot be read; the search goes on. */
  onFault: (path: string, error: Error) => void;
}

export interface Collected {
  files: BuiltFile[];
  examined: number;
  /** A limit, or `stop`, kept it from seeing the whole tree. */
  truncated: boolean;
}

/** Source: upstream facts §10.1. */
const skippedFolders = new Set(['.git', 'node_modules']);

export async function collectBuilt(folder: FileHandle, options: CollectOptions): Promise<Collected> {
  const { filesMax, stop, wants, onFault } = options;
  const files: BuiltFile[] = [];
  let examined = 0;
  let truncated = false;
  const visit = async (found: FoundFile[]): Promise<boolean> => {
    const candidates = found.filter(({ name, stats }) => isCandidate(name, stats) && wants(name, stats));
    const allowed = candidates.slice(0, filesMax - examined);
    const built = await concurrently(allowed, filesAtOnce, async (one) => {
      if (stop.aborted) return null;
      return examineFound(one, options.tracked, stop).catch((error: Error) => {
        if (!stop.aborted) onFault(one.path, error);
        return null;
      });
    });
    examined += allowed.length;
    files.push(...built.filter((one) => one !== null));
    if (allowed.length < candidates.length || stop.aborted) truncated = true;
    return !truncated;
  };
  const { depthMax } = options;
  const ended = await walkFiles(folder, { depthMax, skip: skippedFolders, visit, onFault });
  truncated ||= ended === 'cut' || files.some((file) => file.evidence.partial);
  return { files, examined, truncated };
}

async function examineFound(
  { folder, name, path }: FoundFile,
  tracked: TrackedFiles,
  stop: AbortSignal,
): Promise<BuiltFile | null> {
  const opened = await openFileAt(folder, name);
  if (opened === null) return null;
  try {
    const { size } = opened.stats;
    const evidence = await examineFile(opened.file, name);
    if (evidence === null) return null;
    const blobId = tracked.get(fromByteName(path)) ?? null;
    const prebuilt = blobId !== null && (await digestsOf(opened.file, size, blobId, stop)).isBlob;
    return { path, size, evidence, prebuilt };
  } finally {
    await opened.file.close();
  }
}
