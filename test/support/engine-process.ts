/**
 * An engine with scripted effects as a process of its own, to be killed by tests.
 *
 *   node test/support/engine-process.ts HOME RUN start|resume EFFECT_MS
 *
 * Prints one JSON line for each thing that happens: `{ role }`, `{ seq, type }`, `{ notice }`, and at last `{ end }` or
 * `{ error }`. SIGTERM ends it as Ctrl-C ends the command line: the run is paused.
 */
import type { Engine } from '../../services/engine.ts';
import { openScripted } from './engine.ts';
import { startData } from './scripted-run.ts';

const [home = '', runId = '', mode = 'start', effectMs = '0'] = process.argv.slice(2);
const say = (line: unknown): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

let engine: Engine | null = null;
try {
  engine = await openScripted(
    { home, onNotice: (notice) => say({ notice: notice.code, message: notice.message }) },
    { effectMs: Number(effectMs) },
  );
  say({ role: engine.role, workerId: engine.workerId });
  process.once('SIGTERM', () => void engine?.pause(runId, 'interrupt'));
  if (mode === 'start') await engine.start(runId, startData());
  else await engine.resume(runId);
  engine.follow(runId, { onEvent: ({ seq, type }) => say({ seq, type }) });
  say({ end: await engine.finished(runId), role: engine.role });
} catch (error) {
  const { code, message } = error as { code?: string; message: string };
  say({ error: code ?? 'none', message });
  process.exitCode = 1;
} finally {
  await engine?.close();
}
