/**
 * Runs the package's own tests once, without a network. They gate nothing: how they end is told, not judged.
 *
 * Twice is harmless: tests write at most into the workspace, and what is verified was scanned before.
 */
import type { PackageTests } from '../../events/records.ts';
import type { ExecResult } from '../../sandbox/driver.ts';
import type { EffectHandler } from './handler.ts';
import { ranNothing, type TestCommand, testCommandFor } from './package-test-command.ts';
import { sandboxTree } from './sandbox-tree.ts';

/** Source: upstream facts §11: less time than this proves nothing under emulation. */
const timeoutMsMin = 60_000;
const tailChars = 3_000;

const offline = {
  CI: '1',
  LC_ALL: 'C.UTF-8',
  GOFLAGS: '-buildvcs=false',
  GOPROXY: 'off',
  GOTOOLCHAIN: 'local',
  CARGO_NET_OFFLINE: 'true',
  CTEST_OUTPUT_ON_FAILURE: '1',
};

/** @throws {SandboxError} `sandboxLost`, `cancelled`; every other end is an answer */
export const runPackageTests: EffectHandler<'runPackageTests'> = async (input, context) => {
  const timeoutSeconds = Math.round(input.timeoutMs / 1000);
  if (input.timeoutMs <= 0) return skipped('package tests are switched off', timeoutSeconds);
  if (input.timeoutMs < timeoutMsMin) {
    return skipped(
      `${timeoutSeconds} s is less than the ${timeoutMsMin / 1000} s that tests need`,
      timeoutSeconds,
    );
  }
  const sandbox = await context.sandbox();
  const tree = await sandboxTree(sandbox, input.repoPath);
  const test = await testCommandFor(tree, input.buildSystem, input.moduleDir);
  if (test === null) return skipped('the package has no tests that are known how to run', timeoutSeconds);
  let tail = '';
  const result = await sandbox.exec({
    command: `${test.command} 2>&1`, // one stream keeps failures beside what they belong to
    cwd: input.moduleDir === '' ? input.repoPath : `${input.repoPath}/${input.moduleDir}`,
    env: offline,
    timeoutMs: input.timeoutMs,
    network: 'off',
    user: 'builder',
    signal: context.signal,
    onOutput: (stream, chunk) => {
      const text = Buffer.from(chunk).toString();
      context.emit({ stream, text });
      tail = (tail + text).slice(-4 * tailChars);
    },
  });
  return answerOf(test, result, tail, timeoutSeconds);
};

function answerOf(test: TestCommand, result: ExecResult, tail: string, timeoutSeconds: number): PackageTests {
  const common = {
    framework: test.framework,
    command: test.command,
    exitCode: result.exitCode,
    durationSeconds: Math.round(result.durationMs / 100) / 10,
    timeoutSeconds,
    outputTail: tail.slice(-tailChars),
  };
  if (result.timedOut) return { ...common, status: 'timeout', reason: `not done within ${timeoutSeconds} s` };
  if (result.exitCode === 127) {
    return { ...common, status: 'error', reason: `${test.command.split(' ')[0]} is not in the sandbox` };
  }
  if (result.exitCode !== 0) return { ...common, status: 'failed', reason: `exit code ${result.exitCode}` };
  if (ranNothing(test.framework, tail))
    return { ...common, status: 'skipped', reason: 'there was no test to run' };
  return { ...common, status: 'passed', reason: 'all passed' };
}

const skipped = (reason: string, timeoutSeconds: number): PackageTests => ({
  status: 'skipped',
  framework: null,
  command: null,
  exitCode: null,
  durationSeconds: 0,
  timeoutSeconds,
  outputTail: '',
  reason,
});
