/** Checks a plan that somebody else wrote. Source: upstream facts §5.4. */
import type { BuildPlan } from '../../events/records.ts';
import { segmentsOf } from '../shell/segments.ts';
import { baseName, programOf } from '../shell/words.ts';
import { withoutTests } from './without-tests.ts';

export type PlanVerdict = { ok: true; plan: BuildPlan; removed: string[] } | { ok: false; reasons: string[] };

/**
 * Takes test commands out (they are run once, after verification, and gate nothing) and refuses what cannot
 * work: hidden failures of a build step, placeholders, paths outside the workspace, Go words as packages.
 */
export function validatePlan(plan: BuildPlan): PlanVerdict {
  const removed: string[] = [];
  const phases = plan.phases
    .map((phase) => ({
      ...phase,
      commands: phase.commands.flatMap((command) => {
        const kept = withoutTests(command);
        if (kept !== command) removed.push(command);
        return kept === '' ? [] : [kept];
      }),
    }))
    .filter((phase) => phase.commands.length > 0);
  const commands = phases.flatMap((phase) => phase.commands);
  if (commands.length === 0) {
    return {
      ok: false,
      reasons: [removed.length > 0 ? 'the plan has only tests' : 'the plan has no command'],
    };
  }
  const reasons = commands.flatMap((command) => faultsOf(command).map((fault) => `${fault}: ${command}`));
  if (reasons.length > 0) return { ok: false, reasons };
  return { ok: true, plan: { ...plan, phases }, removed };
}

const buildTools = new Set(
  'make gmake ninja samu cmake meson cargo go gcc g++ cc c++ autoreconf configure python3 pip pip3 npm'.split(
    ' ',
  ),
);
const harmless = new Set(['true', ':', 'echo', 'exit', 'printf']);
const goWords = new Set('mod build get install run test tool generate fmt vet'.split(' '));

function faultsOf(command: string): string[] {
  const faults: string[] = [];
  if (hidesFailure(command)) faults.push('hides the failure of a build step');
  if (/\/path\/to\/|your_username|example\.com/.test(command)) faults.push('has a placeholder');
  if (/riscv64-unknown-linux-gnu-(gcc|g\+\+)/.test(command))
    faults.push('calls a cross compiler on riscv64 itself');
  if (/\/home\//.test(command) && !command.includes('/workspace/')) faults.push('names a home folder');
  if (/cd build &&/.test(command) && /-B build\b/.test(command)) faults.push('makes build inside build');
  if (installsGoWords(command)) faults.push('takes words of the go command for packages');
  return faults;
}

/** `make || true`, `make; true`, `make | cat`: the step fails and the plan goes on. */
function hidesFailure(command: string): boolean {
  const segments = segmentsOf(command);
  return segments.some((segment, index) => {
    const next = segments[index + 1];
    if (!startsBuildTool(segment.text)) return false;
    if (segment.after === '&') return true;
    if (next === undefined) return false;
    const program = programOf(next.text);
    const nextIsHarmless = program !== null && harmless.has(program.name) && !/^exit\s+[1-9]/.test(next.text);
    return ['||', ';', '\n'].includes(segment.after) && nextIsHarmless;
  });
}

function startsBuildTool(text: string): boolean {
  const program = programOf(text);
  return program !== null && buildTools.has(baseName(program.name));
}

function installsGoWords(command: string): boolean {
  return segmentsOf(command).some(({ text }) => {
    const program = programOf(text);
    if (program === null || !/^apt(-get)?$|^apk$/.test(program.name)) return false;
    const names = program.args.map((arg) => arg.value).filter((value) => !value.startsWith('-'));
    return ['install', 'add'].includes(names[0] ?? '') && names.slice(1).some((name) => goWords.has(name));
  });
}
