/** Waits until nothing more will happen to a run by itself. */
import type { EventDataByType } from '../events/catalogue.ts';
import type { RunRow } from '../events/log-types.ts';
import type { RunEnd } from './engine.ts';
import { type FollowParts, followRun } from './follow.ts';

/** A run that nobody drives at two looks in a row has been interrupted; a change of hosts takes less, about 1 s. */
const askEveryMs = 4_000;
const orphanLooksMax = 2;

/**
 * Settles with the run's end, as its events and row say it. `isOrphan` says whether no living process drives the run,
 * as far as this process can know.
 */
export function untilEnd(
  parts: Omit<FollowParts, 'onLook'>,
  isOrphan: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<RunEnd> {
  const { runId } = parts;
  return new Promise((resolve, reject) => {
    let outcome: EventDataByType['run.finished'] | null = null;
    let orphanLooks = 0;
    let nextAskAt = Date.now() + askEveryMs;
    const settle = (act: () => void): void => {
      following.stop();
      signal.removeEventListener('abort', onAbort);
      act();
    };
    const onAbort = (): void => settle(() => reject(signal.reason));
    const end = (status: RunEnd['status'], reason: string | null): void =>
      settle(() => resolve({ runId, status, outcome, reason }));
    const onLook = (row: RunRow | null): void => {
      if (!row) return;
      if (row.status !== 'running') {
        end(row.status, row.quarantineReason);
        return;
      }
      if (Date.now() < nextAskAt) return;
      nextAskAt = Date.now() + askEveryMs;
      void isOrphan().then((orphan) => {
        orphanLooks = orphan ? orphanLooks + 1 : 0;
        if (orphanLooks >= orphanLooksMax) end('interrupted', 'the process that ran it is gone');
      });
    };
    const following = followRun(
      { ...parts, onLook },
      {
        onEvent: (event) => {
          if (event.type === 'run.finished') outcome = event.data;
        },
      },
    );
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
  });
}
