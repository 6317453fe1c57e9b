/** An engine with scripted effects, on real NATS and SQLite: each effect leaves a line in a file. */
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventBody } from '../../events/envelope.ts';
import { openLog } from '../../events/log.ts';
import type { EffectName } from '../../machines/effects.ts';
import type { OpenEffect } from '../../machines/hosted-run.ts';
import { createEngine } from '../../services/create-engine.ts';
import type { EffectContext, EffectHandlers } from '../../services/effects/handler.ts';
import { EffectError } from '../../services/effects/handler.ts';
import type { Engine, EngineOptions } from '../../services/engine.ts';
import { homeLayout } from '../../services/home.ts';
import { type Script, usualAnswer } from './scripted-run.ts';

/** An effect takes this long at least, ms: so that a kill finds some at work. */
export interface ScriptedOptions {
  script?: Script;
  effectMs?: number;
}

/** File in the data folder with one line an effect begun: its id and name. */
export const workFile = (home: string): string => join(home, 'work.txt');

const names = [
  'openSandbox',
  'cloneRepository',
  'scanRepository',
  'probeTree',
  'runCommand',
  'installPackages',
  'writeFile',
  'applyPatch',
  'scanArtifacts',
  'runPackageTests',
  'readRecipeCache',
  'writeRecipeCache',
  'saveExamples',
  'collectArtifacts',
  'writeOutputs',
  'closeSandbox',
] as const satisfies readonly EffectName[];

export function scriptedHandlers({ script = {}, effectMs = 0 }: ScriptedOptions): EffectHandlers {
  const counts: Partial<Record<EffectName, number>> = {};
  const handler = (name: EffectName) => async (input: Record<string, unknown>, context: EffectContext) => {
    appendFileSync(workFile(context.home), `${context.effectId} ${name}\n`);
    context.emit({ stream: 'stdout', text: `doing ${name}` });
    if (effectMs > 0) await waitFor(effectMs, context.signal);
    const count = counts[name] ?? 0;
    counts[name] = count + 1;
    const answer = script[name]?.(input, count) ?? usualAnswer({ name, input } as OpenEffect);
    if (answer === 'expire') return waitFor(neverMs, context.signal);
    if ('error' in answer) throw new EffectError(answer.error.code, answer.error.message, answer.error);
    return answer.output;
  };
  return Object.fromEntries(names.map((name) => [name, handler(name)])) as unknown as EffectHandlers;
}

/** Longer than any test. */
const neverMs = 600_000;

/** The effect's own work, which its signal ends. */
function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(new Error('stopped'));
    });
  });
}

export const openScripted = (options: EngineOptions, scripted: ScriptedOptions = {}): Promise<Engine> =>
  createEngine(options, { handlers: scriptedHandlers(scripted), drivers: () => [] });

export function tempHome(): { home: string; remove: () => void } {
  const home = mkdtempSync(join(tmpdir(), 'atesor-engine-'));
  return { home, remove: () => rmSync(home, { recursive: true, force: true }) };
}

/** The events of a run as they are on disk. */
export function eventsOf(home: string, runId: string): EventBody[] {
  const log = openLog(homeLayout(home).log, { readonly: true });
  try {
    return [...log.readBodies(runId)];
  } finally {
    log.close();
  }
}

/** Ids of processes whose command line or environment names the folder: nothing may be left of a data folder. */
export function processesOf(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => {
      try {
        return ['cmdline', 'environ'].some((file) =>
          readFileSync(`/proc/${name}/${file}`, 'utf8').includes(folder),
        );
      } catch {
        return false; // it ended meanwhile
      }
    });
}
