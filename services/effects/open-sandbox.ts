/** Opens the run's clean sandbox. Twice is harmless: a run that has one gets the same again. */
import type { EffectHandler } from './handler.ts';

/** @throws {SandboxError} `sandboxUnavailable` (names what is missing), `sandboxLost`, `diskFull`, `cancelled` */
export const openSandbox: EffectHandler<'openSandbox'> = async (_, context) => {
  const begun = performance.now();
  const { driver, info } = await context.sandbox();
  return { driver, ...info, durationMs: Math.round(performance.now() - begun) };
};
