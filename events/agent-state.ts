/** The state of one port: a projection of its events and nothing else. Names: seed, agent state. */
import type { EventDataByType } from './catalogue.ts';
import type {
  AgentRole,
  ArchSpecificCode,
  ArtifactVerification,
  BuildArtifact,
  BuildPlan,
  BuildStatus,
  BuildSystemInfo,
  CommandResult,
  DependencyInfo,
  ErrorCategory,
  ErrorRecordData,
  FailureSeverity,
  FixAttemptData,
  Optimization,
  PackageAnalysis,
  PackageTests,
  RecipeCacheEntry,
  RepositoryScan,
} from './records.ts';

/** `at` and `timestamp` are epoch milliseconds of the event that brought the record. */
export interface ErrorRecord extends ErrorRecordData {
  timestamp: number;
  attemptNumber: number;
  /** True for a failed fixer: it counts an attempt but is left out of the loop check (design §11). */
  outsideLoopCheck: boolean;
}

export interface FixAttempt extends FixAttemptData {
  timestamp: number;
  success: boolean;
  buildResult: string | null;
}

export interface AuditEvent {
  timestamp: number;
  event: string;
  agent: string;
  data: Record<string, unknown>;
}

export interface TaskPhase {
  id: number;
  name: string;
  role: AgentRole;
}

/** Keys of the seed's `context_cache`, one field each. */
export interface ContextCache {
  quickAnalysis?: Record<string, unknown>;
  goMainInfo?: Record<string, unknown>;
  archBuildFiles?: string[];
  systemInfo?: Record<string, unknown>;
  missingTools?: string[];
  cloneRecovery?: { originalUrl: string; successUrl: string; attempted: string[] };
  packageAnalysis?: PackageAnalysis;
  predictedIssues?: Array<{ kind: string; confidence: number }>;
  builderRetryKeys?: string[];
  replanAttemptsBySignature?: Record<string, number>;
  escalationReport?: string;
  cachedRecipeNotes?: string[];
}

/** What we add to the seed's state; stands under `x` in JSON too. */
export interface StateExtras {
  runId: string;
  source: string;
  platform: string;
  strict: boolean;
  force: boolean;
  packageTestTimeoutS: number;
  sourceCommit: string;
  sourceVersion: string;
  /** sha256 of the git bundle of the source in the blob store. */
  sourceBundle: string;
  sourceNotes: string[];
  /** What the scripted analysis found beyond the seed's own fields. */
  scan: Pick<
    RepositoryScan,
    | 'candidates'
    | 'goMain'
    | 'expectedArtifacts'
    | 'debianBuildDepends'
    | 'languages'
    | 'fileCount'
    | 'hasSubmodules'
  > | null;
  seedErrorCategory: ErrorCategory | null;
  sandbox: EventDataByType['init.sandboxOpened'] | null;
  /** Raised whenever something but a plan command changes the tree: part of a command's cache key. */
  treeVersion: number;
  /** Packages that the run installed, in order, as a user would name them. */
  installedPackages: string[];
  /** The commands that made the build, in order, with what changed them: what the recipe is written from. */
  buildLog: Array<{
    phase: string;
    command: string;
    ran: string;
    exitCode: number;
    heuristic: string | null;
  }>;
  /** Features that a rule or fix switched off. */
  losses: Array<{ what: string; because: string }>;
  /** Built files that were copied out of the sandbox. */
  collectedArtifacts: Array<{ path: string; hostPath: string; sha256: string; size: number }>;
  outcome: { exitCode: number; verdict: string; reason: string } | null;
  pauseRequested: boolean;
  cancelRequested: boolean;
}

export interface AgentState {
  repoUrl: string;
  repoName: string;
  repoPath: string;
  repoTree: string;

  taskPlan: { phases: TaskPhase[] };
  packageAnalysis: PackageAnalysis | null;
  currentPhase: string;

  buildSystemInfo: BuildSystemInfo | null;
  buildPlan: BuildPlan | null;
  buildStatus: BuildStatus;
  testsRun: boolean;

  dependencies: DependencyInfo | null;
  archSpecificCode: ArchSpecificCode[];

  attemptCount: number;
  maxAttempts: number;
  lastSuccessfulPhase: number;

  lastError: string | null;
  lastErrorCategory: ErrorCategory | null;
  lastErrorSeverity: FailureSeverity | null;
  errorHistory: ErrorRecord[];
  fixesAttempted: FixAttempt[];

  apiCallsMade: number;
  apiCostUsd: number;
  apiTokensIn: number;
  apiTokensOut: number;
  scriptedOpsCount: number;
  executionStartTime: number;

  contextCache: ContextCache;
  fileContentCache: Record<string, string>;
  /** By the cache key of `machines/plans/command-key.ts`. */
  commandResultsCache: Record<string, CommandResult & { timestamp: number }>;

  scoutBuildSystemResult: BuildSystemInfo | null;
  scoutDepsResult: DependencyInfo | null;
  scoutArchIssuesResult: ArchSpecificCode[] | null;
  subgraphOutcome: string | null;

  patchesGenerated: string[];
  portingRecipe: string | null;
  buildArtifacts: BuildArtifact[];
  curatedArtifacts: BuildArtifact[];
  artifactVerification: ArtifactVerification | null;
  packageTests: PackageTests | null;

  optimizeRequested: boolean;
  emulateCpu: string | null;
  cachedRecipe: RecipeCacheEntry | null;
  machineProfile: Record<string, unknown> | null;
  optimization: Optimization | null;

  auditTrail: AuditEvent[];
  currentAgent: AgentRole | null;
  messages: string[];
  createdAt: number;
  lastUpdated: number;

  x: StateExtras;
}
