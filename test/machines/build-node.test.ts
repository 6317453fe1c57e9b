import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { EventType } from '../../events/catalogue.ts';
import type { EventBody } from '../../events/envelope.ts';
import { projectAll } from '../../events/projection.ts';
import { commandResult, drive, failure, makeScan, type Script } from '../support/scripted-run.ts';

const only = <T extends EventType>(bodies: EventBody[], type: T) =>
  bodies.filter((body) => body.type === type) as EventBody<T>[];
const ranCommands = (bodies: EventBody[]) =>
  only(bodies, 'effect.requested').flatMap(({ data }) =>
    data.name === 'runCommand' ? [(data.input as { command: string }).command] : [],
  );
const scanOf = (type: string) =>
  makeScan({ buildSystem: { ...makeScan().buildSystem, type: type as 'make', confidence: 0.95 } });
const failed = (text: string, exitCode = 1) => ({ output: { ...commandResult({ exitCode, text }) } });

test('[B1] after a failed command the build resumes at it, and what succeeded before is not run again', () => {
  let makes = 0;
  const script: Script = {
    scanRepository: () => ({ output: scanOf('cmake') }),
    runCommand: ({ command }) => {
      if (!/make -j/.test(command as string)) return undefined;
      makes += 1;
      return makes < 2 ? failed("a.c:1:1: error: 'x' undeclared") : undefined;
    },
  };
  const { run, bodies } = drive(script);
  const configures = ranCommands(bodies).filter((command) => /cmake \.\./.test(command));
  assert.is(configures.length, 1);
  assert.is(makes, 2);
  assert.is(run.outcome?.exitCode, 0);
  assert.ok(only(bodies, 'build.phaseSkipped').length > 0);
});

test('[B2] a rewrite changes what is run and leaves the plan as it is', () => {
  const script: Script = {
    scanRepository: () => ({ output: scanOf('autotools') }),
    probeTree: ({ queries }) => ({
      output: {
        answers: Object.fromEntries(
          (queries as string[]).map((query) => [
            query,
            query.startsWith('find:') ? [] : /configure\.ac$/.test(query),
          ]),
        ),
      },
    }),
  };
  const { run, bodies } = drive(script);
  const [applied] = only(bodies, 'build.heuristicApplied');
  assert.is(applied?.data.kind, 'rewrite');
  assert.is(applied?.data.seed, 4);
  assert.ok(ranCommands(bodies).some((command) => /autoreconf/.test(command)));
  assert.ok(run.state?.buildPlan?.phases.every((phase) => !phase.commands.join().includes('autoreconf')));
});

test('[B2] a missing header is cured by its package, once, and the command runs again', () => {
  const script: Script = {
    runCommand: (_, count) =>
      count === 0 ? failed('hello.c:1:10: fatal error: zlib.h: No such file or directory') : undefined,
  };
  const { run, bodies } = drive(script);
  const retry = only(bodies, 'build.heuristicApplied').find(({ data }) => data.kind === 'retry');
  assert.is(retry?.data.seed, 13);
  assert.ok(retry?.data.retryKey);
  assert.ok(only(bodies, 'build.packagesInstalled').some(({ data }) => data.names.includes('zlib1g-dev')));
  assert.is(run.state?.attemptCount, 0);
  assert.is(run.outcome?.exitCode, 0);
});

test('[B3] one error is recorded when no retry succeeds, and it is the one of the command itself', () => {
  const script: Script = {
    runCommand: () => failed('hello.c:1:10: fatal error: zlib.h: No such file or directory'),
    installPackages: ({ names, command }) => ({
      output: {
        result: commandResult({
          command: command as string,
          exitCode: (names as string[]).includes('zlib1g-dev') ? 100 : 0,
          text: 'E: broken',
        }),
        installed: [],
        alreadyThere: names,
        missing: [],
      },
    }),
  };
  const { bodies } = drive(script);
  const visits = only(bodies, 'actor.started').filter(({ data }) => data.node === 'build_node');
  const errors = only(bodies, 'error.recorded').filter(({ node }) => node === 'build_node');
  assert.is(errors.length, visits.length);
  for (const { data } of errors) assert.match(data.error.message, /zlib\.h/);
});

test('a command killed for memory is tried again by one job at a time and the plan keeps that', () => {
  const script: Script = {
    runCommand: ({ command }) => (/-j1\b/.test(command as string) ? undefined : failed('', 137)),
  };
  const { run, bodies } = drive(script);
  const retry = only(bodies, 'build.heuristicApplied').find(({ data }) => data.seed === 18);
  assert.ok(retry);
  assert.is(only(bodies, 'build.planChanged').length, 1);
  assert.match(run.state?.buildPlan?.phases.at(-1)?.commands.join() ?? '', /-j1/);
});

test('a part of a chained command is never taken for the whole from the cache', () => {
  const { bodies } = drive();
  for (const { data } of only(bodies, 'build.commandFinished'))
    assert.ok(data.cacheKey !== '' || data.ran !== data.command);
  const state = projectAll(bodies);
  assert.not.ok('' in (state?.commandResultsCache ?? {}));
});

test('[B5] an effect that could not be done is left to the wrapper, in every waiting state', () => {
  for (const name of ['runCommand', 'installPackages'] as const) {
    const { bodies } = drive({ [name]: () => failure('sandboxLost', 'gone') });
    assert.is(only(bodies, 'actor.crashed')[0]?.data.node, 'build_node');
  }
  const probing = drive({
    scanRepository: () => ({ output: scanOf('autotools') }),
    probeTree: () => failure('internal'),
  });
  assert.is(only(probing.bodies, 'actor.crashed')[0]?.data.node, 'build_node');
});

test('[X1] a source with another build system is built by that one on a clean tree, for one attempt', () => {
  const cmake = scanOf('cmake').buildSystem;
  const autotools = { ...cmake, type: 'autotools' as const, confidence: 0.85, primaryFile: 'configure' };
  const weak = { ...cmake, type: 'meson' as const, confidence: 0.3 };
  const scan = { ...scanOf('cmake'), candidates: [cmake, weak, autotools] };
  const script: Script = {
    scanRepository: () => ({ output: scan }),
    probeTree: ({ queries }) => ({
      output: { answers: Object.fromEntries((queries as string[]).map((query) => [query, true])) },
    }),
    runCommand: ({ command }) =>
      /cmake/.test(command as string) ? failed('CMake Error: Cannot find source file: x.rc') : undefined,
  };
  const { run, bodies } = drive(script);
  assert.is(run.outcome?.verdict, 'verified');
  assert.is(run.state?.attemptCount, 1);
  assert.is(run.state?.buildPlan?.buildSystem, 'autotools');
  const [fix] = run.state?.fixesAttempted ?? [];
  assert.is(fix?.strategy, 'build by autotools');
  assert.is(fix?.success, true);
  assert.ok(ranCommands(bodies).includes('git clean -xfdq'));
  // Each system is tried once: with both failing the run ends at its attempts.
  const both = drive({ ...script, runCommand: () => failed('configure: error: no') });
  assert.is(only(both.bodies, 'fix.planReplaced').length, 1);
  assert.is(both.run.outcome?.exitCode, 1);
});

test('the commands that ran are kept in order for the recipe', () => {
  const { run } = drive({ scanRepository: () => ({ output: scanOf('cmake') }) });
  const phases = run.state?.x.buildLog.map((line) => line.phase) ?? [];
  assert.equal(
    [...new Set(phases)],
    run.state?.buildPlan?.phases.map((phase) => phase.name),
  );
});

test.run();
