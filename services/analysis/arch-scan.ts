/**
 * Places in the source that are written for one machine: eight categories with the triggers and limits of
 * upstream facts §3.5. Mended: what a condition, a target or a file's own name keeps to its architecture is no
 * reason for worry and counts as medium; comments do not count; one finding per file and category. Without
 * this nearly every C library with a fast path for one machine has three high findings and gets no plan.
 */
import type { ArchSpecificCode } from '../../events/records.ts';
import { archDispatch, hardcodedFlags, inlineAsm, intrinsicHeaders, staleAutotools } from './arch-rules.ts';
import { folderOf, nameOf } from './folders.ts';
import { isBuiltOn, nameFits } from './go-constraint.ts';
import type { TreeReader } from './tree-reader.ts';

/** Source: upstream facts §3.5. */
const findingsMax = 40;
const perCategoryMax = 8;
const snippetCharsMax = 160;

/** One file; generated tables are longer and have no branches. */
const fileBytesMax = 512 * 1024;
/** All files together: at about 100 MB/s this is a second. */
const totalBytesMax = 96 * 1024 * 1024;

/** Files and folders of one machine or system by their name: they are chosen by the build, or never built. */
const namedForOne =
  /(^|[/_.+-])(arm(v?\d\w*)?|aarch64|neon|x86(_64)?|amd64|i[3-6]86|sse\w*|avx\w*|mmx|ppc(64\w*)?|powerpc|altivec|s390x?|mips\w*|bfin|sparc\w*|win(32|64|dows)?|msvc\+*\w*|msdos|dos|os2|vms|amiga|atari|wasm)([/_.+-]|$)/i;

/** Not built for the product, so no reason for worry. */
const leftOut = /(^|\/)(\.github|docs?|examples?|node_modules|tests?|testdata|__pycache__|\.venv|debian)\//;
const sourceFile = /\.(c|cc|cpp|cxx|h|hh|hpp|hxx|inl)$/;
const assemblyFile = /\.(S|s|asm)$/;
const buildFile =
  /^(CMakeLists\.txt|meson\.build|configure\.ac|configure\.in|Makefile|makefile|GNUmakefile|build\.rs)$|\.(mk|cmake|am)$/;

export type Finding = Pick<ArchSpecificCode, 'line' | 'severity'> & { snippet: string };

const advice: Record<ArchSpecificCode['archType'], string> = {
  assembly_source: 'build the portable C version instead of this file on riscv64',
  stale_autotools:
    'take config.guess and config.sub from the system (autoreconf -fi, or copy them from automake)',
  arch_dispatch: 'add a branch for __riscv, or let riscv64 take the portable one',
  intrinsic_header: 'include this header on its own architecture only and use the portable code elsewhere',
  hardcoded_arch_flags: 'give this flag on its own architecture only',
  inline_asm: 'put the assembler under a condition on its architecture, with portable code beside it',
  go_build_constraints: 'add riscv64 to the constraint, or a file with portable code for it',
  go_arch_files: 'add a file with portable code that is built on riscv64',
};

const isGuarded = (file: string, archType: string): boolean =>
  archType !== 'stale_autotools' && namedForOne.test(file);

const rank = { critical: 0, high: 1, medium: 2, low: 3 };

/** Findings, the gravest first; at most 8 of a category and 40 in all. */
export async function scanArchitecture(tree: TreeReader): Promise<ArchSpecificCode[]> {
  const findings: ArchSpecificCode[] = [];
  const counts = new Map<string, number>();
  const add = (file: string, archType: ArchSpecificCode['archType'], found: Finding | null) => {
    const count = counts.get(archType) ?? 0;
    if (found === null || count >= perCategoryMax) return;
    counts.set(archType, count + 1);
    const codeSnippet = found.snippet.trim().slice(0, snippetCharsMax);
    const { line } = found;
    const severity = found.severity === 'high' && isGuarded(file, archType) ? 'medium' : found.severity;
    findings.push({ file, line, codeSnippet, archType, severity, suggestedFix: advice[archType] });
  };
  let budget = totalBytesMax;
  for (const { path, kind, size } of tree.entries) {
    if (kind !== 'file' || leftOut.test(path) || budget <= 0) continue;
    if (assemblyFile.test(path)) {
      if (!/risc-?v|rv64|rv32/i.test(path))
        add(path, 'assembly_source', { line: 1, severity: 'medium', snippet: path });
      continue;
    }
    const name = nameOf(path);
    const isSource = sourceFile.test(path);
    const isBuild = buildFile.test(name);
    const isGuess = name === 'config.guess' || name === 'config.sub';
    if (!isSource && !isBuild && !isGuess) continue;
    budget -= Math.min(size, fileBytesMax);
    const text = (await tree.read(path, fileBytesMax)) ?? '';
    if (isGuess) add(path, 'stale_autotools', staleAutotools(text));
    if (isBuild) add(path, 'hardcoded_arch_flags', hardcodedFlags(text));
    if (!isSource) continue;
    add(path, 'arch_dispatch', archDispatch(text));
    add(path, 'intrinsic_header', intrinsicHeaders(text));
    add(path, 'inline_asm', inlineAsm(text));
  }
  await scanGo(tree, add);
  return findings.sort((a, b) => rank[a.severity] - rank[b.severity]).slice(0, findingsMax);
}

/** Go tells by file names and constraints: built on amd64 or arm64, but not on riscv64. */
async function scanGo(
  tree: TreeReader,
  add: (file: string, type: ArchSpecificCode['archType'], found: Finding | null) => void,
): Promise<void> {
  const files = tree.entries.filter(
    ({ path, kind }) =>
      kind === 'file' && /\.go$/.test(path) && !/_test\.go$/.test(path) && !leftOut.test(path),
  );
  const folders = Map.groupBy(files.slice(0, 20_000), ({ path }) => folderOf(path));
  for (const [, inFolder] of folders) {
    let portable = false;
    let named: string | null = null;
    const excluded: Array<{ path: string; line: number; snippet: string }> = [];
    for (const { path } of inFolder) {
      const head = (await tree.read(path, 16 * 1024)) ?? '';
      if (isBuiltOn(path, head, 'riscv64')) portable = true;
      else if (isBuiltOn(path, head, 'amd64') || isBuiltOn(path, head, 'arm64')) {
        if (nameFits(path, 'riscv64')) excluded.push({ path, ...constraintLine(head) });
        else named ??= path;
      }
    }
    for (const { path, line, snippet } of excluded) {
      add(path, 'go_build_constraints', { line, snippet, severity: 'medium' });
    }
    if (named !== null && !portable)
      add(named, 'go_arch_files', { line: 1, snippet: named, severity: 'medium' });
  }
}

function constraintLine(text: string): { line: number; snippet: string } {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => /^\/\/\s*(go:build|\+build)/.test(line));
  return { line: at + 1, snippet: lines[at] ?? '' };
}
