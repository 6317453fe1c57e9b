/** The phases after setup, per build system. Source: seed, default plans; meson and cargo are beyond it. */
import { hasFile, type PlanFacts, type PlanOrigin, systemOf } from './facts.ts';
import { goModulePath, goPhases } from './go-plan.ts';
import { inModule, type PhaseDraft } from './phases.ts';

export interface SystemPlan {
  /** Canonical names of the package map that the system always needs. */
  base: readonly string[];
  phases: PhaseDraft[];
  /** Unused by decisions; the seed's constants, ours for the systems beyond it. */
  estimated: string;
}

export const plannedSystems = ['cmake', 'make', 'autotools', 'go', 'meson', 'cargo'] as const;
export type PlannedSystem = (typeof plannedSystems)[number];

export const isPlanned = (system: string): system is PlannedSystem =>
  (plannedSystems as readonly string[]).includes(system);

export function systemPlan(system: PlannedSystem, facts: PlanFacts, origin: PlanOrigin): SystemPlan {
  const found = systemOf(facts, system);
  const here = (command: string): string => inModule(found.moduleDir, command);
  switch (system) {
    case 'cmake':
      return {
        base: ['cmake', 'gcc'],
        phases: [
          {
            name: 'configure',
            commands: [here('mkdir -p build && cd build && cmake .. -DCMAKE_BUILD_TYPE=Release')],
          },
          { name: 'build', commands: [here('cd build && make -j$(nproc)')] },
        ],
        estimated: '7m',
      };
    case 'make':
      return {
        base: ['gcc'],
        phases: [{ name: 'build', commands: [here('make -j$(nproc)')] }],
        estimated: '6m',
      };
    case 'autotools':
      return {
        base: ['gcc', 'autotools', 'pkgconfig'],
        phases: [
          { name: 'configure', commands: [here('./configure')] },
          { name: 'build', commands: [here('make -j$(nproc)')] },
        ],
        estimated: '9m',
      };
    case 'go':
      return {
        base: ['go', ...(facts.dependencies.libraries.length > 0 ? ['git'] : [])],
        phases: goPhases(facts, goModulePath(origin.source, origin.repoName)),
        estimated: '7m',
      };
    case 'meson':
      return {
        base: ['gcc', 'meson', 'ninja', 'pkgconfig'],
        phases: [
          {
            name: 'configure',
            // No download of subprojects: this phase has no network, and the plan must say what it fetches.
            commands: [here('meson setup builddir --buildtype=release --wrap-mode=nodownload')],
          },
          { name: 'build', commands: [here('ninja -C builddir')] },
        ],
        estimated: '6m',
      };
    case 'cargo': {
      const locked = hasFile(found, 'Cargo.lock') ? ' --locked' : '';
      const requires = facts.dependencies.libraries.length > 0;
      return {
        base: ['rust', 'gcc'],
        phases: [
          { name: 'fetch', commands: requires ? [here(`cargo fetch${locked}`)] : [] },
          { name: 'build', commands: [here(`cargo build --release --offline${locked}`)] },
        ],
        estimated: '15m',
      };
    }
  }
}
