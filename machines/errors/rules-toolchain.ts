/** Tools that are too old or not there. */
import type { FailureRule } from './failure-rule.ts';

export const toolchainRules: readonly FailureRule[] = [
  {
    id: 'rust.too-old',
    category: 'MISSING_TOOLS',
    line: /feature `edition20\d\d` is required|not stabilized in this version of Cargo|requires rustc (?:version )?\d|requires rust version|rustc \d[\d.]* is not supported by|lock file version `?\d`? (?:requires|was found, but)/i,
    action:
      'install a newer Rust and Cargo, or hold the crate at a version that the installed one can build; do not edit the edition',
  },
  {
    id: 'go.too-old',
    category: 'MISSING_TOOLS',
    line: /go\.mod requires go >= ?\d|requires go >= ?\d|module requires Go \d|invalid go version '/i,
    action: 'install the Go version that go.mod asks for; do not lower it there',
  },
  {
    id: 'build-tool.too-old',
    category: 'MISSING_TOOLS',
    line: /CMake \d[\d.]* or higher is required|Meson version is \S+ but project requires|Autoconf version \d[\d.]* or higher is required|require Automake \d|bison .*too old|needs? (?:at least )?(?:GNU )?make \d/i,
    action: 'install a newer version of the tool',
  },
  {
    id: 'tool.cross-compiler',
    category: 'MISSING_TOOLS',
    line: /riscv\d+-\S*-(?:gcc|g\+\+|cc|c\+\+|clang|ld|ar|as)\S*: (?:command )?not found/,
    action: 'on riscv64 itself the plain compiler is the right one: set CC (and the cross prefix to nothing)',
  },
  {
    id: 'tool.function-of-another-awk',
    category: 'MISSING_TOOLS',
    line: /awk: .*function \w+ never defined/,
    action: 'the script needs GNU awk: install gawk',
  },
  {
    id: 'tool.no-compiler',
    category: 'MISSING_TOOLS',
    line: /can'?t find (?:a )?(?:Rust|C|C\+\+|Fortran|Go|D) compiler|no acceptable C\S* compiler found|No CMAKE_\w+_COMPILER could be found|Unknown compiler\(s\)|C(?:\+\+)? compiler cannot create executables/i,
    action: 'install the compiler that is asked for',
  },
  {
    id: 'tool.compiler-probe',
    category: 'MISSING_TOOLS',
    line: /error: .*\bu?int\d+_t\b.* not found/,
    action:
      'basic types are missed when the probe cannot compile: read config.log; most often the C++ compiler is not installed',
  },
  {
    id: 'tool.missing',
    category: 'MISSING_TOOLS',
    line: /: command not found|(?:^|: \d+: )[\w+./-]+: not found$|no such command|env: \S+: No such file|Can't exec "[^"]+"|^make(?:\[\d+\])?: [\w+.-]+: No such file|Program '?[\w+.-]+'? (?:not found|found: NO)|(?:is|are) (?:required|needed) but (?:missing|not (?:found|installed))|\bmissing (?:program|tool)\b/,
    unless: /\.h\b/,
    action: 'install the package that has this program',
  },
];
