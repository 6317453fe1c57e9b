/** Puts a plan together from what differs between build systems: each phase's name and commands. */
import type { BuildPhase, BuildPlan } from '../../events/records.ts';
import { inFolder } from '../shell/folder.ts';

export interface PhaseDraft {
  name: string;
  /** Each runs in a fresh shell at the root of the source. Empty phases are left out. */
  commands: string[];
  expectedDuration?: string;
}

export function planOf(
  buildSystem: string,
  confidence: number,
  drafts: readonly PhaseDraft[],
  totalEstimatedDuration: string,
  notes: readonly string[] = [],
): BuildPlan {
  const phases: BuildPhase[] = drafts
    .filter((draft) => draft.commands.length > 0)
    .map((draft, index) => ({
      id: index + 1,
      name: draft.name,
      commands: draft.commands,
      canParallelize: false,
      expectedDuration: draft.expectedDuration ?? '',
      requiredDependencies: [],
      successCriteria: 'every command exits with 0',
    }));
  return {
    buildSystem,
    buildSystemConfidence: confidence,
    phases,
    totalEstimatedDuration,
    notes: [...notes],
  };
}

/** The command in the project's own folder, where that is not the root of the source. */
export const inModule = (moduleDir: string, command: string): string =>
  inFolder(moduleDir === '.' ? '' : moduleDir, command);
