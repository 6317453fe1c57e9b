/** The log's own projections: run list, effects, timers. One event in, a few rows changed, same transaction. */
import type { Database, Statement } from 'better-sqlite3';
import type { EventType } from './catalogue.ts';
import type { EventBody } from './envelope.ts';
import { LogError } from './log-error.ts';

/** Applies one event. @throws LogError `staleAnswer` when it answers an effect that is not open */
export type ApplyEvent = (event: EventBody, token: number | undefined) => void;

type Apply<T extends EventType = EventType> = (event: EventBody<T>, token: number | undefined) => void;
type Appliers = { [T in EventType]?: Apply<T> };

export function prepareProjections(db: Database): ApplyEvent {
  const appliers: Appliers = { ...runAppliers(db), ...effectAppliers(db), ...timerAppliers(db) };
  return (event, token) => (appliers[event.type] as Apply | undefined)?.(event, token);
}

function runAppliers(db: Database): Appliers {
  const started = db.prepare('UPDATE runs SET source = ?, repo_name = ?, platform = ? WHERE run_id = ?');
  const status = db.prepare('UPDATE runs SET status = ? WHERE run_id = ?');
  const finished = db.prepare(
    'UPDATE runs SET status = ?, verdict = ?, exit_code = ?, ended_at = ? WHERE run_id = ?',
  );
  const cost = db.prepare('UPDATE runs SET cost_usd = cost_usd + ? WHERE run_id = ?');
  return {
    'run.started': ({ data, ...event }) =>
      started.run(data.source, data.repoName, data.platform, event.runId),
    'run.pauseRequested': (event) => status.run('paused', event.runId),
    'run.resumeRequested': (event) => status.run('running', event.runId),
    'run.finished': ({ data, ...event }) =>
      finished.run(
        data.verdict === 'cancelled' ? 'cancelled' : 'finished',
        data.verdict,
        data.exitCode,
        event.at,
        event.runId,
      ),
    'llm.callFinished': ({ data, ...event }) => cost.run(data.costUsd, event.runId),
    'run.forked': forkApplier(db),
  };
}

/** A fork takes over the run's facts and what was open at the cut: those effects are asked again, with new tokens. */
function forkApplier(db: Database): Apply<'run.forked'> {
  const facts = db.prepare(
    `UPDATE runs SET (source, repo_name, platform, cost_usd) =
       (SELECT source, repo_name, platform, 0 FROM runs WHERE run_id = :parent) WHERE run_id = :run`,
  );
  const effects = db.prepare(
    `INSERT INTO effects(run_id, effect_id, name, capability, state, deadline, requested_seq)
     SELECT :run, effect_id, name, capability, 'open', deadline, requested_seq FROM effects
     WHERE run_id = :parent AND requested_seq <= :cut AND (ended_seq IS NULL OR ended_seq > :cut)`,
  );
  const timers = db.prepare(
    `INSERT INTO timers(run_id, timer_id, due, set_seq)
     SELECT :run, timer_id, due, set_seq FROM timers
     WHERE run_id = :parent AND set_seq <= :cut AND (ended_seq IS NULL OR ended_seq > :cut)`,
  );
  return ({ data, ...event }) => {
    const place = { run: event.runId, parent: data.parent };
    facts.run(place);
    effects.run({ ...place, cut: data.atSeq });
    timers.run({ ...place, cut: data.atSeq });
  };
}

function effectAppliers(db: Database): Appliers {
  const requested = db.prepare(
    `INSERT INTO effects(run_id, effect_id, name, capability, state, deadline, requested_seq)
     VALUES (?, ?, ?, ?, 'open', ?, ?)`,
  );
  const find = db.prepare('SELECT state, token FROM effects WHERE run_id = ? AND effect_id = ?');
  const ended = db.prepare('UPDATE effects SET state = ?, ended_seq = ? WHERE run_id = ? AND effect_id = ?');
  const end =
    (state: string): Apply<'effect.succeeded' | 'effect.failed' | 'effect.expired'> =>
    ({ data, ...event }, token) => {
      refuseStale(find, event.runId, data.effectId, token);
      ended.run(state, event.seq, event.runId, data.effectId);
    };
  return {
    'effect.requested': ({ data, ...event }) =>
      requested.run(event.runId, event.id, data.name, data.capability, data.deadline, event.seq),
    'effect.succeeded': end('done'),
    'effect.failed': end('done'),
    'effect.expired': end('expired'),
    'effect.cancelled': ({ data, ...event }) => {
      // Nobody answers a cancelled effect, so no token: it only has to be open.
      refuseStale(find, event.runId, data.effectId, undefined);
      ended.run('cancelled', event.seq, event.runId, data.effectId);
    },
  };
}

function refuseStale(find: Statement, runId: string, effectId: string, token: number | undefined): void {
  const row = find.get(runId, effectId) as { state: string; token: number } | undefined;
  if (row === undefined)
    throw new LogError(
      'staleAnswer',
      `run ${runId} never asked for effect ${effectId}: keep it as a late result`,
    );
  if (row.state !== 'open')
    throw new LogError('staleAnswer', `effect ${effectId} is ${row.state} already: keep it as a late result`);
  if (token !== undefined && token !== row.token)
    throw new LogError(
      'staleAnswer',
      `effect ${effectId} was answered under token ${token}, current is ${row.token}: keep it as a late result`,
    );
}

function timerAppliers(db: Database): Appliers {
  const set = db.prepare('INSERT INTO timers(run_id, timer_id, due, set_seq) VALUES (?, ?, ?, ?)');
  const ended = db.prepare(
    'UPDATE timers SET ended_seq = ? WHERE run_id = ? AND timer_id = ? AND ended_seq IS NULL',
  );
  const end: Apply<'timer.fired' | 'timer.cancelled'> = ({ data, ...event }) => {
    if (ended.run(event.seq, event.runId, data.timerId).changes !== 1)
      throw new LogError('staleAnswer', `timer ${data.timerId} of run ${event.runId} is not set any more`);
  };
  return {
    'timer.set': ({ data, ...event }) => set.run(event.runId, data.timerId, data.due, event.seq),
    'timer.fired': end,
    'timer.cancelled': end,
  };
}
