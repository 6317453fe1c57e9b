/** Asks the table: what to run instead of a command, and what to do about one that failed. */
import { retries, rewrites } from './table.ts';
import type { Failure, RetryPlan, RuleContext } from './types.ts';

export interface AppliedRewrite {
  heuristic: string;
  seed: number | null;
  from: string;
  to: string;
}

/**
 * Firings for one failed command in one visit of the build, so that a package that fails in ever new ways
 * comes to the fixer. Source: 16 retries in the seed's table; one port of Debian's needed at most 4.
 */
export const retriesMax = 16;

/** What `probeTree` must answer (with `cwd` = the root of the source) before `rewritesFor`; often nothing. */
export function rewriteQueries(command: string): string[] {
  return distinct(rewrites.flatMap((rule) => rule.needs(command)));
}

/** The command to run in place of the plan's, and the rules that changed it, in the table's order. */
export function rewritesFor(
  command: string,
  context: RuleContext,
): { command: string; applied: AppliedRewrite[] } {
  const applied: AppliedRewrite[] = [];
  let current = command;
  for (const rule of rewrites) {
    if (!rule.when(current, context)) continue;
    const to = rule.act(current, context);
    if (to === current) continue;
    applied.push({ heuristic: rule.id, seed: rule.seed, from: current, to });
    current = to;
  }
  return { command: current, applied };
}

/** An action against a failure. Its steps run in order; the last one is the command again. */
export interface RetryAction extends RetryPlan {
  heuristic: string;
  seed: number | null;
  retryKey: string;
  /** True when the key must be kept for the whole run, false when it counts in this visit of the build only. */
  oncePerRun: boolean;
}

/** What `probeTree` must answer before `retryFor`; often nothing. */
export function retryQueries(failure: Failure, usedKeys: readonly string[]): string[] {
  return distinct(
    retries.filter((rule) => open(rule, failure, usedKeys)).flatMap((rule) => rule.needs(failure)),
  );
}

/**
 * The first rule of the table that has something to do about the failure and was not tried for it yet.
 *
 * @param usedKeys keys of earlier firings: those of the run for rules with `oncePerRun`, those of this visit
 *   of the build for the others. Call it again with the new result and the used key until it answers null.
 */
export function retryFor(failure: Failure, usedKeys: readonly string[]): RetryAction | null {
  for (const rule of retries) {
    if (!open(rule, failure, usedKeys)) continue;
    const plan = rule.act(failure);
    if (plan === null) continue;
    return {
      ...plan,
      heuristic: rule.id,
      seed: rule.seed,
      retryKey: rule.key(failure),
      oncePerRun: rule.limit === 'once per command',
    };
  }
  return null;
}

const open = (rule: (typeof retries)[number], failure: Failure, usedKeys: readonly string[]): boolean =>
  rule.when(failure) && !usedKeys.includes(rule.key(failure));

const distinct = (queries: string[]): string[] => [...new Set(queries)];
