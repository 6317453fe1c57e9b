/**
 * Reads the ELF header of every file that a build left. Source: upstream facts §10.1.
 * S1 no link is followed, and nothing outside of the tree is read.
 * S2 a file that came with the source and is unchanged is never an output, whatever it is.
 * S3 what was not seen is said: `truncated` for a limit, `scanError` for a fault.
 * S4 the same tree gives the same answer: files come in byte order, expected ones before the others.
 */
import type { Stats } from 'node:fs';
import { type BuiltFile, collectBuilt } from './collect-built.ts';
import { concurrently } from './concurrently.ts';
import { SandboxError } from './driver.ts';
import type { ArtifactType } from './examine-file.ts';
import { expectedNames, isExpected } from './expected-names.ts';
import type { TrackedFiles } from './git-index.ts';
import { fromByteName, openFileInside, openFolderInside, toByteName } from './open-inside.ts';
import { digestsOf } from './tracked-files.ts';

/** One file with its header, as the log keeps it. */
export interface ScannedFile {
  /** Relative to the repository; absolute for a file outside of it. */
  path: string;
  type: ArtifactType;
  /** `riscv64`, or another label such as `x86-64` or `mixed(riscv64+x86-64)`. */
  machine: string;
  /** `lp64d` and so on for RISC-V, '' otherwise. */
  abi: string;
  size: number;
  sha256: string;
}

/** Lists in the order of S4, at most `limits.listed` each; counts are of all files, listed or not. */
export interface ArtifactScanResult {
  riscv64: ScannedFile[];
  foreign: ScannedFile[];
  prebuiltForeign: ScannedFile[];
  counts: { riscv64: number; foreign: number; prebuiltForeign: number };
  abiWarnings: string[];
  /** Files whose header was read. */
  examined: number;
  truncated: boolean;
  scanError: string | null;
}

export interface ScanRequest {
  /** Host path of the folder that is the sandbox's root. */
  root: string;
  /** Absolute path inside it. */
  repoPath: string;
  expectedArtifacts: readonly string[];
  /** Files that came with the source; null when that is not known. */
  tracked: TrackedFiles | null;
  /** Files outside the repository count only when they were changed after this, epoch ms. */
  changedSinceMs?: number | undefined;
  limits?: Partial<ScanLimits> | undefined;
  signal?: AbortSignal | undefined;
}

export interface ScanLimits {
  /** Candidates whose header is read. Source: upstream facts §10.1. */
  files: number;
  /** Files in each list. Source: upstream facts §10.2: a verdict keeps 200 of each. */
  listed: number;
  /** Bytes of all paths in a list: an event must fit into a message. */
  listedPathBytes: number;
  /** Wall time, ms. Source: upstream facts §10.1 (900 s), less a reserve for the answer. */
  timeMs: number;
}

const defaultLimits: ScanLimits = {
  files: 20_000,
  listed: 200,
  listedPathBytes: 64 * 1024,
  timeMs: 880_000,
};
/** The ABI of Debian's riscv64. Source: upstream facts §10.1. */
const expectedAbi = 'lp64d';
/** Deeper than the folders of any build; each level keeps one open. */
const depthMax = 100;
/** Where an install step puts its outputs. Source: upstream facts §10.1; the last two are those of the sandbox's HOME. */
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
const outsideDepthMax = 3;
/** Listed files are hashed so many at a time: the disk and one core are the limit. */
const hashedAtOnce = 4;

/** A file of the scan: `shown` is the path in the answer, `inside` the absolute one; both byte strings. */
type Located = BuiltFile & { shown: string; inside: string };

/** Nothing in the tree makes it throw. @throws SandboxError `cancelled` when `signal` fires */
export async function scanArtifacts(request: ScanRequest): Promise<ArtifactScanResult> {
  const limits = { ...defaultLimits, ...request.limits };
  const timeUp = AbortSignal.timeout(limits.timeMs);
  const stop = request.signal === undefined ? timeUp : AbortSignal.any([request.signal, timeUp]);
  const expected = expectedNames(request.expectedArtifacts);
  const faults: string[] = [];
  let examined = 0;
  let truncated = false;

  /** Null when the folder does not exist. */
  const search = async (path: string, where: Where): Promise<Located[] | null> => {
    const fault = (below: string, error: Error) => faults.push(faultText(where.prefix + below, error));
    const opened = openFolderInside(request.root, path).catch((error: Error) => {
      fault(path, error);
      return null;
    });
    const folder = await opened;
    if (folder === null) return null;
    const filesMax = limits.files - examined;
    const collected = await collectBuilt(folder, { ...where, filesMax, stop, onFault: fault }).finally(() =>
      folder.close(),
    );
    examined += collected.examined;
    truncated ||= collected.truncated;
    return collected.files.map((file) => ({
      ...file,
      shown: where.prefix + file.path,
      inside: `${path}/${file.path}`,
    }));
  };

  const tracked = request.tracked ?? new Map();
  const repo = toByteName(request.repoPath);
  let files = await search(repo, { prefix: '', depthMax, tracked, wants: () => true });
  if (files === null) {
    if (faults.length === 0) faults.push(`there is no folder ${request.repoPath} in the sandbox`);
    files = [];
  }
  if (expected.length > 0 && files.every((file) => file.prebuilt)) {
    const wants = (name: string, stats: Stats) =>
      isExpected(name, expected) && stats.mtimeMs >= (request.changedSinceMs ?? 0);
    for (const path of outsideFolders) {
      const where = { prefix: `${path}/`, depthMax: outsideDepthMax - 1, tracked: new Map(), wants };
      files.push(...((await search(path, where)) ?? []));
    }
  }
  const list = async (all: Located[]): Promise<ScannedFile[]> =>
    concurrently(shortlist(all, expected, limits), hashedAtOnce, async (file) => {
      const sha256 = await hashInside(request.root, file.inside, stop).catch((error: Error) => {
        if (!stop.aborted) faults.push(faultText(file.shown, error));
        return '';
      });
      const { type, machine, abi } = file.evidence;
      return { path: fromByteName(file.shown), type, machine, abi, size: file.size, sha256 };
    });
  const isRiscv64 = (file: Located) => file.evidence.machine === 'riscv64';
  const kinds = {
    riscv64: files.filter((file) => !file.prebuilt && isRiscv64(file)),
    foreign: files.filter((file) => !file.prebuilt && !isRiscv64(file)),
    prebuiltForeign: files.filter((file) => file.prebuilt && !isRiscv64(file)),
  };
  const riscv64 = await list(kinds.riscv64);
  const foreign = await list(kinds.foreign);
  const prebuiltForeign = await list(kinds.prebuiltForeign);
  if (request.signal?.aborted) throw new SandboxError('cancelled', 'the scan of the built files was stopped');
  return {
    riscv64,
    foreign,
    prebuiltForeign,
    counts: {
      riscv64: kinds.riscv64.length,
      foreign: kinds.foreign.length,
      prebuiltForeign: kinds.prebuiltForeign.length,
    },
    abiWarnings: riscv64
      .filter((file) => file.abi !== expectedAbi)
      .map((file) => `${file.path} is built for the ABI ${file.abi}, not ${expectedAbi}`),
    examined,
    truncated: truncated || timeUp.aborted,
    scanError: faults.length === 0 ? null : faultSummary(faults),
  };
}
