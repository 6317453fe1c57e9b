/** A data folder with recorded runs in it, made by the real host and log from scripted effects. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { EventBody } from '../../events/envelope.ts';
import { openLog } from '../../events/log.ts';
import { commitsOf } from '../../machines/replay.ts';
import { homeLayout } from '../../services/home.ts';

/** Puts runs into the log of a data folder, commit by commit, as a coordinator does. */
export const recordRuns = (home: string, runs: readonly (readonly EventBody[])[]): void => {
  const { log: path } = homeLayout(home);
  mkdirSync(dirname(path), { recursive: true });
  const log = openLog(path);
  const epoch = log.acquireEpoch('test');
  for (const bodies of runs)
    for (const commit of commitsOf(bodies)) {
      const [first] = commit as [EventBody];
      log.append({ runId: first.runId, expectedSeq: first.seq - 1, epoch, bodies: commit });
    }
  log.close();
};
