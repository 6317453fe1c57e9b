/**
 * The records that the agent state is made of: one schema each, its TypeScript type from the same schema.
 * Names and fields are the seed's (seeds: agent state), camelCase here, snake_case in JSON.
 */
import {
  array,
  boolean,
  integer,
  json,
  map,
  nullable,
  number,
  object,
  oneOf,
  optional,
  type Static,
  string,
} from './schema.ts';

/** Source: seed, agent state. */
export const buildStatuses = [
  'PENDING',
  'PLANNING',
  'SCOUTING',
  'BUILDING',
  'FIXING',
  'SUCCESS',
  'FAILED',
  'ESCALATED',
] as const;
export type BuildStatus = (typeof buildStatuses)[number];

/** Source: seed, error taxonomy: 14 values, the last three are set by no rule. */
export const errorCategories = [
  'RATE_LIMIT',
  'DEPENDENCY',
  'DISK_SPACE',
  'NETWORK',
  'CONFIGURATION',
  'ARCHITECTURE',
  'LINKING',
  'MISSING_TOOLS',
  'COMPILATION',
  'PERMISSION',
  'UNKNOWN',
  'LICENSE_INCOMPATIBLE',
  'REQUIRES_HARDWARE',
  'ARCHITECTURE_IMPOSSIBLE',
] as const;
export type ErrorCategory = (typeof errorCategories)[number];

export const failureSeverities = ['low', 'medium', 'high'] as const;
export type FailureSeverity = (typeof failureSeverities)[number];

export const agentRoles = ['planner', 'supervisor', 'scout', 'builder', 'fixer', 'summarizer'] as const;
export type AgentRole = (typeof agentRoles)[number];

/** The 13 nodes of the seed's graph: 10 of the parent, 3 of the subgraph. */
export const parentNodes = [
  'init_node',
  'cached_recipe_node',
  'analyst_node',
  'heuristic_plan_node',
  'scout_node',
  'supervisor_node',
  'build_fix_subgraph',
  'finish_node',
  'optimize_node',
  'escalate_node',
] as const;
export const subgraphNodes = ['build_node', 'verify_node', 'fix_node'] as const;
export const nodeNames = [...parentNodes, ...subgraphNodes] as const;
export type NodeName = (typeof nodeNames)[number];

/**
 * Text that may be long. Up to 8 KiB it stands whole in `head`; longer text is in the blob store under the
 * sha256 `blob` and `head` (2 KiB) and `tail` (4 KiB) are its ends. `size` is in bytes.
 */
export const textRefSchema = object({
  size: integer(),
  blob: nullable(string()),
  head: string(),
  tail: string(),
});
export type TextRef = Static<typeof textRefSchema>;

/** A line of a command's output that an extractor found worth deciding on. `line` counts from 1. */
export const outputLineSchema = object({
  line: integer(),
  stream: oneOf(['stdout', 'stderr']),
  /** The program that printed it (`gcc`, `ld`, `make`, `configure`, `cmake`, `sh` …), or '' when not told. */
  tool: string(),
  text: string(),
});
export type OutputLine = Static<typeof outputLineSchema>;

export const buildSystemTypes = [
  'cmake',
  'cargo',
  'go',
  'autotools',
  'make',
  'meson',
  'npm',
  'pip',
  'perl',
  'gradle',
  'maven',
  'bazel',
  'unknown',
] as const;
export type BuildSystemType = (typeof buildSystemTypes)[number];

export const buildSystemInfoSchema = object({
  type: oneOf(buildSystemTypes),
  confidence: number(),
  primaryFile: string(),
  additionalFiles: array(string()),
  requiresConfiguration: boolean(),
  /** The folder of the project root inside the source, '' for the top. */
  moduleDir: string(),
});
export type BuildSystemInfo = Static<typeof buildSystemInfoSchema>;

export const dependencyInfoSchema = object({
  systemPackages: array(string()),
  libraries: array(string()),
  buildTools: array(string()),
  riscVAvailable: map(boolean()),
  installMethod: string(),
  versionConstraints: map(string()),
});
export type DependencyInfo = Static<typeof dependencyInfoSchema>;

export const archSpecificCodeSchema = object({
  file: string(),
  line: integer(),
  codeSnippet: string(),
  archType: oneOf([
    'assembly_source',
    'stale_autotools',
    'arch_dispatch',
    'intrinsic_header',
    'hardcoded_arch_flags',
    'inline_asm',
    'go_build_constraints',
    'go_arch_files',
  ]),
  severity: oneOf(['low', 'medium', 'high', 'critical']),
  suggestedFix: string(),
});
export type ArchSpecificCode = Static<typeof archSpecificCodeSchema>;

/** How a phase may touch the world: which phases get a network and which write outside the workspace. */
export const buildPhaseSchema = object({
  id: integer(),
  name: string(),
  commands: array(string()),
  canParallelize: boolean(),
  expectedDuration: string(),
  requiredDependencies: array(string()),
  successCriteria: string(),
});
export type BuildPhase = Static<typeof buildPhaseSchema>;

export const buildPlanSchema = object({
  buildSystem: string(),
  buildSystemConfidence: number(),
  phases: array(buildPhaseSchema),
  totalEstimatedDuration: string(),
  notes: array(string()),
});
export type BuildPlan = Static<typeof buildPlanSchema>;

export const packageAnalysisSchema = object({
  purpose: string(),
  language: string(),
  buildSystem: string(),
  buildSystemConfidence: number(),
  buildSystemReasoning: string(),
  dependencies: array(object({ name: string(), reason: string() })),
  riscvRisks: array(string()),
  buildStrategy: string(),
  expectedArtifacts: array(string()),
  needsCustomPlan: boolean(),
  complexity: integer(),
  llmGrounded: boolean(),
});
export type PackageAnalysis = Static<typeof packageAnalysisSchema>;

/** One command as it ended. A kill at the time limit has `timedOut`; `oomKilled` is null when not known. */
export const commandResultSchema = object({
  command: string(),
  exitCode: integer(),
  signal: nullable(string()),
  timedOut: boolean(),
  oomKilled: nullable(boolean()),
  stdout: textRefSchema,
  stderr: textRefSchema,
  lines: array(outputLineSchema),
  durationMs: number(),
});
export type CommandResult = Static<typeof commandResultSchema>;

export const errorRecordSchema = object({
  category: oneOf(errorCategories),
  /** The category that the seed's 23 ordered rules give; kept for comparison. */
  seedCategory: oneOf(errorCategories),
  message: string(),
  severity: oneOf(failureSeverities),
  command: nullable(string()),
  file: nullable(string()),
  line: nullable(integer()),
  /** What a person should do, from the classifier: never a command that is run. */
  action: nullable(string()),
  /** `category` plus one normalised line: equal signatures three times in a row are an error loop. */
  signature: string(),
});
export type ErrorRecordData = Static<typeof errorRecordSchema>;

export const fixAttemptSchema = object({
  errorCategory: oneOf(errorCategories),
  strategy: string(),
  changesMade: array(string()),
  errorMessage: string(),
});
export type FixAttemptData = Static<typeof fixAttemptSchema>;

/** One built (or prebuilt) file whose ELF header was read. */
export const elfFileSchema = object({
  path: string(),
  type: oneOf(['binary', 'library_shared', 'library_static', 'object']),
  /** `riscv64`, or a label such as `x86-64`, `aarch64`, `em-21`, `mixed(riscv64+x86-64)`. */
  machine: string(),
  /** `lp64d` and so on for RISC-V, '' otherwise. */
  abi: string(),
  size: integer(),
  sha256: string(),
});
export type ElfFile = Static<typeof elfFileSchema>;

/** What a scan of the tree found; the verdict is decided from it by a pure function. */
export const artifactScanSchema = object({
  sourceCommit: string(),
  riscv64: array(elfFileSchema),
  foreign: array(elfFileSchema),
  prebuiltForeign: array(elfFileSchema),
  counts: object({ riscv64: integer(), foreign: integer(), prebuiltForeign: integer() }),
  abiWarnings: array(string()),
  examined: integer(),
  truncated: boolean(),
  scanError: nullable(string()),
});
export type ArtifactScan = Static<typeof artifactScanSchema>;

export const artifactVerificationSchema = object({
  status: oneOf(['verified', 'wrong_arch', 'unverified']),
  verified: boolean(),
  reason: string(),
  sourceCommit: string(),
  counts: object({ riscv64: integer(), foreign: integer(), prebuiltForeign: integer() }),
  riscv64: array(elfFileSchema),
  foreign: array(elfFileSchema),
  prebuiltForeign: array(elfFileSchema),
  abiWarnings: array(string()),
  examined: integer(),
  truncated: boolean(),
  scanError: nullable(string()),
  expectedMissing: array(string()),
});
export type ArtifactVerification = Static<typeof artifactVerificationSchema>;

export const buildArtifactSchema = object({
  filepath: string(),
  type: string(),
  architecture: string(),
  role: optional(oneOf(['primary', 'secondary'])),
});
export type BuildArtifact = Static<typeof buildArtifactSchema>;

export const packageTestsSchema = object({
  status: oneOf(['passed', 'failed', 'timeout', 'skipped', 'error']),
  framework: nullable(string()),
  command: nullable(string()),
  exitCode: nullable(integer()),
  durationSeconds: number(),
  timeoutSeconds: number(),
  outputTail: string(),
  reason: string(),
});
export type PackageTests = Static<typeof packageTestsSchema>;

/** A verified port as the recipe cache keeps it. */
export const recipeCacheEntrySchema = object({
  repoUrl: string(),
  sourceCommit: string(),
  /** Version of a Debian source; '' for others. */
  sourceVersion: string(),
  buildSystem: string(),
  architecture: string(),
  sandbox: string(),
  lastBuilt: string(),
  buildPlan: object({ phases: array(object({ name: string(), commands: array(string()) })) }),
  dependencies: array(string()),
  patches: array(string()),
  artifacts: array(object({ type: string(), path: string(), role: string() })),
  buildDurationSeconds: number(),
  recipeMarkdown: string(),
  verification: object({ status: string(), reason: string(), sourceCommit: string() }),
  elf: array(elfFileSchema),
  runId: string(),
});
export type RecipeCacheEntry = Static<typeof recipeCacheEntrySchema>;

export const optimizationSchema = object({
  status: oneOf(['accepted', 'no gain', 'not confirmed', 'not measured', 'checked', 'skipped', 'error']),
  reason: string(),
});
export type Optimization = Static<typeof optimizationSchema>;

/** Facts about Go packages with a `main`, seed: Go main package. */
export const goMainInfoSchema = object({
  hasMain: boolean(),
  mainPath: string(),
  moduleDir: string(),
  buildCommand: string(),
  needsGoInit: boolean(),
  hasGoMod: boolean(),
  hasGoFiles: boolean(),
  allMainPaths: array(string()),
});
export type GoMainInfo = Static<typeof goMainInfoSchema>;

/** What the scripted analysis found in the source, in one answer. */
export const repositoryScanSchema = object({
  buildSystem: buildSystemInfoSchema,
  /** Every system found, best first; the first equals `buildSystem`. */
  candidates: array(buildSystemInfoSchema),
  dependencies: dependencyInfoSchema,
  archFindings: array(archSpecificCodeSchema),
  goMain: nullable(goMainInfoSchema),
  /** A compact tree, at most 8 KiB. */
  tree: string(),
  /** Documentation, path to the first 500 lines of at most 5 files, each cut at 16 KiB. */
  documentation: map(string()),
  /** Build files and one document for a model or a person: at most 14,000 characters in all. */
  evidence: string(),
  languages: map(integer()),
  fileCount: integer(),
  hasSubmodules: boolean(),
  /** Names that the build is expected to leave, read from the build files; at most 10. */
  expectedArtifacts: array(string()),
  /** Names of build dependencies in `debian/control`, when there is one. */
  debianBuildDepends: array(string()),
  durationMs: number(),
});
export type RepositoryScan = Static<typeof repositoryScanSchema>;

export const jsonValue = json;
