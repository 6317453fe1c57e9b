/** Linking, what is not installed, configuration, the network, permissions, and the compiler itself. */
import type { FailureRule } from './failure-rule.ts';

export const buildRules: readonly FailureRule[] = [
  {
    id: 'go.pie-needs-cgo',
    category: 'CONFIGURATION',
    line: /-buildmode=pie requires external \(cgo\) linking/,
    action:
      'set CGO_ENABLED=1 and have a C compiler, or leave -buildmode=pie out; a makefile may set either itself',
  },
  {
    id: 'link.lto',
    category: 'LINKING',
    line: /\blto1: |\blto-wrapper: |linking module flags '|target specific builtin not\b|LLVM gold plugin|\bLTO\b.*(?:fail|error)/i,
    action: 'build without link-time optimisation',
  },
  {
    id: 'link.atomics',
    category: 'LINKING',
    line: /__atomic_(?:\w+)_?\d*\b/,
    action:
      'put -latomic at the end of the link line (LIBS, or the standard libraries of CMake; for cargo a link argument)',
  },
  {
    id: 'link.relocation',
    category: 'LINKING',
    line: /relocation truncated to fit|relocation R_RISCV_\w+|unresolvable R_RISCV_\w+|R_RISCV_(?:HI20|JAL|LO12\w*|CALL\w*|BRANCH)|dangerous relocation|recompile with -fPIC/,
    action: 'addresses are out of range: compile the objects and archives anew with -fPIC or -mcmodel=medany',
  },
  {
    id: 'library.not-installed',
    category: 'DEPENDENCY',
    line: /cannot find -l\S+|unable to find library -l/,
    action: 'install the development package of the library',
  },
  {
    id: 'link.undefined',
    category: 'LINKING',
    line: /undefined reference|undefined symbol|multiple definition|duplicate symbol|linking with `[^`]+` failed|ld returned \d+|collect2: error|linker command failed|final link failed|ld: error:|DSO missing from command line/,
    action: 'find which library or object defines the symbol, and where it stands on the link line',
  },
  {
    id: 'source.compiler-diagnostic',
    category: 'COMPILATION',
    line: /^\S+:\d+(?::\d+)?:? (?:fatal )?error: (?!.*(?:No such file|file not found))|error\[E\d{4}\]|static assertion failed|was not declared\b|conflicting types for/,
    action:
      'the compiler refuses the source: read the line; an older standard or a newer release of the package may be all it needs',
  },
  {
    id: 'packages.unavailable',
    category: 'DEPENDENCY',
    line: /unable to locate package|has no installation candidate|unable to select packages|no such package|broken packages|unmet dependencies|no matching package named|failed to select a version|could not find a version that satisfies/i,
    action:
      'the name is not in this system’s index, or an offline set lacks it: use the right name; asking the network again does not help',
  },
  {
    id: 'header.not-installed',
    category: 'DEPENDENCY',
    line: /fatal error: \S+\.(?:h|hh|hpp|hxx)\b.*(?:No such file|not found)|'\S+\.(?:h|hh|hpp|hxx)' file not found|cannot find (?:the )?header|[\w./]+\.h (?:is )?(?:missing|required)/i,
    action: 'install the development package that has this header',
  },
  {
    id: 'dependency.not-found',
    category: 'DEPENDENCY',
    line: /could not find (?:a package configuration file|a configuration file)|could not find \w+ \(missing|Could NOT find \w+|No package '[^']*' found|Package '?[\w.+-]+'?,? (?:required by|was not found|not found)|Dependency "?[\w.+-]+"? not found|dependency lookup for \S+ .* failed|none of the required|prerequisite \S+ \S+ not found|Can't locate \S+\.pm|No module named|ModuleNotFoundError|librar(?:y|ies)\b.{0,40}(?:not|n't) (?:be )?found|missing dependency|development (?:package|files|headers)/i,
    unless: /externally managed/,
    action: 'install the library or module that is named, with its development files',
  },
  {
    id: 'configure.library-required',
    category: 'DEPENDENCY',
    line: /\berror\b.{1,80}?(?:\blib\w+|\b(?:library|headers?|development)\b).{1,80}?(?:required|not found|missing|needed|not available|please install)|(?:configure|meson\S*): error: .{1,120}?\b(?:is|are) (?:required|missing|not installed)|configure: error: .{0,80}?[\w-]\.h\b|package requirements \(.*\) were not met/i,
    action: 'install the development package that is named and configure again',
  },
  {
    id: 'git.ownership',
    category: 'CONFIGURATION',
    line: /detected dubious ownership|error obtaining VCS status/,
    action: 'build with -buildvcs=false, or declare the folder safe to git',
  },
  {
    id: 'python.managed',
    category: 'CONFIGURATION',
    line: /externally[- ]managed/,
    action: 'install into a virtual environment, or take the system’s python3 package',
  },
  {
    id: 'node.old-hash',
    category: 'CONFIGURATION',
    line: /digital envelope routines::unsupported/,
    action: 'set NODE_OPTIONS=--openssl-legacy-provider, or use a newer bundler',
  },
  {
    id: 'flag.unknown',
    category: 'CONFIGURATION',
    line: /unrecogni[sz]ed command[- ]line option|unknown (?:argument|warning option)|unrecogni[sz]ed option|unsupported option|invalid option/i,
    action: 'this compiler has no such option: take it out where it is set, and configure again',
  },
  {
    id: 'autotools.macro',
    category: 'CONFIGURATION',
    line: /possibly undefined macro|macro not found in library|auto(?:conf|reconf|make)\b.*(?:error|failed)|required file '[^']+' not found|error: cannot find install-sh|AM_\w+: command not found/i,
    action: 'make the build scripts anew with the tools and macro packages installed',
  },
  {
    id: 'go.modules',
    category: 'CONFIGURATION',
    line: /no required module provides|missing go\.sum entry|inconsistent vendoring|cannot find main module|no Go files in|go\.mod file not found|updates to go\.(?:mod|sum) needed|module lookup disabled by GOPROXY=off|directory prefix \S+ does not contain/i,
    action:
      'fetch the modules in a phase that has a network (go mod download), or build in the folder of go.mod',
  },
  {
    id: 'make.no-rule',
    category: 'CONFIGURATION',
    line: /No rule to make target|no makefile found|missing separator|No targets specified|does not appear to contain CMakeLists\.txt|already exists and is a directory|ninja: error: loading|Nothing to be done for/i,
    unless: /Nothing to be done/,
    action: 'the build starts in the wrong place or before it is configured: look where the build file is',
  },
  {
    id: 'network.failed',
    category: 'NETWORK',
    line: /could not resolve (?:host|proxy)|temporary failure (?:in name resolution|resolving)|name or service not known|no such host|connection (?:refused|reset|timed out|closed)|network is unreachable|failed to connect to|RPC failed|remote end hung up|early EOF|TLS handshake timeout|i\/o timeout|operation timed out|could not read from remote|could not read (?:username|password)|authentication failed|failed to (?:download|fetch)\b|Direct fetching of that commit failed|returned error: 5\d\d|download of .* failed/i,
    action: 'try again later or from a mirror; a phase without network must not fetch',
  },
  {
    id: 'sandbox.nested',
    category: 'PERMISSION',
    line: /Creating new namespace failed|unshare\S*: .*(?:not permitted|failed)|bwrap: |setns.*not permitted/,
    action: 'a sandbox inside the sandbox cannot be made: switch that step off',
  },
  {
    id: 'script.exec-bit',
    category: 'CONFIGURATION',
    line: /(?:^|[\s:])\.{0,2}\/?(?:[\w.+-]+\/)*(?:[\w.+-]+\.(?:sh|py|pl|awk)|configure|autogen|bootstrap|[\w-]*config[\w-]*): Permission denied$/,
    action: 'the script lost its executable bit: set it, or start it through its shell',
  },
  {
    id: 'permission.denied',
    category: 'PERMISSION',
    line: /permission denied|operation not permitted|access denied|read-only file system|\bforbidden\b/i,
    action: 'write into the workspace (DESTDIR, a prefix of your own) and not into the system',
  },
  {
    id: 'source.diagnostic',
    category: 'COMPILATION',
    line: /(?:^|\s)(?:fatal )?error: |could not compile|compilation (?:error|failed|terminated)|syntax error|parse error|undeclared|implicit declaration|redefinition of|assertion .* failed/i,
    unless: /configure|autoreconf|cmake|No such file|not found|libtool/i,
    action:
      'the compiler refuses the source: read the line; an older standard or a newer release of the package may be all it needs',
  },
  {
    id: 'configure.failed',
    category: 'CONFIGURATION',
    line: /configure: error|CMake Error|meson\.build:\d+.*ERROR|invalid argument|\w+Error: |libtool: error|version mismatch/i,
    unless: /configure: error: in [`'‘]/, // the line after it says what
    action: 'read what the configuration says, and its log (config.log, CMakeError.log, meson-log.txt)',
  },
];
