import { bareHeaderNames, headerHints } from '../../seeds/header-hints.ts';
import { packagesOf } from '../package-names.ts';
import { installAndRetry } from './install-and-retry.ts';
import { allGroups, outputText } from './output.ts';
import type { Failure } from './types.ts';

/** GCC, clang, and configure scripts that name the header they miss. */
const missing =
  /fatal error: ([\w./+-]+\.(?:h|hh|hpp|hxx)): No such file|'([\w./+-]+\.(?:h|hh|hpp|hxx))' file not found|configure: error: (?:[\w' ,]* )?<?([\w./+-]+\.h)\b/g;
/** Headers of a compiler for another machine: no package has them. Source: seed, error taxonomy order 8. */
const ofAnotherMachine =
  /^(?:[a-z]*mmintrin|[a-z]*avx\w*intrin|cpuid|immintrin|x86intrin|intrin|arm_\w+|altivec|riscv_vector)\.h$|^sys\/(?:io|vm86|perm)\.h$|^asm\//;

/**
 * The packages that have a header; [] when the map does not know it. A header of the project itself is not
 * known to the map and so never a guess.
 */
export function packagesOfHeader(header: string): readonly string[] {
  if (ofAnotherMachine.test(header)) return [];
  const hinted = Object.keys(headerHints)
    .filter((key) => key === header || (key.endsWith('/') && header.startsWith(key)))
    .toSorted((a, b) => b.length - a.length)[0];
  if (hinted !== undefined) return packagesOf(headerHints[hinted] as string);
  // `png` in the hints is png.h at the top, or a folder png/; project/png.h is not known.
  const first = header.split('/', 1)[0]?.replace(/\.\w+$/, '') ?? '';
  const hint = Object.hasOwn(headerHints, first) ? headerHints[first] : undefined;
  const named = hint ?? [first, `lib${first}`].find((name) => bareHeaderNames.has(name));
  return named === undefined ? [] : packagesOf(named);
}

const packagesFor = ({ result }: Failure): string[] => [
  ...new Set(allGroups(outputText(result), missing).flatMap(packagesOfHeader)),
];

export const missingHeader = installAndRetry('header', packagesFor, {
  id: 'header.missing',
  seed: 13,
  because: 'The development package of a library is not installed.',
  examples: [
    {
      command: 'make',
      output: 'src/read.c:12:10: fatal error: png.h: No such file or directory\ncompilation terminated.',
      expect: [{ install: ['libpng-dev'] }, { retry: 'make' }],
    },
    {
      command: 'ninja -C builddir',
      output:
        "a.c:1:10: fatal error: 'ft2build.h' file not found\nb.c:1:10: fatal error: 'zlib.h' file not found",
      expect: [{ install: ['libfreetype-dev', 'zlib1g-dev'] }, { retry: 'ninja -C builddir' }],
    },
    {
      command: 'make',
      output: 'x.cpp:3:10: fatal error: boost/asio.hpp: No such file or directory',
      expect: [{ install: ['libboost-all-dev'] }, { retry: 'make' }],
    },
    {
      command: 'make',
      output: 'net.c:3:10: fatal error: openssl/ssl.h: No such file or directory',
      expect: [{ install: ['libssl-dev'] }, { retry: 'make' }],
    },
    {
      command: './configure',
      output: 'configure: error: Failed to locate snappy-c.h',
      expect: [{ install: ['libsnappy-dev'] }, { retry: './configure' }],
    },
    {
      command: './configure',
      output: "configure: error: Couldn't find or include bfd.h",
      expect: [{ install: ['binutils-dev'] }, { retry: './configure' }],
    },
    {
      command: './configure',
      output: 'configure: error: unable to find the slang library and header file slang.h',
      expect: [{ install: ['libslang2-dev'] }, { retry: './configure' }],
    },
  ],
  nearMisses: [
    { command: 'make', output: 'a.c:1:10: fatal error: immintrin.h: No such file or directory' },
    { command: 'make', output: 'a.c:1:10: fatal error: config.h: No such file or directory' },
    { command: 'make', output: 'a.c:1:10: fatal error: notify.h: No such file or directory' },
    { command: 'make', output: 'a.c:1:10: fatal error: file.h: No such file or directory' },
    { command: 'make', output: 'a.c:1:10: fatal error: toString: No such file or directory' },
    { command: 'make', output: 'a.c:1:10: fatal error: sys/io.h: No such file or directory' },
    { command: 'make', output: 'a.c:1:10: fatal error: internal/png.h: No such file or directory' },
    { command: 'make', output: 'a.c:1: warning: png.h is old' },
    { command: 'make', output: 'fatal error: png.h: No such file or directory', exitCode: 0 },
  ],
});
