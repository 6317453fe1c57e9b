/**
 * A writer in a process of its own, for tests that kill it: `node log-writer.ts LOG RUN [free]`. Says `ready`, then
 * appends one event for each line of its input and says the version; with `free` it appends on and on by itself.
 */
import { createInterface } from 'node:readline';
import { openLog } from '../../events/log.ts';
import { batchOf, noteStep, startedData } from './sample-events.ts';

const [path, runId, free] = process.argv.slice(2) as [string, string, string | undefined];
const log = openLog(path);
const epoch = log.acquireEpoch(`writer ${process.pid}`);

const append = (): void => {
  const version = log.version(runId);
  const steps = version === 0 ? [['run.started', startedData()] as const] : [noteStep(free ? 4_000 : 10)];
  log.append(batchOf(runId, version, epoch, ...(steps as never[])));
  process.stdout.write(`${log.version(runId)}\n`);
};

process.stdout.write('ready\n');
if (free === 'free') {
  // Ends when it is killed, or with the pipe of the test.
  process.stdout.on('error', () => process.exit(0));
  const again = () => {
    append();
    setImmediate(again);
  };
  again();
} else {
  for await (const line of createInterface({ input: process.stdin })) if (line === 'append') append();
  log.close();
}
