/**
 * Reads the ELF header of every file that the build left in the run's sandbox.
 *
 * Twice is harmless: it only reads, and no command of the run is being done meanwhile.
 */
import { decodeTime } from 'ulid';
import { scanArtifacts as scan } from '../../sandbox/scan-artifacts.ts';
import { readTrackedFiles } from '../../sandbox/tracked-files.ts';
import type { EffectHandler } from './handler.ts';

/** How much earlier than the run an installed file may be dated, ms. Source: upstream facts §10.1. */
const earlierMs = 600_000;

/** What cannot be read is part of the answer. @throws {SandboxError} `sandboxLost`, `cancelled` */
export const scanArtifacts: EffectHandler<'scanArtifacts'> = async (
  { repoPath, expectedArtifacts, sourceCommit },
  { runId, sandbox: open, signal, emit },
) => {
  const sandbox = await open();
  const root = sandbox.hostPath?.('/');
  if (root === undefined) {
    const scanError = `the sandbox driver ${sandbox.driver} gives no view of its files: use another one`;
    return { sourceCommit, ...nothing, scanError };
  }
  const tracked = await readTrackedFiles(root, repoPath).catch(() => null);
  if (tracked === null)
    emit({
      stream: 'progress',
      text: `${repoPath} has no git index that can be read: all files are outputs`,
    });
  const result = await scan({
    root,
    repoPath,
    expectedArtifacts,
    tracked,
    changedSinceMs: startOf(runId) - earlierMs,
    signal,
  });
  if (result.scanError !== null) sandbox.hostPath?.('/'); // throws when the files vanished with the sandbox
  return { sourceCommit, ...result };
};

const nothing = {
  riscv64: [],
  foreign: [],
  prebuiltForeign: [],
  counts: { riscv64: 0, foreign: 0, prebuiltForeign: 0 },
  abiWarnings: [],
  examined: 0,
  truncated: false,
};

/** A run's id is a ULID, which begins with the time it was made; 0 for an id of another kind. */
function startOf(runId: string): number {
  try {
    return decodeTime(runId.toUpperCase());
  } catch {
    return 0;
  }
}
