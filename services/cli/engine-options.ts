/** What the environment says about the engine. */
import type { EngineOptions, Notice } from '../engine.ts';

/** Empty variables count as not set. */
export const engineOptions = (
  home: string,
  env: NodeJS.ProcessEnv,
  onNotice: (notice: Notice) => void,
): EngineOptions => ({
  home,
  ...(env.NATS_URL ? { natsUrl: env.NATS_URL } : {}),
  ...(env.NATS_CREDS ? { natsCreds: env.NATS_CREDS } : {}),
  ...(env.ATESOR_MIRROR ? { mirror: env.ATESOR_MIRROR } : {}),
  onNotice,
});
