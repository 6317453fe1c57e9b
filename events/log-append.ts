/** Appending: the one way by which anything comes into the log. */
import type { Database } from 'better-sqlite3';
import { canonicalJson } from './canonical-json.ts';
import type { EventBody } from './envelope.ts';
import { chainHash, firstPrevHash } from './hash.ts';
import { LogError } from './log-error.ts';
import { prepareProjections } from './log-projections.ts';
import { forkDepthMax } from './log-read.ts';
import type { AppendBatch, AppendResult } from './log-types.ts';
import { assertEvent } from './validate.ts';

/**
 * Longest stored body, bytes. A JetStream message holds 1 MiB by default (stack notes, NATS: max_payload)
 * and must take the body with its headers.
 */
export const eventBytesMax = 768 * 1024;

interface Head {
  version: number;
  headHash: string;
}

/** Appends one batch. To be called inside a transaction, which the caller rolls back when it throws. */
export type AppendInTransaction = (batch: AppendBatch) => AppendResult;

export function prepareAppend(db: Database): AppendInTransaction {
  const epoch = db.prepare("SELECT key, value FROM meta WHERE key IN ('epoch', 'owner')");
  const seen = db.prepare('SELECT gseq FROM inbox WHERE msg_id = ?').pluck();
  const remember = db.prepare('INSERT INTO inbox(msg_id, gseq) VALUES (?, ?)');
  const insert = db.prepare(
    `INSERT INTO events(run_id, seq, id, type, kind, actor, at, commit_seq, body, prev_hash, hash)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const outbox = db.prepare('INSERT INTO outbox(gseq) VALUES (?)');
  const heads = prepareHeads(db);
  const project = prepareProjections(db);

  return (batch) => {
    const writer = new Map((epoch.all() as { key: string; value: string }[]).map((r) => [r.key, r.value]));
    refuseStaleEpoch(batch.epoch, Number(writer.get('epoch') ?? 0), writer.get('owner') ?? '');
    const earlier = batch.inboxId === undefined ? undefined : (seen.get(batch.inboxId) as number | undefined);
    const head = heads.find(batch);
    if (earlier !== undefined)
      return { duplicate: true, gseq: earlier, version: head.version, headHash: head.headHash, events: [] };
    if (head.version !== batch.expectedSeq)
      throw new LogError(
        'versionConflict',
        `run ${batch.runId} is at ${head.version}, not at ${batch.expectedSeq}: fold it again and retry`,
      );

    const events = placed(batch);
    let hash = head.headHash;
    let gseq = 0;
    heads.ensure(batch, events[0] as EventBody);
    for (const event of events) {
      const body = stored(event);
      const prev = hash;
      hash = chainHash(prev, body);
      gseq = Number(
        insert.run(
          event.runId,
          event.seq,
          event.id,
          event.type,
          event.kind,
          event.actor,
          event.at,
          event.commit,
          body,
          prev,
          hash,
        ).lastInsertRowid,
      );
      outbox.run(gseq);
      project(event, batch.token);
    }
    const version = batch.expectedSeq + events.length;
    heads.move(batch.runId, version, hash, writer.get('owner') ?? '');
    if (batch.inboxId !== undefined) remember.run(batch.inboxId, gseq);
    return { duplicate: false, gseq, version, headHash: hash, events };
  };
}

function refuseStaleEpoch(epoch: number, current: number, owner: string): void {
  if (epoch === current && current > 0) return;
  throw new LogError(
    'staleEpoch',
    `the log is written by ${owner || 'nobody'} under epoch ${current}, not ${epoch}: stop, or acquire the epoch again`,
  );
}

/** The batch's events with `commit` and `epoch` filled in, each checked. */
function placed(batch: AppendBatch): EventBody[] {
  if (batch.bodies.length === 0)
    throw new LogError('invalidEvent', `a batch for run ${batch.runId} is empty: append at least one event`);
  const commit = batch.expectedSeq + batch.bodies.length;
  return batch.bodies.map((body, index) => {
    const event = { ...body, commit, epoch: batch.epoch };
    assertEvent(event, { runId: batch.runId, seq: batch.expectedSeq + 1 + index });
    return event;
  });
}

function stored(event: EventBody): string {
  let body: string;
  try {
    body = canonicalJson(event);
  } catch (error) {
    throw new LogError('invalidEvent', `${event.type} ${event.id}: ${(error as Error).message}`, {
      cause: error,
    });
  }
  const bytes = Buffer.byteLength(body);
  if (bytes > eventBytesMax)
    throw new LogError(
      'invalidEvent',
      `${event.type} ${event.id} has ${bytes} bytes, ${eventBytesMax} are allowed: put long text into the blob store`,
    );
  return body;
}

/** Where each run stands: its last seq and hash. */
function prepareHeads(db: Database) {
  const find = db.prepare('SELECT version, head_hash AS headHash FROM runs WHERE run_id = ?');
  const hashAt = db.prepare('SELECT hash, commit_seq FROM events WHERE run_id = ? AND seq = ?');
  const parentOf = db.prepare('SELECT parent, parent_seq AS cut FROM runs WHERE run_id = ?');
  const create = db.prepare(
    `INSERT OR IGNORE INTO runs(run_id, version, head_hash, status, started_at, parent, parent_seq)
     VALUES (?, ?, ?, 'running', ?, ?, ?)`,
  );
  const move = db.prepare('UPDATE runs SET version = ?, head_hash = ?, owner = ? WHERE run_id = ?');

  /** A fork goes on from its parent's hash at the cut, so that one chain covers both. */
  const forkHead = (parent: string, cut: number): Head => {
    let run = parent;
    // A cut inside the parent's own prefix belongs to a grandparent; each step goes up one run.
    for (let depth = 0; depth < forkDepthMax; depth++) {
      const row = hashAt.get(run, cut) as { hash: string; commit_seq: number } | undefined;
      if (row !== undefined) {
        if (row.commit_seq === cut) return { version: cut, headHash: row.hash };
        throw new LogError(
          'invalidEvent',
          `run ${parent} cannot be cut at ${cut}, inside a commit that ends at ${row.commit_seq}: cut at the end of a commit`,
        );
      }
      const up = parentOf.get(run) as { parent: string | null; cut: number } | undefined;
      if (up === undefined || up.parent === null || cut > up.cut)
        throw new LogError('runNotFound', `run ${parent} has no event ${cut} to fork from`);
      run = up.parent;
    }
    throw new LogError(
      'invalidEvent',
      `run ${parent} is a fork of ${forkDepthMax} forks, which is the most: fork one of those`,
    );
  };

  return {
    find(batch: AppendBatch): Head {
      const row = find.get(batch.runId) as Head | undefined;
      if (row !== undefined) return row;
      const fork = forkOf(batch);
      return fork === null ? { version: 0, headHash: firstPrevHash } : forkHead(fork.parent, fork.atSeq);
    },
    /** Makes the row of a run that is new. */
    ensure(batch: AppendBatch, first: EventBody): void {
      const fork = forkOf(batch);
      create.run(batch.runId, 0, firstPrevHash, first.at, fork?.parent ?? null, fork?.atSeq ?? null);
    },
    move: (runId: string, version: number, hash: string, owner: string) =>
      move.run(version, hash, owner, runId),
  };
}

function forkOf(batch: AppendBatch): { parent: string; atSeq: number } | null {
  const first = batch.bodies[0];
  if (first?.type !== 'run.forked') return null;
  return first.data as { parent: string; atSeq: number };
}
