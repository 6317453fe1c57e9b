/**
 * Which part a process has in its data folder, and how that changes: the first is the host, the others are clients;
 * when the host ends or dies, one client takes the lock and goes on as the host.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { EngineError } from '../engine.ts';
import type { CommandMessage } from '../protocol.ts';
import { type ClientRole, joinHost, NoHost } from './client-role.ts';
import { readHostFile } from './host-file.ts';
import { becomeHost, type HostRole, type RoleParts } from './host-role.ts';
import { tryHostLock } from './lock.ts';

/** How often a client looks whether the host is gone, ms; with some chance in it, so that two do not meet. */
const lookMs = 150;
const lookJitterMs = 50;
/** A process finds its part within this, ms: another's nats-server may take 30 s over a big store. */
const joinDeadlineMs = 45_000;
/** A command is carried out within this, ms, whatever hosts come and go. */
const commandDeadlineMs = 60_000;

export type Role = HostRole | ClientRole;

export interface MembershipParts extends RoleParts {
  /** There is a role, or another one, or the same again after a lost connection: say which runs are ours. */
  onRole: (role: Role) => void;
}

export class Membership {
  readonly #parts: MembershipParts;
  readonly #closing = new AbortController();
  #role: Role | null = null;
  #watching: Promise<void> = Promise.resolve();

  constructor(parts: MembershipParts) {
    this.#parts = parts;
  }

  get role(): Role | null {
    return this.#role;
  }

  /** Takes a part. @throws EngineError */
  async join(): Promise<void> {
    await this.#takeRole(Date.now() + joinDeadlineMs);
    this.#watching = this.#watch();
  }

  /** Carries out a command here or at the host. @throws EngineError */
  async command(command: CommandMessage): Promise<string | null> {
    const deadline = Date.now() + commandDeadlineMs;
    while (!this.#closing.signal.aborted) {
      try {
        if (!this.#role) throw new NoHost();
        return await this.#role.command(command);
      } catch (error) {
        if (!(error instanceof NoHost)) throw error;
        if (Date.now() > deadline) {
          throw new EngineError(
            'hostUnreachable',
            'the host of this data folder does not answer: end it, then try again',
          );
        }
      }
      await this.#pause();
    }
    throw new EngineError('engineClosed', 'this process is ending');
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#watching;
    const role = this.#role;
    this.#role = null;
    await role?.close();
  }

  /** As a client: looks until the host is gone or another, then takes a part again. A host stays the host. */
  async #watch(): Promise<void> {
    while (!this.#closing.signal.aborted && this.#role?.kind === 'client') {
      await this.#pause();
      if (this.#closing.signal.aborted) return;
      const { host } = this.#role;
      const lock = tryHostLock(this.#parts.home.root);
      if (!lock && readHostFile(this.#parts.home.root)?.epoch === host.epoch) continue;
      lock?.release();
      if (!lock && !readHostFile(this.#parts.home.root)) continue; // the next host is on its way
      try {
        await this.#leave();
        await this.#takeRole(Date.now() + joinDeadlineMs);
      } catch (error) {
        this.#parts.onBroken(error as Error);
        return;
      }
    }
  }

  async #leave(): Promise<void> {
    const role = this.#role;
    this.#role = null;
    await role?.close();
  }

  async #takeRole(deadline: number): Promise<void> {
    const { home, notice, onRole } = this.#parts;
    while (!this.#closing.signal.aborted) {
      const lock = tryHostLock(home.root);
      this.#role = lock
        ? await becomeHost(this.#parts, lock)
        : await joinHost(this.#parts, () => this.#again());
      if (this.#role) {
        const isHost = this.#role.kind === 'host';
        notice({
          code: isHost ? 'becameHost' : 'becameClient',
          message: isHost
            ? `this process hosts ${home.root}`
            : `another process hosts ${home.root}; this one follows it`,
        });
        onRole(this.#role);
        return;
      }
      if (Date.now() > deadline) {
        throw new EngineError(
          'hostUnreachable',
          `another process holds ${home.root} and does not answer: end it, then try again`,
        );
      }
      await this.#pause();
    }
  }

  #again(): void {
    if (this.#role) this.#parts.onRole(this.#role);
  }

  async #pause(): Promise<void> {
    const ms = lookMs + Math.random() * lookJitterMs;
    await sleep(ms, undefined, { signal: this.#closing.signal }).catch(() => {});
  }
}
