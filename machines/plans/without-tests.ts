/** Takes a package's tests out of a command: they are run once, after verification, and gate nothing. */
import { mapSegments, segmentsOf } from '../shell/segments.ts';
import { baseName, type Program, programOf, type Word } from '../shell/words.ts';

/** The command without its test parts; '' when it did nothing else. */
export function withoutTests(command: string): string {
  const trimmed = mapSegments(command, ({ text }) => withoutTestTargets(text));
  const segments = segmentsOf(trimmed);
  if (!segments.some((segment) => isTest(segment.text))) return trimmed;
  const parts: Array<{ text: string; after: string }> = [];
  let skipsNext = false;
  segments.forEach((segment, index) => {
    // What stands behind `||` is for the failure of the test that is gone.
    const skipped = skipsNext;
    skipsNext = (isTest(segment.text) || skipped) && segment.after === '||';
    if (skipped || isTest(segment.text)) {
      const last = parts.at(-1);
      if (last !== undefined && !skipped) last.after = segment.after === '||' ? '' : last.after;
      return;
    }
    const next = segments[index + 1];
    parts.push({ text: segment.text, after: next ? trimmed.slice(segment.end, next.start) : '' });
  });
  const doesNothing = parts.every(({ text }) => programOf(text)?.name === 'cd');
  if (doesNothing) return '';
  return parts
    .map(({ text, after }, index) => (index < parts.length - 1 ? text + (after || ' && ') : text))
    .join('');
}

const makes = new Set(['make', 'gmake', 'ninja', 'samu']);
const testTarget = /^(check|test|tests|distcheck|installcheck)$/;
const optionsWithValue = new Set(['-C', '-f', '-j', '-l', '-I', '-o', '-W', '-k']);

function isTest(text: string): boolean {
  const program = programOf(text);
  if (program === null) return false;
  const name = baseName(program.name);
  if (['ctest', 'pytest', 'tox'].includes(name)) return true;
  if (['go', 'cargo', 'npm', 'meson'].includes(name)) {
    return program.args.find((arg) => !arg.value.startsWith('-'))?.value === 'test';
  }
  const targets = makes.has(name) ? targetsOf(program) : [];
  return targets.length > 0 && targets.every((target) => testTarget.test(target.value));
}

/** `make all check` → `make all`; null when there is nothing to take out, or nothing else. */
function withoutTestTargets(text: string): string | null {
  const program = programOf(text);
  if (program === null || !makes.has(baseName(program.name))) return null;
  const targets = targetsOf(program);
  const tests = targets.filter((target) => testTarget.test(target.value));
  if (tests.length === 0 || tests.length === targets.length) return null;
  return tests.reduceRight((rest, { start, end }) => rest.slice(0, start).trimEnd() + rest.slice(end), text);
}

function targetsOf(program: Program): Word[] {
  return program.args.filter(({ value }, index, args) => {
    const before = args[index - 1]?.value ?? '';
    return (
      !value.startsWith('-') &&
      !/^\w+[+:?]?=/.test(value) &&
      !/^\d*[<>]/.test(value) &&
      !optionsWithValue.has(before)
    );
  });
}
