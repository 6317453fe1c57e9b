/** What a source assumes of another machine, whatever the message is dressed as. */
import type { FailureRule } from './failure-rule.ts';

const foreignFlag =
  '-m(?:64|32|sse[\\w.]*|avx\\w*|fma\\w*|pclmul|aes|popcnt|bmi2?|lzcnt|f16c|fpmath\\S*|arch=(?:native|x86\\S*|core\\S*|haswell|armv\\S*)|tune=\\S+|fpu=\\S+|float-abi=\\S+|no-sse\\S*|x32)';

export const architectureRules: readonly FailureRule[] = [
  {
    id: 'scripts.stale',
    category: 'CONFIGURATION',
    line: /config\.guess: unable to guess system type|cannot guess build type; you must specify one|(?:invalid configuration|machine) [`'‘]riscv64.*(?:not recognized|$)|config\.sub: .*riscv64/i,
    action:
      'replace every config.guess and config.sub in the tree by current copies (autotools-dev, automake), then configure again',
  },
  {
    id: 'arch.foreign-header',
    category: 'ARCHITECTURE',
    line: /\b(?:[a-z]*mmintrin|avx\w*intrin|x86intrin|immintrin|intrin0?|cpuid|arm_(?:neon|acle|sve)|altivec|riscv_vector|sys\/(?:io|vm86|perm))\.h\b|\basm\/(?:cpufeature|msr|i387|sigcontext)\S*\.h\b/,
    action:
      'the header belongs to a compiler for another machine and no package has it: guard it by the machine, or build without this code path, or use SIMDe',
  },
  {
    id: 'arch.foreign-builtin',
    category: 'ARCHITECTURE',
    line: /__builtin_(?:ia32|arm|neon|aarch64|altivec)_\w+/,
    action: 'intrinsics of another machine: guard them by the machine or go through SIMDe',
  },
  {
    id: 'arch.foreign-flag',
    category: 'ARCHITECTURE',
    line: new RegExp(
      `(?:unrecogni[sz]ed|unknown|unsupported|invalid)[^\\n]*(?:option|argument|value)[^\\n]*(?:${foreignFlag})|ISA string must begin with rv|first ISA subset must be|bad value \\S+ for \\S?-m(?:arch|tune|cpu)|unknown value '\\w+' for '?-m(?:arch|tune|cpu)|-march=\\S+ (?:is not|not) (?:supported|recogni[sz]ed)|unsupported option '${foreignFlag}`,
      'i',
    ),
    action:
      'take this machine flag out on riscv64, by the option of the build that sets it where there is one; check that a plain code path exists',
  },
  {
    id: 'arch.foreign-assembler',
    category: 'ARCHITECTURE',
    line: /impossible constraints? in ['‘`]?asm|['‘`]asm['’`] operand has impossible constraints|invalid instruction mnemonic|unknown mnemonic|unrecogni[sz]ed opcode|unsupported instruction|illegal instruction|invalid (?:output|input) constraint|unknown register name|bad register name|Error: (?:illegal operands|bad instruction|unknown pseudo-op)|unrecogni[sz]ed instruction/i,
    action: 'assembler of another machine: guard it and use C, or the RISC-V form, on riscv64',
  },
  {
    id: 'arch.registers',
    category: 'ARCHITECTURE',
    line: /mcontext_t\W.*no member|no member named ['‘]?(?:pc|ip|eip|rip|gregs|orig_(?:r|e)?ax|regs|uregs|arm_\w+)['’]?|REG_(?:E|R)(?:IP|SP|BP)\b|struct (?:pt_regs|user_regs(?:_struct)?)['’]? has no member|no member named \S+ in ['‘]?struct (?:pt_regs|user_regs\w*|ucontext|sigcontext)/,
    action:
      "registers of another machine: use riscv64's names (__gregs[REG_PC], epc) and not the compiler's suggestion, or leave the crash handler out",
  },
  {
    id: 'arch.no-branch',
    category: 'ARCHITECTURE',
    line: /unsupported (?:target )?(?:architecture|arch|platform|cpu|machine|processor)|(?:architecture|arch|platform|cpu|machine|processor|system)\b.{0,60}\b(?:is |are )?not (?:yet )?(?:supported|recogni[sz]ed|implemented|defined)|no (?:support for (?:this|your)|target) (?:architecture|arch|platform|cpu|machine|processor)|unknown (?:target )?(?:architecture|arch|platform|cpu|machine|processor)\b|(?:does not|doesn't) support (?:target|architecture|platform|this (?:architecture|platform))|must specify a \S+ target arch|what arch is this|add support for your (?:architecture|platform|cpu)|(?:could not|cannot|unable to) (?:detect|determine) (?:the )?(?:architecture|endian\w*|cpu type)|unsupported GOOS\/GOARCH/i,
    unless: /^checking |config\.(?:guess|sub)/,
    action:
      'the source has no branch for riscv64: add one, take a release that has it, or switch this part off; do not pretend to be another machine',
  },
  {
    id: 'arch.no-table-entry',
    category: 'ARCHITECTURE',
    line: /(?:KeyError|LookupError|IndexError|ValueError|NotImplementedError|No enum constant|unknown-platform)[^\n]*(?:riscv|RISCV|arch)|(?:KeyError|ValueError): ['"]riscv64['"]|build\.rs:\d+.*panicked|panicked at [^\n]*\bbuild\.rs\b/i,
    action:
      'a table of machines in the build lacks riscv64: add the entry, or step round the helper with the system’s tool',
  },
  {
    id: 'arch.no-prebuilt',
    category: 'ARCHITECTURE',
    line: /EBADPLATFORM|Unsupported platform for|(?:riscv64\S*[^\n]*(?:\b404\b|not found|no matching)|\b404\b[^\n]*riscv64)|no (?:prebuilt|binary|matching distribution)[^\n]*riscv|cannot execute binary file: Exec format error|Exec format error|wrong ELF class|file in wrong format|incompatible with elf64-littleriscv/i,
    unless: /config\.|dpkg|apt/,
    action:
      'no prebuilt file exists for riscv64 (or one for another machine was taken): build it from source or use the system’s; do not try the download again',
  },
  {
    id: 'arch.missing-runtime',
    category: 'ARCHITECTURE',
    line: /\blib(?:quadmath|mvec|ipp\w*|mkl\w*|svml)\b/,
    action: 'this library exists for other machines only: switch the feature off',
  },
  {
    id: 'arch.go-constraints',
    category: 'ARCHITECTURE',
    line: /build constraints exclude all Go files/i,
    action:
      'no file of this Go package builds on riscv64: add riscv64 to a portable file’s constraint, or build with the tag for the portable code',
  },
  {
    id: 'arch.error-directive',
    category: 'ARCHITECTURE',
    line: /#\s*error\b.*(?:arch|platform|processor|cpu|machine|endian|word size|pointer size)/i,
    action: 'the source stops at an unknown machine: add a branch for riscv64',
  },
];
