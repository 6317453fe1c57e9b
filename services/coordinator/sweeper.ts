/** Looks whether the processes that drive runs are still there. */
import type { NatsLink } from '../nats/link.ts';
import { subjects } from '../protocol.ts';
import type { IsAlive } from './commands.ts';
import type { Coordinator } from './coordinator.ts';

/** A dead process's runs are set free after two looks, 10 s; until then its terminal is gone anyway. */
const everyMs = 5_000;
const missesMax = 2;
const answerMs = 2_000;

/** Asks a worker by its subject. A slow answer is no death: only "nobody listens" is. */
export const aliveOver =
  (link: NatsLink): IsAlive =>
  async (worker) => {
    try {
      await link.current?.request(subjects.alive(worker), undefined, { timeout: answerMs });
      return link.current ? true : null;
    } catch (error) {
      return (error as { code?: string }).code === '503' ? false : null;
    }
  };

/** Starts looking; answers how to stop. */
export function startSweeper(coordinator: Coordinator, isAlive: IsAlive, ownWorker: string): () => void {
  const misses = new Map<string, number>();
  const look = async (): Promise<void> => {
    for (const owner of coordinator.owners()) {
      if (owner === ownWorker) continue;
      const alive = await isAlive(owner);
      const missed = alive === false ? (misses.get(owner) ?? 0) + 1 : 0;
      misses.set(owner, missed);
      if (missed < missesMax) continue;
      misses.delete(owner);
      coordinator.ownerLost(owner);
    }
  };
  let isLooking = false;
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void look().finally(() => {
      isLooking = false;
    });
  }, everyMs);
  return () => clearInterval(timer);
}
