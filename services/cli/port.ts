/** `atesor port SOURCE`: builds a source for riscv64 and proves it. */
import { ulid } from 'ulid';
import type { EventDataByType } from '../../events/catalogue.ts';
import { sandboxKeyOf } from '../../machines/nodes/finish-facts.ts';
import { repoNameOf, sourceText } from '../../machines/source-name.ts';
import { homePath, openHome } from '../home.ts';
import { parseSource } from '../sources/parse-source.ts';
import { openEngine } from '../wire.ts';
import { cachedRecipeFor, withCachedRecipe } from './cached-recipe.ts';
import { type CommandLine, UsageError } from './command-line.ts';
import { engineOptions } from './engine-options.ts';
import { engineVersions } from './engine-versions.ts';
import { CliError } from './errors.ts';
import type { Terminal } from './terminal.ts';
import { watchRun } from './watch-run.ts';

/** Seconds that a package's tests may take. Source: upstream facts §1.4, ATESOR_PACKAGE_TEST_TIMEOUT. */
const packageTestTimeoutDefaultS = 600;

/** The only target so far (design §11). */
const platform = 'debian-riscv64';

const platformOf = (name: string): string => {
  if (['auto', 'debian', platform].includes(name)) return platform;
  if (['alpine', 'ubuntu'].includes(name))
    throw new CliError(`--platform ${name} is not supported yet; use debian, which is also what auto means`);
  throw new UsageError(`--platform takes auto or debian, not '${name}'`);
};

const packageTestTimeoutS = (env: NodeJS.ProcessEnv): number => {
  const text = env.ATESOR_PACKAGE_TEST_TIMEOUT;
  if (text === undefined || text === '') return packageTestTimeoutDefaultS;
  if (!/^\d{1,6}$/.test(text))
    throw new CliError(
      `ATESOR_PACKAGE_TEST_TIMEOUT takes whole seconds (0 leaves the tests out), not '${text}'`,
    );
  return Number(text);
};

export const portCommand = async (line: CommandLine, terminal: Terminal): Promise<number> => {
  const target = platformOf(line.platform);
  const testTimeoutS = packageTestTimeoutS(process.env);
  const source = await parseSource(line.operand);
  const home = openHome(homePath());
  const runId = ulid().toLowerCase();
  const sandboxKey = sandboxKeyOf({ x: { platform: target, strict: line.strict } });
  const cachedRecipe = line.force ? null : await cachedRecipeFor(source, sandboxKey, home, line.optimize);
  const started: EventDataByType['run.started'] = {
    source: sourceText(source),
    repoName: repoNameOf(source),
    platform: target,
    maxAttempts: line.maxAttempts,
    strict: line.strict,
    force: line.force,
    optimize: line.optimize,
    emulateCpu: line.emulateCpu,
    cachedRecipe,
    packageTestTimeoutS: testTimeoutS,
    engine: engineVersions(),
  };
  return watchRun({
    line,
    terminal,
    runId,
    open: (onNotice) => openEngine(engineOptions(home.root, process.env, onNotice)),
    begin: (engine) => engine.start(runId, started),
    // A run that the cache answers writes nothing itself: three events and the end.
    completed: (outcome) =>
      cachedRecipe === null || line.optimize
        ? outcome
        : withCachedRecipe(outcome, started.repoName, cachedRecipe, home),
  });
};
