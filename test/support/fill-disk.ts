/** Fills the small disk at its argument with a log and blobs, and says on stdout as JSON what happened. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openBlobs } from '../../events/blobs.ts';
import { openLog } from '../../events/log.ts';
import type { LogError } from '../../events/log-error.ts';
import { batchOf, noteStep, startedData } from './sample-events.ts';

const [folder] = process.argv.slice(2) as [string];
const codeOf = (error: unknown) => (error as LogError).code ?? String(error);

const ballast = join(folder, 'ballast');
writeFileSync(ballast, Buffer.alloc(256 * 1024));
const blobs = openBlobs(join(folder, 'blobs'));
const log = openLog(join(folder, 'log.db'));
const epoch = log.acquireEpoch('test');
log.append(batchOf('r1', 0, epoch, ['run.started', startedData()]));

let appendCode = 'none';
// 1 MiB is full long before.
for (let tries = 0; tries < 200 && appendCode === 'none'; tries++) {
  try {
    log.append(batchOf('r1', log.version('r1'), epoch, noteStep(10_000), noteStep(10_000)));
  } catch (error) {
    appendCode = codeOf(error);
  }
}
const versionBefore = log.version('r1');
const [queued] = await Promise.allSettled([
  log.appendQueued(batchOf('r1', versionBefore, epoch, noteStep(300_000))),
]);
const queuedCode = queued?.status === 'rejected' ? codeOf(queued.reason) : 'none';
const noise = Buffer.alloc(1_500_000);
for (let i = 0; i < noise.length; i++) noise[i] = Math.imul(i, 2_654_435_761) >>> 24;
const blobCode = await blobs.put(noise).then(() => 'none', codeOf);
const blobLeftovers = readdirSync(join(folder, 'blobs', 'tmp')).length;
const versionAfter = log.version('r1');
rmSync(ballast);
const { version: versionWithSpace } = log.append(batchOf('r1', versionAfter, epoch, noteStep()));
const { firstBad } = await log.audit('r1');
log.close();
console.log(
  JSON.stringify({
    appendCode,
    queuedCode,
    blobCode,
    blobLeftovers,
    versionBefore,
    versionAfter,
    versionWithSpace,
    firstBad,
  }),
);
