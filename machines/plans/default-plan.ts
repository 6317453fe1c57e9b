/** The plan that needs no model, and the reasons for which it is not taken. Source: seed, heuristic planner. */
import type { BuildPlan, PackageAnalysis } from '../../events/records.ts';
import type { PlanFacts, PlanOrigin } from './facts.ts';
import { planOf } from './phases.ts';
import { installCommand, setupPackages } from './setup-packages.ts';
import { isPlanned, type PlannedSystem, plannedSystems, systemPlan } from './system-phases.ts';

/** Confidence below which a detection is no ground for a plan. Source: seed. */
const confidenceMin = 0.5;
/** High findings from which on a model should look at the source first. Source: seed. */
const highFindingsMax = 2;

/** The analyst's system replaces the detected one when it read the files, names one and is at least as sure. */
export function chosenSystem(
  facts: PlanFacts,
  analysis: PackageAnalysis | null,
): { type: string; confidence: number } {
  const detected = facts.buildSystem;
  const analysed =
    analysis?.llmGrounded === true &&
    analysis.buildSystem !== 'unknown' &&
    analysis.buildSystemConfidence >= detected.confidence;
  return analysed
    ? { type: analysis.buildSystem, confidence: analysis.buildSystemConfidence }
    : { type: detected.type, confidence: detected.confidence };
}

/** Why the default plan would not be safe; empty when it is. */
export function defaultPlanGates(facts: PlanFacts, analysis: PackageAnalysis | null): string[] {
  const { type, confidence } = chosenSystem(facts, analysis);
  const count = (severity: string): number =>
    facts.archFindings.filter((finding) => finding.severity === severity).length;
  const reasons: string[] = [];
  if (!isPlanned(type)) {
    reasons.push(
      `no default plan for build system ${type}; there are plans for ${plannedSystems.join(', ')}`,
    );
  }
  if (analysis?.needsCustomPlan && analysis.llmGrounded) reasons.push('the analyst asked for a custom plan');
  if (count('critical') > 0) reasons.push(`${count('critical')} critical architecture findings`);
  if (count('high') > highFindingsMax) {
    reasons.push(`${count('high')} high architecture findings, at most ${highFindingsMax} are allowed`);
  }
  if (confidence < confidenceMin) {
    reasons.push(`confidence ${confidence} in build system ${type}, at least ${confidenceMin} is needed`);
  }
  return reasons;
}

/** The default plan, or null where a gate is shut. */
export function defaultPlan(
  facts: PlanFacts,
  analysis: PackageAnalysis | null,
  origin: PlanOrigin,
): BuildPlan | null {
  if (defaultPlanGates(facts, analysis).length > 0) return null;
  const { type, confidence } = chosenSystem(facts, analysis);
  return isPlanned(type) ? planForSystem(type, confidence, facts, analysis, origin) : null;
}

/** The plan of a system, whatever the gates say. */
export function planForSystem(
  type: PlannedSystem,
  confidence: number,
  facts: PlanFacts,
  analysis: PackageAnalysis | null,
  origin: PlanOrigin,
  notes: readonly string[] = [],
): BuildPlan {
  const { base, phases, estimated } = systemPlan(type, facts, origin);
  const setup = { name: 'setup', commands: [installCommand(setupPackages(base, facts, analysis))] };
  return planOf(type, confidence, [setup, ...phases], estimated, notes);
}
