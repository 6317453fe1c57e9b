/**
 * What kind of failure a command's end and output show, and what to do about it.
 *
 * C1 the end of the process outweighs its words: a kill at the time limit is no lack of memory.
 * C2 the first rule in order that has a line wins; noise (warnings, progress, `checking …`) is no evidence.
 * C3 without a rule the seed's order decides, over the lines without paths, places and numbers of lines.
 */
import type { ErrorCategory, OutputLine } from '../../events/records.ts';
import type { FailureEvidence } from './evidence.ts';
import type { FailureRule } from './failure-rule.ts';
import { architectureRules } from './rules-architecture.ts';
import { buildRules } from './rules-build.ts';
import { environmentRules } from './rules-environment.ts';
import { toolchainRules } from './rules-toolchain.ts';
import { seedCategory } from './seed-rules.ts';

export interface Classification {
  category: ErrorCategory;
  /** What the seed's rules say of the same lines. */
  seedCategory: ErrorCategory;
  /** The next step for a person; null when nothing better than "look at it" is known. */
  action: string | null;
  /** The line that decided, for the message and the signature. */
  line: OutputLine | null;
  /** Id of the rule that decided, or `end.…` or `seed`. */
  rule: string;
}

export const failureRules: readonly FailureRule[] = [
  ...environmentRules,
  ...toolchainRules,
  ...architectureRules,
  ...buildRules,
];

export function classifyFailure(evidence: FailureEvidence): Classification {
  const lines = evidence.lines.filter((line) => !isNoise(line.text));
  const seed = seedCategory(evidence.lines.map((line) => line.text).join('\n'));
  const ended = fromEnd(evidence, lines, seed);
  if (ended !== null) return ended;
  const found = firstMatch(lines);
  if (found !== null) {
    const { rule, line } = found;
    return { category: rule.category, seedCategory: seed, action: rule.action, line, rule: rule.id };
  }
  const killed = evidence.exitCode === 137 || evidence.signal === 'SIGKILL';
  if (killed) return outOfMemory(seed, lines.at(-1) ?? null, 'end.killed');
  const bare = lines.map((line) => withoutPlaces(line.text)).join('\n');
  return {
    category: seedCategory(bare),
    seedCategory: seed,
    action: null,
    line: lines.find((line) => /error|fatal|fail|not found|cannot/i.test(line.text)) ?? lines.at(-1) ?? null,
    rule: 'seed',
  };
}

/** C1: what the driver and the kernel say of the process; null when they say nothing special. */
function fromEnd(
  { timedOut, oomKilled }: FailureEvidence,
  lines: readonly OutputLine[],
  seed: ErrorCategory,
): Classification | null {
  if (timedOut) {
    return {
      category: 'UNKNOWN',
      seedCategory: seed,
      action: 'the time limit ended it: look at the last line for a hang, else give it more time',
      line: lines.at(-1) ?? null,
      rule: 'end.timed-out',
    };
  }
  return oomKilled === true ? outOfMemory(seed, lines.at(-1) ?? null, 'end.out-of-memory') : null;
}

const outOfMemory = (seed: ErrorCategory, line: OutputLine | null, rule: string): Classification => ({
  category: 'COMPILATION',
  seedCategory: seed,
  action: 'memory ran out: build with fewer jobs (-j1) or more memory; the source needs no change',
  line,
  rule,
});

function firstMatch(lines: readonly OutputLine[]): { rule: FailureRule; line: OutputLine } | null {
  for (const rule of failureRules) {
    const line = lines.find(({ text }) => {
      const message = withoutFolders(text);
      return rule.line.test(message) && rule.unless?.test(message) !== true;
    });
    if (line !== undefined) return { rule, line };
  }
  return null;
}

/** C2. A warning that carries an error of a tool below it (`cargo:warning=gcc: error: …`) is none. */
function isNoise(text: string): boolean {
  const line = text.trim();
  // What CMake tells of the things it looks for; a missing one that matters is an error of its own.
  if (/^-- /.test(line) && !/error/i.test(line)) return true;
  if (/^checking /.test(line) && !/config\.(?:guess|sub)/.test(line)) return true;
  if (/\b(?:warning|note|remark|deprecated)\b[:=]/i.test(line)) return !/error|prerequisite/i.test(line);
  return /^(?:\[\s*\d+(?:%|\/\d+)\]|ninja: Entering|make(?:\[\d+\])?: (?:Entering|Leaving) directory)/.test(
    line,
  );
}

/** The folders of paths say where something is, not what is wrong; the file's own name may. */
const withoutFolders = (text: string): string =>
  text.replace(
    /(?<=^|[\s"'`(=])(?:\/|\.{1,2}\/|(?:[\w.+@-]+\/)+(?=[\w.+@-]+:\d))(?:[\w.+@-]+\/)*/g,
    (path) => (path.startsWith('.') ? './' : ''),
  );

/** For the seed's substrings: no paths, no `file:line:column`, no bare numbers of lines. */
const withoutPlaces = (text: string): string =>
  text
    .replace(/(?:[\w.+@-]*\/)+[\w.+@-]+/g, '<path>')
    .replace(/\b[\w.+-]+\.\w{1,4}(?=:\d)/g, '<file>')
    .replace(/:\d+(?::\d+)?/g, '');
