/** What a scan for artifacts is asked and what it answers. */
import type { ArtifactType } from './examine-file.ts';
import type { TrackedFiles } from './git-index.ts';

export interface ScanRequest {
  /** Host path of the folder that is the sandbox's root. */
  root: string;
  /** Absolute path inside it. */
  repoPath: string;
  /** Names or paths of outputs that should be there. */
  expectedArtifacts: readonly string[];
  /** Files that came with the source; null when that is not known. */
  tracked: TrackedFiles | null;
  /** Files outside the repository count only when they were changed after this, epoch ms. */
  changedSinceMs?: number | undefined;
  limits?: Partial<ScanLimits> | undefined;
  signal?: AbortSignal | undefined;
}

export interface ScanLimits {
  /** Candidates whose header is read. */
  files: number;
  /** Files in each list. */
  listed: number;
  /** Bytes of all paths in a list. */
  listedPathBytes: number;
  /** Wall time, ms. */
  timeMs: number;
}

export const defaultLimits: ScanLimits = {
  files: 20_000, // upstream facts §10.1
  listed: 200, // upstream facts §10.2: what a verdict keeps of each list
  listedPathBytes: 64 * 1024, // three lists with their digests fit into one event of the log
  timeMs: 880_000, // upstream facts §10.1 (900 s), less a reserve for the answer
};

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
  /** '' when time was up or the file could not be read; the scan says so too. */
  sha256: string;
}

/** Lists hold expected files first, then by path, at most `limits.listed`; counts are of all files. */
export interface ArtifactScanResult {
  riscv64: ScannedFile[];
  foreign: ScannedFile[];
  prebuiltForeign: ScannedFile[];
  counts: { riscv64: number; foreign: number; prebuiltForeign: number };
  abiWarnings: string[];
  /** Files whose header was read. */
  examined: number;
  /** A limit kept it from seeing everything. */
  truncated: boolean;
  /** What could not be read, null when everything could. */
  scanError: string | null;
}
