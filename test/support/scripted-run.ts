/** Drives the host with scripted effects: no log, server, sandbox or clock; time is counted. */
import type { EventDataByType } from '../../events/catalogue.ts';
import type { EventBody } from '../../events/envelope.ts';
import type { CommandResult, RepositoryScan } from '../../events/records.ts';
import type { EffectFailure, EffectName } from '../../machines/effects.ts';
import { applyInput, newRun } from '../../machines/host.ts';
import type { HostedRun, OpenEffect, RunInput } from '../../machines/hosted-run.ts';
import { noFactsScan } from '../../machines/plans/no-facts.ts';

export type Answer = { output: Record<string, unknown> } | { error: EffectFailure } | 'expire';
/** Answers by effect; `count` is how many of that name were answered before. Undefined takes the usual answer. */
export type Script = Partial<
  Record<EffectName, (input: Record<string, unknown>, count: number) => Answer | undefined>
>;

export const runId = '01hzzzzzzzzzzzzzzzzzzzzzzz';
const startAt = 1_790_000_000_000;
/** Inputs after which a scripted run counts as one that never ends. */
const inputsMax = 2_000;

export const startData = (
  more: Partial<EventDataByType['run.started']> = {},
): EventDataByType['run.started'] => ({
  source: 'https://example.org/team/hello.git',
  repoName: 'hello',
  platform: 'debian-riscv64',
  maxAttempts: 5,
  strict: false,
  force: false,
  optimize: false,
  emulateCpu: null,
  cachedRecipe: null,
  packageTestTimeoutS: 600,
  engine: { atesor: '0', machines: '0', xstate: '0' },
  ...more,
});

export interface ScriptedRun {
  run: HostedRun;
  bodies: EventBody[];
  /** Runs as they stood after each input, the new run first. */
  stages: HostedRun[];
}

export function drive(script: Script = {}, start = startData(), id = runId): ScriptedRun {
  let run = newRun(id);
  const bodies: EventBody[] = [];
  const stages: HostedRun[] = [run];
  let at = startAt;
  const feed = (input: Omit<RunInput, 'at'>) => {
    const next = applyInput(run, { ...input, at } as RunInput, 1);
    run = next.run;
    bodies.push(...next.events);
    stages.push(run);
    at += 1000;
  };
  feed({ type: 'run.started', data: start });
  const counts: Partial<Record<EffectName, number>> = {};
  for (let inputs = 0; !run.outcome; inputs += 1) {
    if (inputs > inputsMax) throw new Error(`The run did not end after ${inputsMax} inputs.`);
    const [open] = run.openEffects.values();
    if (!open) {
      const [timer] = run.openTimers.values();
      if (!timer) throw new Error('The run waits for nothing and has not ended.');
      at = Math.max(at, timer.due);
      feed({ type: 'timer.fired', data: { timerId: timer.timerId } });
      continue;
    }
    const count = counts[open.name] ?? 0;
    counts[open.name] = count + 1;
    feed(inputOf(open, script[open.name]?.(open.input, count) ?? usualAnswer(open)));
  }
  return { run, bodies, stages };
}

export function inputOf(open: OpenEffect, answer: Answer): Omit<RunInput, 'at'> {
  const { effectId, name } = open;
  if (answer === 'expire') return { type: 'effect.expired', data: { effectId, name } };
  if ('error' in answer) return { type: 'effect.failed', data: { effectId, name, error: answer.error } };
  return { type: 'effect.succeeded', data: { effectId, name, output: answer.output } };
}

export const failure = (code: EffectFailure['code'], message: string = code): Answer => ({
  error: { code, message, retryable: false },
});

export const commandResult = (more: Partial<CommandResult> & { text?: string } = {}): CommandResult => {
  const { text = '', ...rest } = more;
  const lines = text.split('\n').filter(Boolean);
  return {
    command: '',
    exitCode: 0,
    signal: null,
    timedOut: false,
    oomKilled: null,
    stdout: { size: 0, blob: null, head: '', tail: '' },
    stderr: { size: text.length, blob: null, head: text, tail: '' },
    lines: lines.map((line, index) => ({ line: index + 1, stream: 'stderr' as const, tool: '', text: line })),
    durationMs: 10,
    ...rest,
  };
};

export const makeScan = (more: Partial<RepositoryScan> = {}): RepositoryScan => ({
  ...noFactsScan,
  buildSystem: { ...noFactsScan.buildSystem, type: 'make', confidence: 0.8, primaryFile: 'Makefile' },
  expectedArtifacts: ['hello'],
  tree: 'Makefile\nhello.c',
  fileCount: 2,
  ...more,
});

export const elf = (path: string, machine = 'riscv64') => ({
  path,
  type: 'binary' as const,
  machine,
  abi: machine === 'riscv64' ? 'lp64d' : '',
  size: 1000,
  sha256: 'ab'.repeat(32),
});

export const artifactScan = (riscv64 = [elf('hello')], foreign: ReturnType<typeof elf>[] = []) => ({
  sourceCommit: 'c0ffee',
  riscv64,
  foreign,
  prebuiltForeign: [],
  counts: { riscv64: riscv64.length, foreign: foreign.length, prebuiltForeign: 0 },
  abiWarnings: [],
  examined: riscv64.length + foreign.length,
  truncated: false,
  scanError: null,
});

/** The world of a small make project that builds. */
export function usualAnswer(open: OpenEffect): Answer {
  const input = open.input as { queries: string[]; names: string[]; files: string[]; command: string };
  const outputs: Record<EffectName, () => Record<string, unknown>> = {
    openSandbox: () => ({
      driver: 'chroot',
      platform: 'debian-riscv64',
      accelerated: true,
      rootDigest: 'd1',
      toolVersions: { qemu: '7', gcc: '14' },
      limits: {},
      durationMs: 20,
    }),
    cloneRepository: () => ({
      path: '/workspace/repos/hello',
      commit: 'c0ffee',
      branch: 'main',
      version: '',
      fileCount: 2,
      bundle: 'b'.repeat(64),
      recovery: null,
      notes: [],
      durationMs: 5,
    }),
    scanRepository: () => makeScan(),
    probeTree: () => ({
      answers: Object.fromEntries(
        input.queries.map((query) => [query, query.startsWith('find:') ? [] : false]),
      ),
    }),
    runCommand: () => ({ ...commandResult({ command: input.command }) }),
    installPackages: () => ({
      result: commandResult({ command: input.command }),
      installed: [],
      alreadyThere: input.names,
      missing: [],
    }),
    writeFile: () => ({ bytes: 1 }),
    applyPatch: () => ({ applied: true, message: '', files: ['hello.c'] }),
    scanArtifacts: () => artifactScan(),
    runPackageTests: () => ({
      status: 'passed',
      framework: 'make',
      command: 'make check',
      exitCode: 0,
      durationSeconds: 1,
      timeoutSeconds: 600,
      outputTail: 'ok',
      reason: '',
    }),
    readRecipeCache: () => ({ entry: null }),
    writeRecipeCache: () => ({ stored: true }),
    saveExamples: () => ({ saved: 2 }),
    collectArtifacts: () => ({
      folder: '/out/hello',
      files: input.files.map((path) => ({
        path,
        hostPath: `/out/hello/${path}`,
        sha256: 'ab'.repeat(32),
        size: 1000,
      })),
    }),
    writeOutputs: () => ({
      recipe: '/out/r.md',
      report: '/out/report.md',
      state: '/out/s.json',
      patches: [],
    }),
    closeSandbox: () => ({ closed: true }),
  };
  return { output: outputs[open.name]() };
}
