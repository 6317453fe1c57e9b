/** The one place where effects and sandbox drivers are put together. */
import type { EffectName } from '../machines/effects.ts';
import { createChrootDriver } from '../sandbox/chroot-driver.ts';
import { createEngine } from './create-engine.ts';
import { applyPatch } from './effects/apply-patch.ts';
import { cloneRepository } from './effects/clone-repository.ts';
import { closeSandbox } from './effects/close-sandbox.ts';
import { collectArtifacts } from './effects/collect-artifacts.ts';
import type { EffectHandlers } from './effects/handler.ts';
import { installPackages } from './effects/install-packages.ts';
import { openSandbox } from './effects/open-sandbox.ts';
import { probeTree } from './effects/probe-tree.ts';
import { readRecipeCache } from './effects/read-recipe-cache.ts';
import { runCommand } from './effects/run-command.ts';
import { runPackageTests } from './effects/run-package-tests.ts';
import { saveExamples } from './effects/save-examples.ts';
import { scanArtifacts } from './effects/scan-artifacts.ts';
import { scanRepository } from './effects/scan-repository.ts';
import { writeFile } from './effects/write-file.ts';
import { writeOutputs } from './effects/write-outputs.ts';
import { writeRecipeCache } from './effects/write-recipe-cache.ts';
import type { Engine, EngineOptions } from './engine.ts';

/** Every effect has its handler: a missing one does not compile. */
const handlers: EffectHandlers = {
  openSandbox,
  cloneRepository,
  scanRepository,
  probeTree,
  runCommand,
  installPackages,
  writeFile,
  applyPatch,
  scanArtifacts,
  runPackageTests,
  readRecipeCache,
  writeRecipeCache,
  saveExamples,
  collectArtifacts,
  writeOutputs,
  closeSandbox,
} satisfies Record<EffectName, unknown>;

/**
 * Opens the engine of a data folder: hosts it, or follows the process that does.
 * @throws EngineError `homeUnwritable`, `diskFull`, `natsMissing`, `natsUnusable`, `hostUnreachable`; LogError
 */
export const openEngine = (options: EngineOptions): Promise<Engine> =>
  createEngine(options, {
    handlers,
    drivers: (home) => [
      createChrootDriver({
        home: home.root,
        rootsDir: home.roots,
        layersDir: home.layers,
        runsDir: home.runs,
        ...(options.mirror ? { mirror: options.mirror } : {}),
      }),
    ],
  });
