/**
 * Installs packages by name, as `apt-get install` would. Twice is harmless: a name that is there does nothing, and
 * layers are stored under the root and the names.
 */
import type { EffectHandler } from './handler.ts';
import { recordOutput } from './output-recorder.ts';

/** @throws {SandboxError} `sandboxLost`, `cancelled`, `sandboxUnavailable` (no mirror) */
export const installPackages: EffectHandler<'installPackages'> = async (input, context) => {
  const { names, command, timeoutMs } = input;
  const begun = performance.now();
  const sandbox = await context.sandbox();
  await sandbox.markOrRestore(context.effectId);
  const output = recordOutput(context);
  try {
    const {
      exitCode,
      output: text,
      ...found
    } = await sandbox.installPackages(names, {
      timeoutMs,
      signal: context.signal,
      onOutput: (_, chunk) => context.emit({ stream: 'progress', text: Buffer.from(chunk).toString() }),
    });
    // apt says what went wrong on stderr; a reader expects it there.
    output.onOutput(exitCode === 0 ? 'stdout' : 'stderr', Buffer.from(text));
    const { stdout, stderr, lines } = await output.end();
    const durationMs = Math.round(performance.now() - begun);
    const ended = { signal: null, timedOut: false, oomKilled: null, durationMs };
    return { result: { command, exitCode, ...ended, stdout, stderr, lines }, ...found };
  } catch (error) {
    await output.abort();
    throw error;
  }
};
