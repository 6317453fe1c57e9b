/** What the live view knows of a run: a fold over its events and its output. Pure. */
import type { AnyEvent } from '../../events/envelope.ts';
import { oneLine } from './format.ts';

export interface LiveModel {
  repoName: string;
  /** Nodes that were entered, in order; a node entered again at once counts up. */
  path: Array<{ node: string; times: number }>;
  /** Null outside of phases. */
  phase: { id: number; name: string } | null;
  phases: number;
  attempts: number;
  maxAttempts: number;
  /** What is being done now, and since when, epoch ms; null between effects. */
  doing: { effectId: string; text: string; since: number } | null;
  lastOutput: string;
  startedAt: number;
}

export const newLiveModel = (): LiveModel => ({
  repoName: '',
  path: [],
  phase: null,
  phases: 0,
  attempts: 0,
  maxAttempts: 0,
  doing: null,
  lastOutput: '',
  startedAt: 0,
});

/** What is said while an effect is under way. */
const doingTexts: Record<string, string> = {
  openSandbox: 'opening the sandbox',
  cloneRepository: 'fetching the source',
  scanRepository: 'reading the source',
  scanArtifacts: 'reading the outputs',
  runPackageTests: "running the package's tests",
  collectArtifacts: 'collecting the outputs',
  writeOutputs: 'writing report and recipe',
  closeSandbox: 'closing the sandbox',
  askModel: 'asking the model',
};

const doingText = (name: string, input: Record<string, unknown>): string => {
  if (typeof input.command === 'string' && input.command !== '')
    return `$ ${oneLine(input.command.split('\n')[0] ?? '')}`;
  return doingTexts[name] ?? name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
};

const enter = (path: LiveModel['path'], node: string): LiveModel['path'] => {
  const last = path.at(-1);
  return last?.node === node
    ? [...path.slice(0, -1), { node, times: last.times + 1 }]
    : [...path, { node, times: 1 }];
};

/** The model after one event. Changes nothing in place. */
export const withEvent = (model: LiveModel, event: AnyEvent): LiveModel => {
  switch (event.type) {
    case 'run.started':
      return {
        ...model,
        repoName: event.data.repoName,
        maxAttempts: event.data.maxAttempts,
        startedAt: event.at,
      };
    case 'actor.started':
      // The subgraph is where build, verify and fix happen; they say more.
      return event.data.node === 'build_fix_subgraph'
        ? model
        : { ...model, phase: null, path: enter(model.path, event.data.node) };
    case 'heuristicPlan.planWritten':
    case 'scout.planWritten':
    case 'cachedRecipe.planWritten':
    case 'fix.planReplaced':
      return { ...model, phases: event.data.plan.phases.length };
    case 'build.phaseStarted':
      return { ...model, phase: { id: event.data.phaseId, name: event.data.name } };
    case 'error.recorded':
      return { ...model, attempts: model.attempts + 1 };
    case 'effect.requested': {
      const text = doingText(event.data.name, event.data.input);
      return { ...model, lastOutput: '', doing: { effectId: event.id, text, since: event.at } };
    }
    case 'effect.succeeded':
    case 'effect.failed':
    case 'effect.expired':
    case 'effect.cancelled':
      return model.doing?.effectId === event.data.effectId
        ? { ...model, doing: null, lastOutput: '' }
        : model;
    default:
      return model;
  }
};

/** The model after a piece of output; blank pieces leave the last line standing. */
export const withOutput = (model: LiveModel, text: string): LiveModel => {
  const last = oneLine(text);
  return last.trim() === '' ? model : { ...model, lastOutput: last };
};
