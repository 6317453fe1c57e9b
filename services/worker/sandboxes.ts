/**
 * The sandboxes that a worker has open, one a run. After a restart of the worker the driver finds the run's files
 * again, so that what is here is only a memory of what it can find.
 */
import type { OpenSpec, Sandbox, SandboxDriver } from '../../sandbox/driver.ts';
import { EffectError } from '../effects/handler.ts';

export class Sandboxes {
  readonly #drivers: readonly SandboxDriver[];
  readonly #open = new Map<string, Promise<Sandbox>>();

  /** `drivers` in the order of preference. */
  constructor(drivers: readonly SandboxDriver[]) {
    this.#drivers = drivers;
  }

  /** The run's sandbox: the open one, else what the driver has or makes. @throws SandboxError, EffectError */
  async get(spec: OpenSpec): Promise<Sandbox> {
    const known = this.#open.get(spec.runId);
    if (known) return known;
    const [driver] = this.#drivers;
    if (!driver) {
      throw new EffectError(
        'sandboxUnavailable',
        'this worker has no sandbox driver: run it on a Linux host',
      );
    }
    const opening = driver.open(spec);
    this.#open.set(spec.runId, opening);
    // A failure is not kept: the next asking tries again.
    opening.catch(() => this.#open.delete(spec.runId));
    return opening;
  }

  /** Forgets a sandbox that was lost, so that the next asking opens it again. */
  forget(runId: string): void {
    this.#open.delete(runId);
  }

  /** Ends the run's sandbox and drops its files. False when there was none. */
  async close(spec: OpenSpec): Promise<boolean> {
    const sandbox = await this.get(spec);
    await sandbox.close();
    this.#open.delete(spec.runId);
    return true;
  }

  /** Lets go of all without dropping their files: each run can be resumed. Waits for those being opened. */
  async release(): Promise<void> {
    const all = [...this.#open.values()];
    this.#open.clear();
    for (const opening of all) {
      const sandbox = (await opening.catch(() => null)) as (Sandbox & Releasable) | null;
      await sandbox?.release?.().catch(() => {});
    }
  }
}

/** A sandbox that can let go of its processes and mounts and keep its files. */
interface Releasable {
  release?(): Promise<void>;
}
