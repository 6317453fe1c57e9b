import { toolPackages } from '../../seeds/tool-packages.debian.ts';
import { packagesOf } from '../package-names.ts';
import { installAndRetry } from './install-and-retry.ts';
import { allGroups, outputText } from './output.ts';
import type { Failure } from './types.ts';

/** A shell, make, env or a tool of autotools says that a program is not there. */
const absent = [
  /(?:^|: )([\w+.-]+): (?:command )?not found$/gm, // bash: X: command not found; sh: 1: X: not found
  /^make(?:\[\d+\])?: ([\w+.-]+): No such file or directory$/gm,
  /env: [‘'`]([\w+.-]+)['’]: No such file or directory/g,
  /Can't exec "([\w+.-]+)"/g, // autoreconf's Perl
  /Program '?([\w+.-]+)'? (?:not found|found: NO)/g, // meson
  /awk: .*: function (gensub|strftime|strtonum|systime) never defined/g, // mawk where GNU awk is meant
];

const toolsOf = ({ result }: Failure): string[] => {
  const text = outputText(result);
  const names = absent.flatMap((pattern) => allGroups(text, pattern));
  return [
    ...new Set(names.map((name) => (/^(gensub|strftime|strtonum|systime)$/.test(name) ? 'gawk' : name))),
  ];
};

const packagesFor = (failure: Failure): string[] => [
  ...new Set(
    toolsOf(failure).flatMap((tool) => {
      const canonical = Object.hasOwn(toolPackages, tool) ? toolPackages[tool] : undefined;
      return canonical === undefined ? [] : packagesOf(canonical);
    }),
  ),
];

export const missingTool = installAndRetry('tool', packagesFor, {
  id: 'tool.missing',
  seed: null,
  because: 'A program that the build calls is not installed (the seed has this for git alone, its rule 20).',
  examples: [
    {
      command: 'make',
      output: '/bin/sh: 1: bison: not found\nmake: *** [Makefile:9: parse.c] Error 127',
      expect: [{ install: ['bison'] }, { retry: 'make' }],
    },
    {
      command: './build.sh',
      output: './build.sh: line 3: cmake: command not found',
      expect: [{ install: ['cmake'] }, { retry: './build.sh' }],
    },
    {
      command: 'make',
      output:
        'mawk: ./lig.awk: line 44: function gensub never defined\nmake[1]: *** [Makefile:971: x] Error 2',
      expect: [{ install: ['gawk'] }, { retry: 'make' }],
    },
    {
      command: 'autoreconf -fi',
      output:
        'Can\'t exec "autopoint": No such file or directory at /usr/share/autoconf/Autom4te/FileUtils.pm',
      expect: [{ install: ['autopoint', 'gettext'] }, { retry: 'autoreconf -fi' }],
    },
  ],
  nearMisses: [
    { command: 'make', output: 'sh: 1: riscv64-linux-gnu-gcc: not found' },
    { command: './configure', output: 'configure: error: uint64_t and int64_t not found' },
    { command: 'make', output: 'sh: 1: frobnicate: not found' },
    { command: './configure', output: 'checking for bison... not found', exitCode: 0 },
  ],
});
