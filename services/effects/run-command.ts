/**
 * Runs one command in the run's sandbox and says how it ended.
 *
 * A non-zero exit and a kill at `timeoutMs` are results, not errors: the machine decides. Twice is harmless: the
 * workspace is marked under the effect's id before the command, and asked again it starts from that mark.
 */
import type { EffectHandler } from './handler.ts';
import { recordOutput } from './output-recorder.ts';

/**
 * @param input.timeoutMs wall time, ms; kept by the sandbox driver
 * @throws {SandboxError} `sandboxLost`, `cancelled`; {LogError} `diskFull`
 */
export const runCommand: EffectHandler<'runCommand'> = async (input, context) => {
  const { command, cwd, env, timeoutMs, network, user } = input;
  const { signal, emit, effectId } = context;
  const sandbox = await context.sandbox();
  if ((await sandbox.markOrRestore(effectId)) === 'restored') {
    emit({ stream: 'progress', text: 'interrupted before: going on from the mark before this command' });
  }
  const output = recordOutput(context);
  try {
    const {
      exitCode,
      signal: killedBy,
      timedOut,
      oomKilled,
      durationMs,
    } = await sandbox.exec({
      command,
      cwd,
      env,
      timeoutMs,
      network,
      user,
      signal,
      onOutput: output.onOutput,
    });
    const { stdout, stderr, lines } = await output.end();
    return { command, exitCode, signal: killedBy, timedOut, oomKilled, stdout, stderr, lines, durationMs };
  } catch (error) {
    await output.abort();
    throw error;
  }
};
