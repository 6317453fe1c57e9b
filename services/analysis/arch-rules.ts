/** What in the text of one file is written for one machine. Each rule answers its gravest place, or null. */
import type { Finding } from './arch-scan.ts';

const archMacro =
  /\b(_MSC_VER|_WIN32|__WATCOMC__|__BORLANDC__|__x86_64(__)?|__amd64(__)?|__i[3-6]86(__)?|_M_X64|_M_IX86|_M_AMD64|__SSE[0-9_]*(__)?|__SSSE3__|__AVX[0-9A-Z_]*(__)?|__AES__|__PCLMUL__|__BMI2?__|__FMA__|__aarch64(__)?|__arm(__)?|__ARM_[A-Z0-9_]+|_M_ARM(64)?|\w*(SIMD|X86|x86|SSE|AVX|NEON|ARM64|AARCH64|AMD64)\w*)/;
const machineMacro =
  /\b(__x86_64(__)?|__amd64(__)?|__i386(__)?|_M_X64|_M_IX86|__aarch64(__)?|__arm(__)?|_M_ARM(64)?)\b/;

/** C text with comments blanked out, lines kept. */
export const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, (comment) => comment.replace(/[^\n]/g, ' '));

/**
 * For each line, whether a condition around it asks for an architecture or an instruction set, by its own
 * macro or by one that the file defines under such a condition.
 */
export function guardedLines(lines: readonly string[]): boolean[] {
  const derived = new Set<string>();
  const asks = (text: string) =>
    archMacro.test(text) || (text.match(/\b\w+\b/g) ?? []).some((word) => derived.has(word));
  const stack: boolean[] = [];
  return lines.map((line) => {
    const directive = /^\s*#\s*(if|ifdef|ifndef|elif|else|endif|define)\b(.*)$/.exec(line);
    if (directive) {
      const [, word = '', rest = ''] = directive;
      if (word === 'endif') stack.pop();
      else if (word === 'elif') stack.splice(-1, 1, asks(rest) || stack.at(-1) === true);
      else if (word === 'define' && stack.includes(true)) derived.add(/\w+/.exec(rest)?.[0] ?? '');
      else if (word.startsWith('if')) stack.push(asks(rest) && word !== 'ifndef');
    }
    return stack.includes(true);
  });
}

const intrinsics =
  /^\s*#\s*include\s*[<"](x86intrin|immintrin|[exptsnwa]mmintrin|mmintrin|avx2?intrin|cpuid|arm_neon|arm_acle|arm_sve)\.h[>"]/;

export function intrinsicHeaders(text: string): Finding | null {
  return gravest(text, (line) => intrinsics.test(line));
}

/**
 * Inline assembler. An empty one is a compiler barrier, and one that is only a name renames a symbol: both
 * are the same everywhere.
 */
export function inlineAsm(text: string): Finding | null {
  if (!/\basm\b|__asm/.test(text)) return null;
  return gravest(text, (line, at, lines) => {
    const call = /\b(?:__asm__|__asm|asm)\b(?:\s+|__volatile__|volatile|goto)*[({]\s*(.*)$/.exec(line);
    if (!call) return false;
    const body = call[1] === '' ? (lines[at + 1] ?? '').trim() : (call[1] ?? '');
    return !/^""\s*[:)]/.test(body) && !/^"[\w.$]*"\s*("[\w.$]*"\s*)?\)/.test(body);
  });
}

function gravest(
  text: string,
  fits: (line: string, at: number, lines: readonly string[]) => boolean,
): Finding | null {
  const lines = withoutComments(text).split('\n');
  let guarded: boolean[] | null = null;
  let found: Finding | null = null;
  for (const [at, line] of lines.entries()) {
    if (!fits(line, at, lines)) continue;
    guarded ??= guardedLines(lines);
    const severity = guarded[at] ? 'medium' : 'high';
    if (found === null || severity === 'high') found = { line: at + 1, severity, snippet: line };
    if (severity === 'high') break;
  }
  return found;
}

/** A file that chooses between machines and does not know ours; high when the last choice is an error. */
export function archDispatch(text: string): Finding | null {
  if (!machineMacro.test(text) || /__riscv\b|\bRISCV\b/i.test(text)) return null;
  const plain = withoutComments(text);
  const lines = plain.split('\n');
  const at = lines.findIndex((line) => /^\s*#\s*(el)?if/.test(line) && machineMacro.test(line));
  if (at < 0) return null;
  // Source: upstream facts §3.5: an #else with an #error within 800 characters.
  const rest = lines.slice(at).join('\n');
  const closed = /^\s*#\s*else\b[^\n]*\n(?:(?!^\s*#\s*(?:if|endif))[\s\S]){0,800}?^\s*#\s*error\b/m.test(
    rest,
  );
  return { line: at + 1, severity: closed ? 'high' : 'medium', snippet: lines[at] ?? '' };
}

const archFlag =
  /(?:^|[\s"'=,(;])(-msse[\w.]*|-mssse3|-mavx[\w]*|-mfma4?|-mpclmul|-maes|-mbmi2?|-mfpu=[\w-]*neon[\w-]*|-mfloat-abi=\w+|-m32|-m64|-m(?:arch|tune)=(?:native|x86-64[\w-]*|armv[\w.+-]*|i[3-6]86|core2|corei7|haswell|skylake[\w-]*|znver\d))(?=$|[\s"',);])/;

/** Opens and closes a condition in make, cmake, meson, shell and m4. */
const opens = /^\s*(if(eq|neq|def|ndef)?\b|elseif\b|case\b)/i;
const closes = /^\s*(endif\b|fi\b|esac\b)/i;
/** `all32: CFLAGS += -m32`, a call of make with other flags, a branch of `case`, an argument of a test macro. */
const onRequest =
  /^[^=]*[^:=+?]:[^:=]*\w+\s*[+:?]?=|\$[({]MAKE[)}]|^\s*[\w*?|.-]+\)\s|\b(check_\w+_flag|A[XCS]_\w+|has_\w*argument\w*|get_supported_arguments)\b/i;

/** A flag for one machine; medium where a condition or a target of its own decides whether it is given. */
export function hardcodedFlags(text: string): Finding | null {
  let found: Finding | null = null;
  let depth = 0;
  for (const [at, raw] of text.split('\n').entries()) {
    const line = raw.replace(/^\s*(#|dnl\b|\/\/).*$/, '').replace(/\s#\s.*$/, '');
    if (closes.test(line)) depth = Math.max(0, depth - 1);
    else if (opens.test(line) && !/\b(fi|esac)\s*$/.test(line) && !/^\s*elseif/i.test(line)) depth += 1;
    if (!archFlag.test(line)) continue;
    const severity = depth > 0 || onRequest.test(line) ? 'medium' : 'high';
    if (found === null || severity === 'high') found = { line: at + 1, severity, snippet: raw };
    if (severity === 'high') break;
  }
  return found;
}

/** riscv64 came into config.guess and config.sub in that month. Source: upstream facts §3.5. */
const riscvSince = '2018-02-22';

export function staleAutotools(text: string): Finding | null {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => /^timestamp=/.test(line));
  const date = /^timestamp=['"](\d{4}-\d{2}-\d{2})/.exec(lines[at] ?? '')?.[1];
  return date !== undefined && date < riscvSince
    ? { line: at + 1, severity: 'high', snippet: lines[at] ?? '' }
    : null;
}
