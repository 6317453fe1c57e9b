/**
 * The seed's 23 ordered rules over the lower-case text of a failure; the first match wins. Kept as they are,
 * with their known faults: `seedCategory` is what other versions of this system would have said.
 * Source: seed, error taxonomy; upstream facts §9.
 */
import type { ErrorCategory } from '../../events/records.ts';

export interface SeedRule {
  order: number;
  category: ErrorCategory;
  /** All must match. */
  all: readonly RegExp[];
}

export const seedRules: readonly SeedRule[] = [
  { order: 1, category: 'RATE_LIMIT', all: [/rate limit|too many requests|429|quota exceeded/] },
  {
    order: 2,
    category: 'DEPENDENCY',
    all: [
      /could not get lock \/var\/lib\/dpkg\/lock-frontend|could not get lock \S*\/lock|unable to lock database/,
    ],
  },
  {
    order: 3,
    category: 'DISK_SPACE',
    all: [
      /no space left|disk full|out of space|virtual memory exhausted|exit 137|exit code 137|exit status 137/,
    ],
  },
  {
    order: 4,
    category: 'NETWORK',
    all: [/exit (?:status|code) 124|exited with 124|timed out|command timeout/],
  },
  { order: 5, category: 'CONFIGURATION', all: [/repository '[^']*' not found/] },
  {
    order: 6,
    category: 'NETWORK',
    all: [
      /could not read username|could not read password|no such device or address|authentication failed|could not read from remote|network|connection|timeout|unreachable/,
    ],
  },
  {
    order: 7,
    category: 'CONFIGURATION',
    all: [
      /config\.guess: unable to guess system type|invalid configuration [`']riscv64|machine [`']riscv64[\s\S]*not recognized/,
      /config\.guess|config\.sub|configuration/,
    ],
  },
  {
    order: 8,
    category: 'ARCHITECTURE',
    all: [
      new RegExp(
        [
          'immintrin|xmmintrin|emmintrin|smmintrin|tmmintrin|avxintrin|cpuid\\.h|sys/io\\.h|asm/',
          '#error "?unsupported architecture|unsupported architecture|unsupported goos/goarch pair linux/riscv64',
          "build constraints exclude all go files|unknown value 'native' for -march|'asm' operand has impossible constraints",
          'invalid instruction mnemonic|unknown mnemonic|unrecognized opcode|unsupported instruction|illegal instruction',
          "(?:unrecognized|unknown|unsupported) command[- ]line option [`'‘]?-(?:m64|msse|mavx|mfma|march=native)",
          '\\barchitecture\\b|\\bsse\\d?\\b|\\bavx\\d*\\b|\\bneon\\b|\\bsimd\\b|\\bx86[-_]64\\b|\\bamd64\\b',
        ].join('|'),
      ),
    ],
  },
  {
    order: 9,
    category: 'LINKING',
    all: [
      /r_riscv_hi20|r_riscv_jal|relocation truncated to fit|__atomic_(?:fetch_add|compare_exchange|load|store)|undefined reference|multiple definition|linking error|linker|undefined symbol|cannot find -l|ld returned|collect2: error/,
    ],
  },
  { order: 10, category: 'DEPENDENCY', all: [/cmake error/, /could not find \w+/] },
  {
    order: 11,
    category: 'DEPENDENCY',
    all: [
      /no package '[^']*' found|package not found|missing dependency|failed to select a version|unable to select packages|no such package|unable to locate package|broken packages|has no installation candidate/,
    ],
  },
  {
    order: 12,
    category: 'MISSING_TOOLS',
    all: [/command not found|no such command|cmake: not found|make: not found|ninja: not found/],
  },
  {
    order: 13,
    category: 'CONFIGURATION',
    all: [
      /possibly undefined macro|macro not found in library|autoconf failed|autoreconf: error|aclocal: not found/,
    ],
  },
  { order: 14, category: 'CONFIGURATION', all: [/configure/, /syntax error/] },
  {
    order: 15,
    category: 'COMPILATION',
    all: [
      /error\[e\d{4}\]|could not compile|compilation error|syntax error|parse error|undeclared|implicit declaration|path_max unset|fortified realpath/,
    ],
  },
  {
    order: 16,
    category: 'CONFIGURATION',
    all: [
      /configure error|cmake error|configure: error|unsupported option|invalid argument|unrecognized option|no go files in|no go source files|no buildable go source files|no rule to make target|no makefile found|cannot find main module|no required module provides|directory prefix \. does not contain main module|build output|already exists and is a directory|inconsistent vendoring|does not appear to contain cmakelists\.txt/,
    ],
  },
  {
    order: 17,
    category: 'DEPENDENCY',
    all: [/cannot find|not found|no such file|module not found|import error|not installed/],
  },
  { order: 18, category: 'PERMISSION', all: [/permission denied|access denied|forbidden/] },
  { order: 19, category: 'DISK_SPACE', all: [/^\s*killed\s*$/m] },
  {
    order: 20,
    category: 'CONFIGURATION',
    all: [/keyerror|indexerror|attributeerror|typeerror|valueerror|importerror/],
  },
  {
    order: 21,
    category: 'CONFIGURATION',
    all: [/does not have any commits(?: yet)?|empty repository/],
  },
  {
    order: 22,
    category: 'MISSING_TOOLS',
    all: [
      /go\.mod requires go >=|requires go >=|running go |feature `edition2024` is required|not stabilized in this version of cargo|requires rustc |requires rust version|this package requires rustc/,
    ],
  },
];

/** The category that the seed's rules give a text; UNKNOWN (its rule 23) when none matches. */
export function seedCategory(text: string): ErrorCategory {
  const lower = text.toLowerCase();
  return seedRules.find((rule) => rule.all.every((pattern) => pattern.test(lower)))?.category ?? 'UNKNOWN';
}
