/** Proof that a run's log is what was written: order, hashes, envelopes, schemas and blobs. */
import type { BlobReader } from './blobs.ts';
import type { EventBody } from './envelope.ts';
import { chainHash, firstPrevHash } from './hash.ts';
import { readStored, type StoredEvent } from './log-read.ts';
import { runVersion } from './log-runs.ts';
import { type LogSource, statement } from './log-source.ts';
import { parseBody } from './upcast.ts';
import { dataProblem, envelopeProblem } from './validate.ts';

export interface AuditReport {
  runId: string;
  /** Events that were checked, up to and with the first bad one. */
  events: number;
  /** Blobs that were read and hashed. */
  blobs: number;
  headHash: string;
  firstBad: { seq: number; problem: string } | null;
}

/** Reads every event of a run and, with a blob store, every blob they name. Names the first bad event. */
export async function auditRun(source: LogSource, runId: string, blobs?: BlobReader): Promise<AuditReport> {
  const report: AuditReport = { runId, events: 0, blobs: 0, headHash: firstPrevHash, firstBad: null };
  const checked = new Set<string>();
  for (const row of readStored(source, runId, 1, Number.MAX_SAFE_INTEGER)) {
    report.events += 1;
    const problem = rowProblem(row, report) ?? (await blobProblem(row, checked, blobs));
    report.blobs = checked.size;
    if (problem !== null) {
      report.firstBad = { seq: row.seq, problem };
      return report;
    }
    report.headHash = row.hash;
  }
  const problem = headProblem(source, report);
  if (problem !== null) report.firstBad = { seq: report.events, problem };
  return report;
}

function rowProblem(row: StoredEvent, report: AuditReport): string | null {
  if (row.seq !== report.events) return `seq is ${row.seq} where ${report.events} is due`;
  if (row.prevHash !== report.headHash) return `prevHash is not the hash of the event before it`;
  if (chainHash(row.prevHash, row.body) !== row.hash) return 'hash does not fit the stored body';
  let event: EventBody;
  try {
    event = parseBody(row.body);
  } catch (error) {
    return `body cannot be read: ${(error as Error).message}`;
  }
  // The prefix of a fork keeps the name of the run that wrote it.
  const place = { runId: event.runId, seq: row.seq };
  return envelopeProblem(event, place) ?? dataProblem(event.type, event.data);
}

/** The run list must say the same as the events. */
function headProblem(source: LogSource, report: AuditReport): string | null {
  const version = runVersion(source, report.runId);
  const head = source.read(
    (db) =>
      statement(db, 'SELECT head_hash AS hash FROM runs WHERE run_id = ?').get(report.runId) as {
        hash: string;
      },
  );
  if (version === report.events && head.hash === report.headHash) return null;
  return `the run list says ${version} events with head ${head.hash}`;
}

async function blobProblem(
  row: StoredEvent,
  checked: Set<string>,
  blobs?: BlobReader,
): Promise<string | null> {
  if (blobs === undefined) return null;
  for (const digest of blobDigests(JSON.parse(row.body) as unknown)) {
    if (checked.has(digest)) continue;
    try {
      await blobs.verify(digest);
    } catch (error) {
      return (error as Error).message;
    }
    checked.add(digest);
  }
  return null;
}

/** Keys whose string values are digests of blobs (`records.ts`, `catalogue/`). */
const blobKeys: ReadonlySet<string> = new Set(['blob', 'bundle']);

/** Digests of all blobs that a body names. */
export function blobDigests(value: unknown): string[] {
  const found: string[] = [];
  const stack: unknown[] = [value];
  while (stack.length > 0) {
    const next = stack.pop();
    if (typeof next !== 'object' || next === null) continue;
    for (const [key, inner] of Object.entries(next)) {
      if (blobKeys.has(key) && typeof inner === 'string' && /^[0-9a-f]{64}$/.test(inner)) found.push(inner);
      else stack.push(inner);
    }
  }
  return found;
}
