/**
 * Picks the lines of a command's output that something can be decided on (design: long output). Pure and versioned:
 * a fold reads only what stands here, never the whole output.
 *
 * L1 at most 64 lines: the first 40 and the last 24, since the first error is the cause and the last the verdict.
 * L2 memory is bounded whatever the output: nothing is kept but those lines.
 */
import { stripVTControlCharacters } from 'node:util';
import type { OutputLine } from '../../events/records.ts';

/** Raised with each change of what is picked. */
export const lineExtractorVersion = 2;

const keptFirst = 40;
const keptLast = 24;
/** Source: the records' contract: text of at most 500 characters. */
const textCharsMax = 500;

/** A line is worth keeping when one of these is in it. */
const worth: readonly RegExp[] = [
  /\berror\b[:[ ]|\bERROR\b|\berrors? (?:generated|occurred)|^E: /i,
  /\bfatal\b/i,
  /\bfail(?:ed|ure) (?:with|to|while|in)\b|\bcould not\b/i,
  /undefined (?:reference|symbol)|unresolved external|multiple definition/i,
  /not found|no such file|cannot (?:find|open|locate|stat|execute|create|access|load|allocate|stat)\b|unable to (?:find|locate|open|fetch|execute)|could ?n[o']t (?:find|open|resolve|load|connect)/i,
  /permission denied|operation not permitted|read-only file system/i,
  /relocation|truncated to fit|(?:ABI|float|architecture) (?:is )?(?:in)?compatible|file format not recognized|wrong (?:ELF|format)|exec format error/i,
  /\bkilled\b|terminated|segmentation fault|illegal instruction|bus error|core dumped|internal compiler error|stack smashing|out of memory|virtual memory exhausted|std::bad_alloc/i,
  /timed? ?out|connection (?:refused|reset)|network is unreachable|temporary failure in name resolution|could not resolve|SSL|certificate/i,
  /no space left|disk quota|file too large/i,
  /unrecogni[sz]ed|unknown (?:option|argument|command|type|target|machine|architecture)|invalid (?:option|argument|instruction|configuration)|unsupported|not supported|unknown register|requires? (?:at least|version)|is required|missing\b|must be installed/i,
  /implicit declaration|incompatible types|conflicting types|undeclared|has no member|redefinition/i,
  /\bmake(?:\[\d+\])?: \*\*\*|\bninja: |FAILED:|CMake Error|configure: error|meson\.build:\d+:\d+: ERROR|error\[E\d+\]|panic|Traceback|ModuleNotFoundError|ImportError|KeyError/,
  /config\.(?:guess|sub): |failed to recognize|\w+ failed with errno|cannot guess build type|No enum constant|what arch|support for your arch/i,
  /requires (?:external|go|rustc|rust) |cannot be built because|never defined|not declared|n['o]t (?:be )?found|were not met/i,
  /rate limit|too many requests|\b(?:403|404|429|5\d\d)\b.*(?:http|forbidden|not found|too many|error)/i,
];

/** Lines that only look so: options, file names, checks that answer no. */
const dull =
  /^\s*(?:checking (?!.*config\.(?:guess|sub): )|-- (?:Looking for|Performing Test|Check)|\[\s*\d+%\] (?:Building|Linking)|(?:gcc|cc|g\+\+|c\+\+|ar|ranlib|libtool: (?:compile|link)|\/bin\/(?:sh|bash)) [^:]*$)/;

const tools: ReadonlyArray<[RegExp, string]> = [
  [/^(?:.*\/)?(?:g?make|gmake)(?:\[\d+\])?: /, 'make'],
  [/^ninja: |^FAILED: /, 'ninja'],
  [/^CMake (?:Error|Warning)|^-- Configuring incomplete/, 'cmake'],
  [/^configure(?:\.ac|\.in)?:|^\.\/configure: |^(?:\.\/)?configure: error/, 'configure'],
  [/^(?:aclocal|autoconf|automake|autoreconf|autoheader|libtoolize|autopoint)(?:-[\d.]+)?: /, 'autotools'],
  [/^libtool: /, 'libtool'],
  [/meson\.build:\d+|^(?:The )?Meson|^ERROR: .*(?:[Dd]ependency|[Pp]rogram|compiler)/, 'meson'],
  [/^error(?:\[E\d+\])?: |^warning: unused|^\s*-->|^error: could not compile|^cargo: /, 'cargo'],
  [/^(?:go|go: |go build|vet): |^# [\w./-]+$|\.go:\d+(?::\d+)?: /, 'go'],
  [/^E: |^W: |^apt(?:-get)?: |^dpkg(?:-\w+)?: /, 'apt'],
  [/^(?:pip|ERROR: (?:Could not|No matching|Failed building))/, 'pip'],
  [/^npm (?:ERR!|error)/, 'npm'],
  [/^Traceback|^\w*(?:Error|Exception): |^python3?: |^\s*File "/, 'python'],
  [
    /^(?:.*\/)?(?:[\w-]+-)?(?:ld|ld\.bfd|ld\.gold|ld\.lld|collect2)(?:: |\.real: )|undefined reference|relocation (?:R_|truncated)|^collect2: /,
    'ld',
  ],
  [/^(?:.*\/)?(?:[\w-]+-)?as: |Assembler messages|\.[sS]:\d+: (?:Error|Warning)/, 'as'],
  [/^(?:.*\/)?(?:[\w-]+-)?(?:ar|ranlib|nm|strip|objcopy): /, 'ar'],
  [
    /^(?:.*\/)?(?:[\w-]+-)?(?:gcc|cc|cc1|cc1plus|g\+\+|c\+\+|cpp|clang|clang\+\+|lto1)(?:-[\d.]+)?: |\.(?:c|cc|cpp|cxx|h|hh|hpp|m|S|inc|ipp|tcc)[:(]\d+(?::\d+)?[:)]/i,
    'gcc',
  ],
  [/^(?:fatal|git): |^remote: |^error: (?:RPC|pathspec)/, 'git'],
  [/^curl: \(\d+\)/, 'curl'],
  [/^wget: /, 'wget'],
  [/^qemu(?:-riscv64)?(?:-static)?: /, 'qemu'],
  [/^(?:\/bin\/)?(?:ba|da)?sh: |: line \d+: |: \d+: .*: (?:not found|Permission denied)/, 'sh'],
];

/** Who printed a line, or '' when it does not say. */
export function toolOf(line: string): string {
  for (const [pattern, tool] of tools) if (pattern.test(line)) return tool;
  return '';
}

/** All patterns of one kind in one search: most lines are passed by, and there can be a million. */
const joined = (flags: string): RegExp =>
  new RegExp(
    worth
      .filter((pattern) => pattern.flags === flags)
      .map(({ source }) => source)
      .join('|'),
    flags,
  );
const worthInAnyCase = joined('i');
const worthAsWritten = joined('');

export const isWorthDeciding = (line: string): boolean =>
  (worthInAnyCase.test(line) || worthAsWritten.test(line)) && !dull.test(line);

export interface LineExtractor {
  /** The next whole line of a stream, with or without its line end. */
  push(stream: 'stdout' | 'stderr', line: string): void;
  /** The lines picked, in the order they came. */
  lines(): OutputLine[];
}

export function makeLineExtractor(): LineExtractor {
  const first: OutputLine[] = [];
  const last: OutputLine[] = [];
  const counts = { stdout: 0, stderr: 0 };
  return {
    push(stream, raw) {
      counts[stream] += 1;
      // Far more than is kept: a pattern must not run over a megabyte in one line.
      const line = plainText(raw.slice(0, 4 * textCharsMax));
      if (!isWorthDeciding(line)) return;
      const picked = { line: counts[stream], stream, tool: toolOf(line), text: line.slice(0, textCharsMax) };
      if (first.length < keptFirst) first.push(picked);
      else {
        last.push(picked);
        if (last.length > keptLast) last.shift();
      }
    },
    lines: () => [...first, ...last],
  };
}

/** Without what was overwritten, colours, control characters and the line's end. */
const plainText = (line: string): string => {
  if (!control.test(line)) return line.trimEnd();
  return stripVTControlCharacters(line.replace(/\r?\n$/, ''))
    .replace(/^.*\r/, '')
    .replace(/(?!\t)\p{Cc}/gu, '')
    .trimEnd();
};

/** A control character that is neither tab nor the line's end. */
const control = /(?![\t\n])\p{Cc}/u;
