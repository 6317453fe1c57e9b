/**
 * What machines may ask of the world: one entry an effect, its question and its answer.
 * Handlers are in `services/effects`, one file each, under the same names.
 */
import type {
  ArtifactScan,
  CommandResult,
  PackageTests,
  RecipeCacheEntry,
  RepositoryScan,
} from '../events/records.ts';

/** Which worker can do it: `store` needs the data folder of the coordinator, `build` a sandbox, `llm` keys. */
export type Capability = 'build' | 'store' | 'llm';

export interface EffectMap {
  /** Opens (or finds again, by run) the run's clean sandbox. */
  openSandbox: {
    input: { platform: string; strict: boolean };
    output: {
      driver: string;
      platform: string;
      accelerated: boolean;
      /** Digest of the base root: part of what makes a build reproducible. */
      rootDigest: string;
      /** Versions of the tools that decide the output, e.g. `{ gcc: '14.2.0-19', qemu: '7.2.13' }`. */
      toolVersions: Record<string, string>;
      limits: Record<string, string>;
      durationMs: number;
    };
  };
  /** Fetches the source on the host, keeps a git bundle of it as a blob, puts it into the sandbox. */
  cloneRepository: {
    input: { source: string; repoName: string; repoPath: string };
    output: {
      path: string;
      commit: string;
      branch: string;
      /** Version of a Debian source or of a tag; '' when not told. */
      version: string;
      fileCount: number;
      /** sha256 of the git bundle in the blob store. */
      bundle: string;
      recovery: { originalUrl: string; successUrl: string; attempted: string[] } | null;
      /** What a person should know: a skipped newer version, submodules left out. */
      notes: string[];
      durationMs: number;
    };
  };
  /** The scripted analysis of the tree. */
  scanRepository: { input: { repoPath: string; repoName: string }; output: RepositoryScan };
  /**
   * Facts about the tree that a rule needs, each by name. `exists:PATH`, `read:PATH` (64 KiB at most),
   * `executable:PATH`, `find:NAME` (paths of files so named, shallowest first, 50 at most),
   * `makefileDirs:` (folders with a makefile, 2 levels deep at most). PATH is relative to `cwd`.
   */
  probeTree: {
    input: { cwd: string; queries: string[] };
    output: { answers: Record<string, boolean | string | string[] | null> };
  };
  /**
   * Runs one shell command. A non-zero exit and a kill at the time limit are answers, not failures.
   * The workspace is marked before it; asked again, it starts from that mark.
   */
  runCommand: {
    input: {
      command: string;
      cwd: string;
      env: Record<string, string>;
      timeoutMs: number;
      /** `fetch` gives outgoing network without the host's loopback. */
      network: 'off' | 'fetch';
      /** `root` for phases that write outside the workspace (`make install`). */
      user: 'builder' | 'root';
      phase: string;
    };
    output: CommandResult;
  };
  /** Installs packages by name the way `apt-get install` would; names already there do nothing. */
  installPackages: {
    input: { names: string[]; command: string; timeoutMs: number };
    /** `result` reads as if the user had run apt-get; `missing` are names the index does not have. */
    output: { result: CommandResult; installed: string[]; alreadyThere: string[]; missing: string[] };
  };
  writeFile: {
    input: { cwd: string; path: string; content: string; mode: number };
    output: { bytes: number };
  };
  applyPatch: {
    input: { cwd: string; patch: string };
    output: { applied: boolean; message: string; files: string[] };
  };
  scanArtifacts: {
    input: { repoPath: string; expectedArtifacts: string[]; sourceCommit: string };
    output: ArtifactScan;
  };
  runPackageTests: {
    input: { repoPath: string; buildSystem: string; moduleDir: string; timeoutMs: number };
    output: PackageTests;
  };
  readRecipeCache: {
    input: { source: string; sandboxKey: string };
    output: { entry: RecipeCacheEntry | null };
  };
  writeRecipeCache: {
    input: { repoName: string; sandboxKey: string; entry: RecipeCacheEntry };
    output: { stored: boolean };
  };
  /** Keeps learned examples; exactly the seed's files and caps come with the model layer. */
  saveExamples: { input: { examples: Record<string, unknown>[] }; output: { saved: number } };
  /** Copies built files out of the sandbox into the output folder; paths in the answer are on the host. */
  collectArtifacts: {
    input: { repoName: string; repoPath: string; files: string[] };
    output: {
      folder: string;
      files: Array<{ path: string; hostPath: string; sha256: string; size: number }>;
    };
  };
  /** Writes report, recipe, state and patches from the state as it is at this effect's own seq. */
  writeOutputs: {
    input: { exitCode: number };
    output: { recipe: string | null; report: string; state: string; patches: string[] };
  };
  closeSandbox: { input: Record<string, never>; output: { closed: boolean } };
}

export type EffectName = keyof EffectMap;
export type EffectInput<N extends EffectName = EffectName> = EffectMap[N]['input'];
export type EffectOutput<N extends EffectName = EffectName> = EffectMap[N]['output'];

/** Why an effect could not be done. A closed set, kept in the log for ever and never renamed. */
export const effectErrorCodes = [
  'badSource', // the source is no URL, package or folder that we take; not retryable
  'sourceNotFound', // it does not exist, 404 or no such package; not retryable
  'sourceUnreachable', // network or authentication; retryable
  'sandboxUnavailable', // a sandbox cannot be had on this host; not retryable
  'sandboxLost', // it was there and is gone; retryable elsewhere
  'diskFull', // no space for the workspace, blobs or log; not retryable
  'rebuildDiverged', // a recorded command ended differently when it was executed again; not retryable
  'rateLimited', // somebody said "later"; retryable
  'timedOut', // the effect itself, not a command in it; retryable
  'denied', // permission or policy; not retryable
  'cancelled', // by a person; not retryable
  'internal', // a fault of ours; not retryable
] as const;
export type EffectErrorCode = (typeof effectErrorCodes)[number];

export interface EffectFailure {
  code: EffectErrorCode;
  message: string;
  retryable: boolean;
}

/** Wall time after which an open effect counts as expired, ms. Longer than any limit inside the effect. */
export const effectDeadlinesMs: Record<EffectName, number> = {
  openSandbox: 1_800_000, // the first one builds the root: 80 s measured quiet, 330 s loaded
  cloneRepository: 1_800_000, // upstream facts: command limit 1,800 s
  scanRepository: 300_000,
  probeTree: 60_000,
  runCommand: 7_500_000, // the command's own limit comes first (1,800 s by default)
  installPackages: 1_900_000,
  writeFile: 60_000,
  applyPatch: 60_000,
  scanArtifacts: 960_000, // upstream facts: verification scan 900 s
  runPackageTests: 1_300_000, // the tests' own limit comes first (600 s by default)
  readRecipeCache: 30_000,
  writeRecipeCache: 30_000,
  saveExamples: 30_000,
  collectArtifacts: 600_000,
  writeOutputs: 120_000,
  closeSandbox: 120_000,
};

export const effectCapability: Record<EffectName, Capability> = {
  openSandbox: 'build',
  cloneRepository: 'build',
  scanRepository: 'build',
  probeTree: 'build',
  runCommand: 'build',
  installPackages: 'build',
  writeFile: 'build',
  applyPatch: 'build',
  scanArtifacts: 'build',
  runPackageTests: 'build',
  readRecipeCache: 'store',
  writeRecipeCache: 'store',
  saveExamples: 'store',
  collectArtifacts: 'build',
  writeOutputs: 'store',
  closeSandbox: 'build',
};
