/**
 * Reads the ELF header of every file that a build left. Source: upstream facts §10.1.
 * S1 no link is followed, and nothing outside of the tree is read.
 * S2 a file that came with the source and is unchanged is never an output, whatever it is.
 * S3 what was not seen is said: `truncated` for a limit, `scanError` for a fault.
 * S4 the same tree gives the same answer: files come in byte order, expected ones before the others.
 */
import { ArtifactSearch, type LocatedFile } from './artifact-search.ts';
import { concurrently } from './concurrently.ts';
import { SandboxError } from './driver.ts';
import { expectedNames, isExpected } from './expected-names.ts';
import { fromByteName, openFileInside } from './open-inside.ts';
import {
  type ArtifactScanResult,
  defaultLimits,
  type ScanLimits,
  type ScannedFile,
  type ScanRequest,
} from './scan-types.ts';
import { digestsOf } from './tracked-files.ts';

/** The ABI of Debian's riscv64. Source: upstream facts §10.1. */
const expectedAbi = 'lp64d';
/** Files are hashed so many at a time: the disk and one core are the limit. */
const hashedAtOnce = 4;

/** Nothing in the tree makes it throw. @throws SandboxError `cancelled` when `signal` fires */
export async function scanArtifacts(request: ScanRequest): Promise<ArtifactScanResult> {
  const limits = { ...defaultLimits, ...request.limits };
  const timeUp = AbortSignal.timeout(limits.timeMs);
  const stop = request.signal === undefined ? timeUp : AbortSignal.any([request.signal, timeUp]);
  const expected = expectedNames(request.expectedArtifacts);
  const search = new ArtifactSearch(request.root, limits.files, stop);

  await search.repository(request.repoPath, request.tracked ?? new Map());
  if (expected.length > 0 && search.files.every((file) => file.prebuilt)) {
    const since = request.changedSinceMs ?? 0;
    await search.outside((name, stats) => isExpected(name, expected) && stats.mtimeMs >= since);
  }
  const kinds = byKind(search.files);
  const list = (files: LocatedFile[]): Promise<ScannedFile[]> =>
    concurrently(shortlist(files, expected, limits), hashedAtOnce, async (file) => {
      const { type, machine, abi } = file.evidence;
      const sha256 = await sha256Inside(request.root, file.inside, stop).catch((error: Error) => {
        search.fault(file.shown, error);
        return '';
      });
      return { path: fromByteName(file.shown), type, machine, abi, size: file.size, sha256 };
    });
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
      .map((file) => `${file.path} has the ABI ${file.abi}, Debian's riscv64 has ${expectedAbi}`),
    examined: search.examined,
    truncated: search.truncated || timeUp.aborted,
    scanError: search.error,
  };
}

function byKind(files: readonly LocatedFile[]) {
  const isRiscv64 = (file: LocatedFile) => file.evidence.machine === 'riscv64';
  return {
    riscv64: files.filter((file) => !file.prebuilt && isRiscv64(file)),
    foreign: files.filter((file) => !file.prebuilt && !isRiscv64(file)),
    prebuiltForeign: files.filter((file) => file.prebuilt && !isRiscv64(file)),
  };
}

/** Expected files before the others, each in byte order, as many as the limits allow. */
function shortlist(files: LocatedFile[], expected: readonly string[], limits: ScanLimits): LocatedFile[] {
  const rank = (file: LocatedFile) => (isExpected(file.shown, expected) ? 0 : 1);
  const order = (a: LocatedFile, b: LocatedFile) => rank(a) - rank(b) || (a.shown < b.shown ? -1 : 1);
  const listed: LocatedFile[] = [];
  let bytes = 0;
  for (const file of [...files].sort(order).slice(0, limits.listed)) {
    bytes += file.shown.length;
    if (bytes > limits.listedPathBytes) break;
    listed.push(file);
  }
  return listed;
}

async function sha256Inside(root: string, path: string, stop: AbortSignal): Promise<string> {
  const opened = await openFileInside(root, path);
  if (opened === null) throw new Error('it is gone');
  try {
    return (await digestsOf(opened.file, opened.stats.size, null, stop)).sha256;
  } finally {
    await opened.file.close();
  }
}
