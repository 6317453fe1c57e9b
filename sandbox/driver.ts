/** What a sandbox driver offers. One contract suite (test/sandbox/contract) holds for every driver. */

export interface SandboxAbilities {
  network: boolean;
  memory: boolean;
  processes: boolean;
  disk: boolean;
  marks: boolean;
}

export interface OpenSpec {
  runId: string;
  /** `debian-riscv64` (seed: sandbox key). */
  platform: string;
  /** True leaves the accelerated compiler layer out: everything is emulated. */
  strict: boolean;
  onProgress?: (text: string) => void;
  signal?: AbortSignal;
}

export interface ExecSpec {
  /** Run by `sh -c` (bash where the root has it). */
  command: string;
  cwd: string;
  env: Record<string, string>;
  timeoutMs: number;
  network: 'off' | 'fetch';
  user: 'builder' | 'root';
  stdin?: Uint8Array;
  signal?: AbortSignal;
  /** Called with each piece of output as it comes. */
  onOutput?: (stream: 'stdout' | 'stderr', chunk: Uint8Array) => void;
}

export interface ExecResult {
  /** 128 + signal number for a death by signal, as a shell says it. */
  exitCode: number;
  signal: string | null;
  /** The driver killed it at `timeoutMs` (TERM, then KILL, of the whole process tree). */
  timedOut: boolean;
  /** By the kernel's own counters; null when the host has none. */
  oomKilled: boolean | null;
  durationMs: number;
}

/** A run's open sandbox. Paths are absolute paths inside it; the source tree is under `/workspace`. */
export interface Sandbox {
  readonly runId: string;
  readonly driver: string;
  readonly info: {
    platform: string;
    accelerated: boolean;
    rootDigest: string;
    toolVersions: Record<string, string>;
    limits: Record<string, string>;
  };
  /** @throws SandboxError `sandboxLost` when the holder is gone, `cancelled` when the signal fired. */
  exec(spec: ExecSpec): Promise<ExecResult>;
  /**
   * Marks the whole file state under a name. A name that exists already is restored instead: everything
   * written after it is dropped. So "mark before the command" and "start again from the mark" are one call.
   */
  markOrRestore(name: string): Promise<'marked' | 'restored'>;
  /** Installs Debian packages as `apt-get install` would. Unknown names are answered, not thrown. */
  installPackages(
    names: string[],
    options: { timeoutMs: number; signal?: AbortSignal; onOutput?: ExecSpec['onOutput'] },
  ): Promise<{
    exitCode: number;
    output: string;
    installed: string[];
    alreadyThere: string[];
    missing: string[];
  }>;
  /** Whole file, at most `maxBytes`; null when it does not exist. */
  readFile(path: string, maxBytes: number): Promise<Uint8Array | null>;
  /** Refuses a target outside `/workspace`, symbolic links resolved inside the sandbox. */
  writeFile(path: string, content: Uint8Array, mode: number): Promise<void>;
  /** Copies a host folder or file into the sandbox, owned by its user. */
  copyIn(hostPath: string, path: string): Promise<void>;
  /** Copies a file out to the host; symbolic links are followed inside the sandbox only. */
  copyOut(path: string, hostPath: string): Promise<void>;
  /**
   * Where a driver shows its files on the host: for scanners that read many. Read only, until the next mark
   * or command; links in it may lead anywhere on the host, so none may be followed.
   */
  hostPath?(path: string): string;
  /** Ends the sandbox and keeps the run's files: `open` finds them again. */
  detach?(): Promise<void>;
  close(): Promise<void>;
}

export interface SandboxDriver {
  readonly name: string;
  readonly abilities: SandboxAbilities;
  /** Opens a clean sandbox for a run, or the one it has already (files of a crashed run are kept until close). */
  open(spec: OpenSpec): Promise<Sandbox>;
  /** Runs that have files here, open or not. */
  listRuns?(): Promise<string[]>;
  /** Removes the files of a run that is not open. */
  removeRun?(runId: string): Promise<void>;
}

export const sandboxErrorCodes = [
  'sandboxUnavailable', // this host lacks something; the message says what and how to get it
  'sandboxLost', // it was there and is gone
  'diskFull',
  'denied', // a path outside the workspace
  'cancelled',
  'timedOut',
] as const;
export type SandboxErrorCode = (typeof sandboxErrorCodes)[number];

export class SandboxError extends Error {
  readonly code: SandboxErrorCode;
  constructor(code: SandboxErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SandboxError';
    this.code = code;
  }
}
