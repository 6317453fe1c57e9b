import { installAndRetry } from './install-and-retry.ts';
import { allGroups, outputText } from './output.ts';
import type { Failure } from './types.ts';

/** MakeMaker and Perl itself; `Can't locate a/b.pm in @INC (you may need to install the a::b module)`. */
const missing =
  /prerequisite ([A-Za-z]\w*(?:::\w+)*) \S+ not found|you may need to install the ([A-Za-z]\w*(?:::\w+)*) module/g;
/** Modules that come with Perl in Debian, or are the source's own test helpers. */
const ofPerl =
  /^(?:inc|lib|t|strict|warnings|utf8|POSIX|Config|Carp|Data::Dumper|File::\w+|Test::More)(?:::|$)/;

/** Source: Debian Perl policy §4.2: the module Foo::Bar is in the package libfoo-bar-perl. */
const packageOf = (module: string): string =>
  `lib${module.toLowerCase().replaceAll('::', '-').replaceAll('_', '-')}-perl`;

const packagesFor = ({ result }: Failure): string[] =>
  allGroups(outputText(result), missing)
    .filter((module) => !ofPerl.test(module))
    .map(packageOf);

export const missingPerlModule = installAndRetry('perl', packagesFor, {
  id: 'perl.missing-module',
  seed: null,
  because: 'A Perl module is not installed; Debian names its package after the module.',
  examples: [
    {
      command: 'make test',
      output: 'Warning: prerequisite B::COW 0.004 not found.\nmake: *** [Makefile:9: t] Error 255',
      expect: [{ install: ['libb-cow-perl'] }, { retry: 'make test' }],
    },
    {
      command: 'perl Makefile.PL',
      output:
        "Can't locate Types/Serialiser.pm in @INC (you may need to install the Types::Serialiser module) (@INC entries checked: /etc/perl)",
      expect: [{ install: ['libtypes-serialiser-perl'] }, { retry: 'perl Makefile.PL' }],
    },
  ],
  nearMisses: [
    {
      command: 'perl Makefile.PL',
      output: "Can't locate strict.pm (you may need to install the strict module)",
    },
    { command: 'perl Makefile.PL', output: 'you may need to install the inc::Module::Install module' },
    { command: 'make', output: 'prerequisite target not found' },
  ],
});
