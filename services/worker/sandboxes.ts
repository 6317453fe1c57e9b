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

  /** Lets go of a sandbox that was lost: the next asking opens it again. */
  async forget(runId: string): Promise<void> {
    const opening = this.#open.get(runId);
    this.#open.delete(runId);
    await opening?.then((sandbox) => sandbox.detach?.()).catch(() => {});
  }

  /**
   * Ends the run's sandbox and drops its files, also those that another process left. False when there was none;
   * none is opened for it. @throws SandboxError
   */
  async close(runId: string): Promise<boolean> {
    const sandbox = await this.#open.get(runId)?.catch(() => null);
    this.#open.delete(runId);
    if (sandbox) {
      await sandbox.close();
      return true;
    }
    for (const driver of this.#drivers) {
      if (!(await driver.listRuns?.())?.includes(runId)) continue;
      await driver.removeRun?.(runId);
      return true;
    }
    return false;
  }

  /** Lets go of all and keeps their files: each run can be resumed. Waits for those being opened. */
  async release(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((runId) => this.forget(runId)));
  }
}
