/**
 * Applies a unified diff to the source, inside the sandbox, as its user.
 *
 * Twice is harmless: a patch that is there already is found to be so and counts as applied.
 */
import { posix } from 'node:path';
import type { Sandbox } from '../../sandbox/driver.ts';
import type { EffectHandler } from './handler.ts';

const patchTimeoutMs = 50_000;
const messageCharsMax = 2_000;

/** A patch that does not fit is an answer with `applied: false` and the tool's words; the files stay as they are. */
export const applyPatch: EffectHandler<'applyPatch'> = async (input, context) => {
  const sandbox = await context.sandbox();
  const files = patchedFiles(input.patch);
  if (files.length === 0)
    return { applied: false, message: 'the text names no file: it is no unified diff', files };
  const strip = hasPrefixes(input.patch) ? 1 : 0;
  const git = `git apply --whitespace=nowarn -p${strip}`;
  const patch = `patch -p${strip} --batch --forward --no-backup-if-mismatch --reject-file=- --silent`;
  const attempt = (command: string) => run(sandbox, command, input.cwd, input.patch, context.signal);

  const first = await attempt(git);
  if (first.exitCode === 0) return { applied: true, message: 'applied', files };
  if ((await attempt(`${git} --reverse --check`)).exitCode === 0) {
    return { applied: true, message: 'it was applied already', files };
  }
  // GNU patch takes lines that have moved or differ a little; git does not.
  if ((await attempt(`${patch} --dry-run`)).exitCode === 0) {
    const second = await attempt(patch);
    if (second.exitCode === 0)
      return { applied: true, message: 'applied by patch, not exactly where it says', files };
  }
  return { applied: false, message: first.output.trim().slice(0, messageCharsMax), files };
};

async function run(sandbox: Sandbox, command: string, cwd: string, patch: string, signal: AbortSignal) {
  let output = '';
  const text = patch.endsWith('\n') ? patch : `${patch}\n`;
  const { exitCode } = await sandbox.exec({
    command,
    cwd,
    // Without a repository above, git takes paths as relative to the folder and leaves none out.
    env: { GIT_CEILING_DIRECTORIES: posix.dirname(cwd), LC_ALL: 'C' },
    timeoutMs: patchTimeoutMs,
    network: 'off',
    user: 'builder',
    stdin: Buffer.from(text),
    signal,
    onOutput: (_stream, chunk) => {
      if (output.length < messageCharsMax * 2) output += Buffer.from(chunk).toString();
    },
  });
  return { exitCode, output };
}

/** Paths that a patch writes or removes, in its order, without the `a/` and `b/` of git. */
export function patchedFiles(patch: string): string[] {
  const strip = hasPrefixes(patch);
  const names = [...patch.matchAll(/^(?:---|\+\+\+) ([^\t\n]+)/gm)]
    .map((match) => (match[1] ?? '').trim())
    .filter((name) => name !== '/dev/null')
    .map((name) => (strip ? name.replace(/^[^/]+\//, '') : name));
  return [...new Set(names)];
}

const hasPrefixes = (patch: string): boolean =>
  /^--- (a\/|\/dev\/null)/m.test(patch) && /^\+\+\+ (b\/|\/dev\/null)/m.test(patch);
