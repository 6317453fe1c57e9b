import { configScripts } from '../../seeds/config-scripts.ts';
import { canonicalName, packagesOf } from '../package-names.ts';
import { allGroups, outputText } from './output.ts';
import type { Failure, Retry, RetryStep } from './types.ts';

const absent = /checking for ([\w.]+-config)\.\.\. no\b|\b([\w.]+-config): (?:command )?not found/g;
/** Where the stand-ins are put, below the source: no plan command but the one that asked sees them. */
const folder = '.atesor-bin';

const scriptsOf = ({ result }: Failure): string[] =>
  allGroups(outputText(result), absent).filter((name) => Object.hasOwn(configScripts, name));

/** `--version` is the module's own, as the script's was; all other options are pkg-config's too. */
const standIn = (script: string): string =>
  `printf '#!/bin/sh\\n[ "$1" = --version ] && set -- --modversion\\nexec pkg-config "$@" ${configScripts[script]}\\n' > ${folder}/${script} && chmod 755 ${folder}/${script}`;

export const removedConfigScript: Retry = {
  id: 'autotools.removed-config-script',
  seed: null,
  because:
    'A configure script asks a program of the library that newer versions have replaced by pkg-config.',
  kind: 'retry',
  limit: 'once per command',
  changesPlan: true,
  needs: () => [],
  key: (failure) => `config-script:${failure.planned}:${scriptsOf(failure).join(',')}`,
  when: (failure) => failure.result.exitCode !== 0 && scriptsOf(failure).length > 0,
  act: (failure) => {
    const scripts = scriptsOf(failure);
    const packages = scripts.flatMap((script) => {
      const canonical = canonicalName(configScripts[script] as string);
      return canonical === null ? [] : packagesOf(canonical);
    });
    const run = [`mkdir -p ${folder}`, ...scripts.map(standIn)].join(' && ');
    const retry = `export PATH="$PWD/${folder}:$PATH" && ${failure.command}`;
    const install: RetryStep[] = [{ install: [...new Set([...packages, 'pkg-config'])] }];
    return { steps: [...install, { run }, { retry }], planCommand: `${run} && ${retry}`, loss: null };
  },
  examples: [
    {
      command: './configure',
      output: "checking for freetype-config... no\nFreetype library wan't found in your system!",
      expect: [
        { install: ['libfreetype-dev', 'pkg-config'] },
        { run: `mkdir -p ${folder} && ${standIn('freetype-config')}` },
        { retry: `export PATH="$PWD/${folder}:$PATH" && ./configure` },
      ],
    },
  ],
  nearMisses: [
    { command: './configure', output: 'checking for freetype-config... /usr/bin/freetype-config' },
    { command: './configure', output: 'checking for project-config... no\nconfigure: error: x' },
    { command: './configure', output: 'checking for freetype-config... no', exitCode: 0 },
  ],
};
