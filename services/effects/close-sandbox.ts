/** Ends the run's sandbox and drops its files. Twice is harmless: then there is nothing left to drop. */
import type { EffectHandler } from './handler.ts';

/** `closed` is false when there was none to close. @throws {SandboxError} when its files could not be dropped */
export const closeSandbox: EffectHandler<'closeSandbox'> = async (_, context) => ({
  closed: await context.closeSandbox(),
});
