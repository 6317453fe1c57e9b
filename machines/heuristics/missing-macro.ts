import { macroPackages } from '../../seeds/macro-packages.debian.ts';
import { packagesOf } from '../package-names.ts';
import { installAndRetry } from './install-and-retry.ts';
import { allGroups, outputText } from './output.ts';
import type { Failure } from './types.ts';

/** autoconf, aclocal and a configure script in which a macro was left as it is. */
const undefinedMacro =
  /possibly undefined macro: (\w+)|macro [`'‘](\w+)['’] not found in library|undefined or overquoted macro: (\w+)|line \d+: ((?:PKG|AX|AM|AC|LT|IT)_\w+): command not found|syntax error near unexpected token [`'‘]?((?:PKG|AX|LT)_\w+)|line \d+: [`'‘]((?:PKG|AX|AM|LT)_\w+)\(/g;

const packagesFor = ({ result }: Failure): string[] =>
  allGroups(outputText(result), undefinedMacro).flatMap((macro) => {
    const known = Object.keys(macroPackages)
      .filter((prefix) => macro.startsWith(prefix))
      .toSorted((a, b) => b.length - a.length)[0];
    return known === undefined ? [] : packagesOf(macroPackages[known] as string);
  });

export const missingMacro = installAndRetry('macro', packagesFor, {
  id: 'autotools.missing-macro',
  seed: null,
  because: 'configure.ac uses a macro that another package brings.',
  examples: [
    {
      command: 'autoreconf -fi',
      output: 'configure.ac:14: error: possibly undefined macro: AM_GNU_GETTEXT',
      expect: [{ install: ['autopoint', 'gettext'] }, { retry: 'autoreconf -fi' }],
    },
    {
      command: 'autoreconf -fi && ./configure',
      output: "configure.ac:20: warning: macro 'AX_PTHREAD' not found in library",
      expect: [{ install: ['autoconf-archive'] }, { retry: 'autoreconf -fi && ./configure' }],
    },
    {
      command: './configure',
      output: './configure: line 3021: syntax error near unexpected token `PKG_CHECK_MODULES',
      expect: [{ install: ['pkg-config'] }, { retry: './configure' }],
    },
    {
      command: './configure',
      output:
        "./configure: line 9727: syntax error near unexpected token `libssl,'\n./configure: line 9727: `PKG_CHECK_MODULES(libssl, libssl)'",
      expect: [{ install: ['pkg-config'] }, { retry: './configure' }],
    },
  ],
  nearMisses: [
    { command: 'autoreconf -fi', output: 'error: possibly undefined macro: MY_OWN_MACRO' },
    { command: './configure', output: './configure: line 3: syntax error near unexpected token `)' },
  ],
});
