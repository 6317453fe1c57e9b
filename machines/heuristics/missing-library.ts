import { toolPackages } from '../../seeds/tool-packages.debian.ts';
import { canonicalName, packagesOf } from '../package-names.ts';
import { installAndRetry } from './install-and-retry.ts';
import { allGroups, outputText } from './output.ts';
import type { Failure } from './types.ts';

/** How pkg-config, meson, CMake, configure scripts and the linker name a library that is not there. */
const named = [
  /No package '([\w.+-]+)' found/g,
  /Package '?([\w.+-]+)'?,? (?:was not found|required by '[^']*', not found)/g,
  /Dependency "?([\w.+-]+)"? not found/g,
  /^(?!-- ).*?Could NOT find (\w+)/gm, // a line with `-- ` tells of an optional one
  /package configuration file provided by "([\w.+-]+)"/g,
  /configure: error: [\w' ,]{0,40}?\b(lib[\w.+-]+|[\w.+-]+) (?:(?:library|headers?|devel\w*|dev|support|files?|packages?) )*(?:is |are |was |were )?(?:required|needed|missing|not found|not available)/gi,
  /configure: error: [\w' ,]{0,20}?(?:not|n't) find (?:the )?(lib[\w.+-]+|[\w.+-]+)/gi,
  /cannot find -l([\w.+-]+?):?(?:\s|$)/gm,
];
/** A program that a message calls "not found" is another rule's, and is often just a word (`file`, `patch`). */
const programs = new Set(Object.values(toolPackages));

const packagesFor = ({ result }: Failure): string[] => {
  const text = outputText(result);
  return named
    .flatMap((pattern) => allGroups(text, pattern))
    .flatMap((name) => canonicalName(name.replace(/\.$/, '')) ?? [])
    .filter((canonical) => !programs.has(canonical))
    .flatMap(packagesOf);
};

export const missingLibrary = installAndRetry('library', packagesFor, {
  id: 'library.missing',
  seed: null,
  because: 'A configure step looks for a library whose development package is not installed.',
  examples: [
    {
      command: './configure',
      output: 'configure: error: libpcap is required',
      expect: [{ install: ['libpcap-dev'] }, { retry: './configure' }],
    },
    {
      command: './configure',
      output: "Package requirements (zlib libxml-2.0 >= 2.9) were not met:\nNo package 'libxml-2.0' found",
      expect: [{ install: ['libxml2-dev'] }, { retry: './configure' }],
    },
    {
      command: 'meson setup builddir',
      output: 'meson.build:9:0: ERROR: Dependency "glib-2.0" not found, tried pkgconfig and cmake',
      expect: [{ install: ['libglib2.0-dev'] }, { retry: 'meson setup builddir' }],
    },
    {
      command: 'cd build && cmake ..',
      output: '  Could NOT find ZLIB (missing: ZLIB_LIBRARY ZLIB_INCLUDE_DIR)',
      expect: [{ install: ['zlib1g-dev'] }, { retry: 'cd build && cmake ..' }],
    },
    {
      command: 'make',
      output: '/usr/bin/ld: cannot find -lncursesw: No such file or directory',
      expect: [{ install: ['libncurses-dev'] }, { retry: 'make' }],
    },
    {
      command: './configure',
      output: 'configure: error: cannot find libusb-1.0',
      expect: [{ install: ['libusb-1.0-0-dev'] }, { retry: './configure' }],
    },
    {
      command: './configure',
      output: 'configure: error: libcurl devel support is missing',
      expect: [{ install: ['libcurl4-openssl-dev'] }, { retry: './configure' }],
    },
    {
      command: './configure',
      output: 'configure: error: Could not find lzo2 library - please install lzo-devel.',
      expect: [{ install: ['liblzo2-dev'] }, { retry: './configure' }],
    },
  ],
  nearMisses: [
    { command: './configure', output: 'configure: error: quad precision requires libquadmath' },
    { command: './configure', output: 'configure: error: source file not found' },
    { command: './configure', output: 'configure: error: uint64_t and int64_t not found' },
    { command: './configure', output: 'configure: error: C compiler cannot create executables' },
    { command: 'cmake .', output: 'Could NOT find Frobnicate (missing: FROB_LIBRARY)' },
    { command: 'cmake .', output: 'Could NOT find ZLIB (missing: ZLIB_LIBRARY)', exitCode: 0 },
    { command: 'cmake .', output: '-- Could NOT find ZLIB (missing: ZLIB_LIBRARY)\nCMake Error: x' },
    { command: 'make', output: '/usr/bin/ld: cannot find -lproject_private: No such file' },
  ],
});
