/**
 * A recovery rule: data first, then the smallest pure functions. Its examples are its tests.
 *
 * A rewrite changes the command before it runs, never the plan. A retry answers a failed command with steps.
 * Facts about the tree that a rule needs are asked for by name (`needs`) and answered by one `probeTree`.
 */
import type { CommandResult } from '../../events/records.ts';

/** Answers of `probeTree`, by query (machines/effects.ts). A query that was not asked is absent. */
export type Answers = Readonly<Record<string, boolean | string | string[] | null>>;

/** What a rule may know besides the command. */
export interface RuleContext {
  /** Name of the plan's phase. */
  phase: string;
  repoName: string;
  /** Answers so far; a rule treats a missing one as "not known" and stays silent. */
  answers: Answers;
}

/** A command that failed, as the rules see it. */
export interface Failure extends RuleContext {
  /** The plan's command. */
  planned: string;
  /** What was run in its place (after rewrites, or by an earlier retry). */
  command: string;
  result: CommandResult;
}

/** What to do, in order; the last one is the retry itself. A step that fails ends the action. */
export type RetryStep =
  /** Packages by name, as `apt-get install` would. */
  | { install: string[] }
  /** A command at the root of the source. */
  | { run: string }
  /** The failed command in its new form. */
  | { retry: string };

export interface RetryPlan {
  steps: RetryStep[];
  /** What the plan says from now on when the retry succeeds; null leaves the plan as it is. */
  planCommand: string | null;
  /** A feature that this switches off, for the report; null when nothing is lost. */
  loss: string | null;
}

interface Rule {
  /** `family.name`, kept in events for ever and never renamed. */
  id: string;
  /** Number in the seed's table; null for a rule beyond it. */
  seed: number | null;
  /** Why it exists, in one sentence, for people. */
  because: string;
}

export interface Rewrite extends Rule {
  kind: 'rewrite';
  limit: 'each run';
  changesPlan: false;
  needs: (command: string) => string[];
  when: (command: string, context: RuleContext) => boolean;
  act: (command: string, context: RuleContext) => string;
  examples: Array<{ command: string; answers?: Answers; expect: string }>;
  nearMisses: Array<{ command: string; answers?: Answers }>;
}

export interface Retry extends Rule {
  kind: 'retry';
  /** `each attempt`: may fire again at the next visit of the build. `once per command`: once per key in a run. */
  limit: 'each attempt' | 'once per command';
  changesPlan: boolean;
  needs: (failure: Failure) => string[];
  /** Identifies the firing; kept in `context_cache.builder_retry_keys`. */
  key: (failure: Failure) => string;
  when: (failure: Failure) => boolean;
  /** Null when the rule then finds nothing to do: its key is not used up. */
  act: (failure: Failure) => RetryPlan | null;
  examples: Array<{
    command: string;
    output: string;
    exitCode?: number;
    answers?: Answers;
    expect: RetryStep[];
    planCommand?: string;
  }>;
  nearMisses: Array<{
    command: string;
    output: string;
    exitCode?: number;
    answers?: Answers;
    timedOut?: true;
  }>;
}

export type Heuristic = Rewrite | Retry;
