/** An open sandbox of the chroot driver: one holder, one overlay stack, one thing done at a time. */
import { closeSync, openSync } from 'node:fs';
import { chown, open, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RunCgroup } from './cgroups.ts';
import { copyInto, copyOutOf } from './copy.ts';
import { asSandboxError } from './disk-full.ts';
import { type ExecResult, type ExecSpec, type Sandbox, SandboxError } from './driver.ts';
import { flattenInto } from './flatten-stack.ts';
import type { Holder } from './holder.ts';
import { isRoot, sandboxHostId } from './host-user.ts';
import { resolveInside, resolveInWorkspace } from './inside-path.ts';
import { installPackages } from './install-packages.ts';
import { lowerLinks, mountStack, removeFolder } from './mount-stack.ts';
import { makePipes } from './output-pipe.ts';
import {
  addLayer,
  flattened,
  foldersOf,
  frozenCount,
  mark,
  type OverlayStack,
  restore,
  writeStack,
} from './overlay-stack.ts';
import { makeFolders, replaceFile } from './replace-file.ts';
import type { RootInfo } from './root.ts';
import { runCommand } from './run-command.ts';

export interface ChrootSandboxParts {
  runId: string;
  runDir: string;
  root: RootInfo;
  layersDir: string;
  stack: OverlayStack;
  holder: Holder;
  cgroup: RunCgroup | null;
  info: Sandbox['info'];
  onProgress: (text: string) => void;
  /** For tests; `frozenMax` otherwise. */
  frozenMax?: number | undefined;
}

/** More frozen folders than this are folded into one. The kernel's limit is 500 layers. */
const frozenMax = 200;

export class ChrootSandbox implements Sandbox {
  readonly driver = 'chroot';
  readonly runId: string;
  readonly info: Sandbox['info'];
  readonly #parts: ChrootSandboxParts;
  #stack: OverlayStack;
  /** The end of the last thing asked for: files must not change under a path that is being followed. */
  #turn: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(parts: ChrootSandboxParts) {
    this.runId = parts.runId;
    this.info = parts.info;
    this.#parts = parts;
    this.#stack = parts.stack;
  }

  /**
   * The file on the host, for scanners that read many files; valid until the sandbox is closed or marked.
   * Read only. Links in the tree may lead anywhere on the host: never follow one (lstat, O_NOFOLLOW), and
   * walk only folders that lstat calls folders. No command may run meanwhile.
   */
  hostPath(path: string): string {
    this.#check();
    return join(this.#parts.holder.root, path);
  }

  exec(spec: ExecSpec): Promise<ExecResult> {
    return this.#inTurn(async () => {
      if (spec.signal?.aborted)
        throw new SandboxError('cancelled', 'cancelled before the command was started');
      const { holder, cgroup, runDir } = this.#parts;
      const folder = await resolveInside(holder.root, spec.cwd);
      if (!folder.stats?.isDirectory()) return noSuchFolder(spec, cgroup === null);
      const stdin = spec.stdin ? await this.#stdinFile(spec.stdin) : 'ignore';
      try {
        return await runCommand(spec, {
          holder,
          cgroup,
          pipes: pipesOf(runDir),
          stdin,
        });
      } finally {
        if (stdin !== 'ignore') closeSync(stdin);
      }
    });
  }

  markOrRestore(name: string): Promise<'marked' | 'restored'> {
    return this.#inTurn(async () => {
      if (Object.hasOwn(this.#stack.marks, name)) {
        await this.#remount(restore(this.#stack, name));
        return 'restored';
      }
      const next = mark(this.#stack, name, await this.#currentIsEmpty());
      if (frozenCount(next) > (this.#parts.frozenMax ?? frozenMax)) {
        await this.#remount(await this.#flatten(next));
        return 'marked';
      }
      if (next.current === this.#stack.current) {
        this.#stack = next;
        await writeStack(this.#parts.runDir, next);
      } else await this.#remount(next);
      return 'marked';
    });
  }

  installPackages(
    names: string[],
    options: Parameters<Sandbox['installPackages']>[1],
  ): ReturnType<Sandbox['installPackages']> {
    return this.#inTurn(() =>
      installPackages(names, options, {
        root: this.#parts.root,
        layersDir: this.#parts.layersDir,
        accelerated: this.info.accelerated,
        files: this.#parts.holder.root,
        onProgress: this.#parts.onProgress,
        addLayer: async (layer) => this.#remount(addLayer(this.#stack, layer, await this.#currentIsEmpty())),
        run: (command) =>
          runCommand(
            { command, cwd: '/', env: {}, timeoutMs: options.timeoutMs, network: 'off', user: 'root' },
            {
              holder: this.#parts.holder,
              cgroup: this.#parts.cgroup,
              pipes: pipesOf(this.#parts.runDir),
              stdin: 'ignore',
            },
          ),
      }),
    );
  }

  readFile(path: string, maxBytes: number): Promise<Uint8Array | null> {
    return this.#inTurn(async () => {
      const { host, stats } = await resolveInside(this.#parts.holder.root, path);
      if (!stats?.isFile()) return null;
      const file = await open(host, 'r');
      try {
        const bytes = Buffer.alloc(Math.min(stats.size, maxBytes));
        let read = 0;
        while (read < bytes.length) {
          const { bytesRead } = await file.read(bytes, read, bytes.length - read, read);
          if (bytesRead === 0) break;
          read += bytesRead;
        }
        return bytes.subarray(0, read);
      } finally {
        await file.close();
      }
    });
  }

  writeFile(path: string, content: Uint8Array, mode: number): Promise<void> {
    return this.#inTurn(async () => {
      const root = this.#parts.holder.root;
      const { inside } = await resolveInWorkspace(root, path);
      await replaceFile(root, inside, content, mode);
    });
  }

  copyIn(hostPath: string, path: string): Promise<void> {
    return this.#inTurn(async () => {
      const { inside, host } = await resolveInWorkspace(this.#parts.holder.root, path);
      await makeFolders(this.#parts.holder.root, dirname(inside));
      await copyInto(hostPath, host);
    });
  }

  copyOut(path: string, hostPath: string): Promise<void> {
    return this.#inTurn(async () => {
      const { host, stats } = await resolveInside(this.#parts.holder.root, path);
      if (!stats?.isFile())
        throw new SandboxError('denied', `${path} is not a file in the sandbox; only files are copied out`);
      await copyOutOf(host, hostPath);
    });
  }

  /** Ends the sandbox and removes the run's files. */
  async close(): Promise<void> {
    await this.detach();
    await removeFolder(this.#parts.runDir);
  }

  /** Ends the sandbox and keeps the run's files: `open` finds them again. */
  async detach(): Promise<void> {
    this.#closed = true;
    await this.#turn.catch(() => undefined);
    await this.#parts.holder.close();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn
      .catch(() => undefined)
      .then(() => {
        this.#check();
        return work();
      })
      .catch((error) => {
        throw asSandboxError(error);
      });
    this.#turn = turn;
    return turn;
  }

  #check(): void {
    if (this.#closed) throw new SandboxError('sandboxLost', `the sandbox of run ${this.runId} was closed`);
    if (this.#parts.holder.lost)
      throw new SandboxError('sandboxLost', `the sandbox of run ${this.runId} has ended`);
  }

  async #currentIsEmpty(): Promise<boolean> {
    return (await readdir(join(this.#parts.runDir, this.#stack.current))).length === 0;
  }

  /** Nothing has been written since `next` was thought of, so the mounted files are those of its entries. */
  async #flatten(next: OverlayStack): Promise<OverlayStack> {
    const { stack, into } = flattened(next);
    await removeFolder(join(this.#parts.runDir, into)); // of an attempt that was killed
    const layers = next.entries.filter((entry) => 'layer' in entry);
    const lower = await lowerLinks({ ...next, entries: layers }, this.#parts);
    await flattenInto(into, this.#parts.runDir, lower, this.#parts.holder);
    return stack;
  }

  async #remount(next: OverlayStack): Promise<void> {
    const { runDir } = this.#parts;
    const given = foldersOf(this.#stack);
    if (!given.has(next.current)) await removeFolder(join(runDir, next.current));
    this.#stack = await mountStack(next, this.#parts);
    const needed = foldersOf(this.#stack);
    for (const folder of given) if (!needed.has(folder)) await removeFolder(join(runDir, folder));
  }

  async #stdinFile(bytes: Uint8Array): Promise<number> {
    const path = join(this.#parts.runDir, 'stdin');
    await writeFile(path, bytes, { mode: 0o600 });
    if (isRoot()) await chown(path, sandboxHostId, sandboxHostId);
    return openSync(path, 'r');
  }
}

export const pipesOf = (runDir: string) => ({
  stdout: join(runDir, 'stdout'),
  stderr: join(runDir, 'stderr'),
});

export const makeRunPipes = (runDir: string) => makePipes(Object.values(pipesOf(runDir)));

/** As a shell answers `cd` to a folder that is not there. */
function noSuchFolder(spec: ExecSpec, unlimited: boolean): ExecResult {
  spec.onOutput?.('stderr', Buffer.from(`sh: cd: ${spec.cwd}: No such file or directory\n`));
  return { exitCode: 1, signal: null, timedOut: false, oomKilled: unlimited ? null : false, durationMs: 0 };
}
