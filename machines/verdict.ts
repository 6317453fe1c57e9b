/** What a scan of the built files proves. Source: upstream facts §10.2, in its order. */
import type { ArtifactScan, ArtifactVerification, ElfFile } from '../events/records.ts';
import { isBuildSystemNoise } from './artifact-noise.ts';

/** Files kept of each list. Source: upstream facts §10.2. */
const listedMax = 200;
/** Names looked for. Source: upstream facts §10.1. */
const expectedMax = 10;

/**
 * `wrong_arch` when anything was built for another machine, `verified` when something was built for riscv64 and
 * the whole tree was seen, else `unverified`. Files that came with the source decide nothing.
 */
export function verdictOf(whole: ArtifactScan, expectedArtifacts: readonly string[]): ArtifactVerification {
  const scan = withoutNoise(whole);
  const { counts, truncated, scanError } = scan;
  const expectedMissing = missingOf(scan.riscv64, expectedArtifacts);
  const details = {
    sourceCommit: scan.sourceCommit,
    counts,
    riscv64: scan.riscv64.slice(0, listedMax),
    foreign: scan.foreign.slice(0, listedMax),
    prebuiltForeign: scan.prebuiltForeign.slice(0, listedMax),
    abiWarnings: scan.abiWarnings,
    examined: scan.examined,
    truncated,
    scanError,
    expectedMissing,
  };
  const foreign = Math.max(counts.foreign, scan.foreign.length);
  const riscv64 = Math.max(counts.riscv64, scan.riscv64.length);
  if (foreign > 0) {
    const machines = [...new Set(scan.foreign.map((file) => file.machine))].join(', ');
    const reason = `${foreign} of the built files are not riscv64${machines === '' ? '' : ` (${machines})`}`;
    return { status: 'wrong_arch', verified: false, reason, ...details };
  }
  if (scanError !== null) {
    return { status: 'unverified', verified: false, reason: `the scan failed: ${scanError}`, ...details };
  }
  if (truncated) {
    const reason = `the tree is too large to be seen whole: ${scan.examined} files were looked at`;
    return { status: 'unverified', verified: false, reason, ...details };
  }
  if (riscv64 > 0) {
    const missing =
      expectedMissing.length > 0 ? `; expected but not found: ${expectedMissing.join(', ')}` : '';
    const reason = `${riscv64} built ${riscv64 === 1 ? 'file is' : 'files are'} riscv64${missing}`;
    return { status: 'verified', verified: true, reason, ...details };
  }
  const reason =
    counts.prebuiltForeign > 0
      ? 'nothing was built for riscv64; the source brings files for other machines'
      : 'no ELF file was built';
  return { status: 'unverified', verified: false, reason, ...details };
}

/** A build system's own probes prove nothing: a compiler check alone would make every cmake build verified. */
function withoutNoise(scan: ArtifactScan): ArtifactScan {
  const riscv64 = scan.riscv64.filter((file) => !isBuildSystemNoise(file.path));
  const foreign = scan.foreign.filter((file) => !isBuildSystemNoise(file.path));
  return {
    ...scan,
    riscv64,
    foreign,
    counts: {
      ...scan.counts,
      riscv64: scan.counts.riscv64 - (scan.riscv64.length - riscv64.length),
      foreign: scan.counts.foreign - (scan.foreign.length - foreign.length),
    },
  };
}

/** Expected names that no riscv64 file has: `libz` is there when `libz.so.1` is. */
function missingOf(files: readonly ElfFile[], expected: readonly string[]): string[] {
  const names = files.map((file) => file.path.slice(file.path.lastIndexOf('/') + 1));
  return expected
    .slice(0, expectedMax)
    .map((path) => path.slice(path.lastIndexOf('/') + 1))
    .filter(
      (wanted) => wanted !== '' && !names.some((name) => name === wanted || name.startsWith(`${wanted}.`)),
    );
}
