import { outputText } from './output.ts';
import type { Failure, Retry } from './types.ts';

const unknownMachine =
  /config\.guess: unable to guess system type|cannot guess build type; you must specify one|(?:invalid configuration|machine) [`'‘]riscv64[^\n]*not recognized|config\.sub: .*riscv64[^\n]*not recognized|config\.guess.* has failed to recognize/i;

/** Where Debian keeps current copies: autotools-dev, libtool, automake. */
const refresh =
  'for n in config.guess config.sub; do ' +
  'for s in /usr/share/misc/$n /usr/share/libtool/build-aux/$n /usr/share/automake-*/$n; do [ -f "$s" ] && break; done; ' +
  'find . -name $n -type f -exec cp -f "$s" {} \\; -exec chmod 755 {} \\; || exit 1; done';

export const staleConfigScripts: Retry = {
  id: 'autotools.stale-config-scripts',
  seed: null,
  because: 'config.guess and config.sub older than 2018 do not know riscv64; any newer copy replaces them.',
  kind: 'retry',
  limit: 'once per command',
  changesPlan: true,
  needs: () => ['find:config.guess', 'find:config.sub'],
  key: (failure) => `config-scripts:${failure.planned}`,
  when: ({ result }) => result.exitCode !== 0 && unknownMachine.test(outputText(result)),
  act: (failure: Failure) => {
    const found = (name: string): number => {
      const answer = failure.answers[`find:${name}`];
      return Array.isArray(answer) ? answer.length : 0;
    };
    if (found('config.guess') + found('config.sub') === 0) return null;
    return {
      steps: [{ run: refresh }, { retry: failure.command }],
      planCommand: `(${refresh}) && ${failure.command}`,
      loss: null,
    };
  },
  examples: [
    {
      command: './configure',
      output:
        'checking build system type... autoconf/config.guess: unable to guess system type\nconfigure: error: cannot guess build type; you must specify one',
      answers: { 'find:config.guess': ['autoconf/config.guess'], 'find:config.sub': ['autoconf/config.sub'] },
      expect: [{ run: refresh }, { retry: './configure' }],
      planCommand: `(${refresh}) && ./configure`,
    },
    {
      command: './configure --host=riscv64-linux-gnu',
      output: "Invalid configuration `riscv64-linux-gnu': machine `riscv64' not recognized",
      answers: { 'find:config.guess': [], 'find:config.sub': ['config.sub'] },
      expect: [{ run: refresh }, { retry: './configure --host=riscv64-linux-gnu' }],
    },
  ],
  nearMisses: [
    { command: './configure', output: 'configure: error: libpcap is required' },
    {
      command: './configure',
      output: 'configure: error: cannot guess build type; you must specify one',
      answers: { 'find:config.guess': [], 'find:config.sub': [] },
    },
    { command: './configure', output: 'checking build system type... riscv64-unknown-linux-gnu' },
  ],
};
