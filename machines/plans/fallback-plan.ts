/** The plan of the scout when no model can write one. Source: upstream facts §5.3. */
import type { BuildPlan, PackageAnalysis } from '../../events/records.ts';
import { chosenSystem, planForSystem } from './default-plan.ts';
import { type PlanFacts, type PlanOrigin, systemOf } from './facts.ts';
import { inModule, planOf } from './phases.ts';
import { installCommand, setupPackages } from './setup-packages.ts';
import { isPlanned, type PlannedSystem } from './system-phases.ts';

/** Source: upstream facts §5.3. */
const confidences: Readonly<Record<PlannedSystem, number>> = {
  go: 0.8,
  cmake: 0.7,
  make: 0.7,
  cargo: 0.8,
  meson: 0.7,
  autotools: 0.6,
};
const discoveryConfidence = 0.3;

/** Macros of the system's gettext over the source's own, when there is a folder for them. */
const gettextCopy =
  'if [ -d m4 ] && [ -d /usr/share/gettext/m4 ]; then cp /usr/share/gettext/m4/*.m4 m4/; fi';

export function fallbackPlan(
  facts: PlanFacts,
  analysis: PackageAnalysis | null,
  origin: PlanOrigin,
): BuildPlan {
  const { type } = chosenSystem(facts, analysis);
  if (!isPlanned(type)) return discoveryPlan(facts, analysis);
  const note = 'Written without a model: the usual way to build this system.';
  const plan = planForSystem(type, confidences[type], facts, analysis, origin, [note]);
  if (type !== 'autotools') return plan;
  const copy = inModule(systemOf(facts, type).moduleDir, gettextCopy);
  return {
    ...plan,
    phases: plan.phases.map((phase) =>
      phase.name === 'configure' ? { ...phase, commands: [copy, ...phase.commands] } : phase,
    ),
  };
}

/** Says what there is to build with, then tries the one thing that most sources without a system have: make. */
function discoveryPlan(facts: PlanFacts, analysis: PackageAnalysis | null): BuildPlan {
  const markers = [
    'configure',
    'CMakeLists.txt',
    'Makefile',
    'meson.build',
    'go.mod',
    'Cargo.toml',
    'setup.py',
  ];
  const setup = installCommand(setupPackages(['gcc', 'make'], facts, analysis));
  const look = `for f in ${markers.join(' ')}; do if [ -e "$f" ]; then ls -la "$f"; fi; done`;
  const search =
    'find . -maxdepth 2 \\( -name Makefile -o -name configure -o -name CMakeLists.txt -o -name "*.mk" \\) | head -20';
  return planOf(
    'unknown',
    discoveryConfidence,
    [
      { name: 'setup', commands: [setup] },
      { name: 'discover', commands: [look, search] },
      { name: 'build', commands: ['make -j$(nproc)'] },
    ],
    '5m',
    ['No build system was recognised.'],
  );
}
