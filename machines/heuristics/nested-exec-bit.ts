import { quoted } from '../shell/words.ts';
import { allGroups, outputText } from './output.ts';
import type { Failure, Retry } from './types.ts';

/** `./mk.sh: Permission denied`, `/bin/sh: 1: ./mk.sh: Permission denied`, `bash: line 1: ./mk.sh: Permission denied`. */
const denied = /(?:^|[\s:])((?:\.{1,2}\/|\/workspace\/)[\w./+-]+): Permission denied/gm;
/** Shell exit code of a file that could not be executed. Source: POSIX shell, exit status. */
const cannotExecute = 126;

const scriptsOf = ({ result }: Failure): string[] => {
  const text = outputText(result);
  if (result.exitCode !== cannotExecute && !/Error 126\b|error 126\b/.test(text)) return [];
  return allGroups(text, denied).slice(0, 8);
};

export const nestedExecBit: Retry = {
  id: 'script.nested-exec-bit',
  seed: null,
  because: 'A makefile starts a script that lost its executable bit; "Permission denied" is then no blocker.',
  kind: 'retry',
  limit: 'once per command',
  changesPlan: true,
  needs: () => [],
  key: (failure) => `exec-bit:${failure.planned}:${scriptsOf(failure).join(',')}`,
  when: (failure) => scriptsOf(failure).length > 0,
  act: (failure) => {
    // The message names the script relative to a folder that it does not name: find it by its name.
    const names = [...new Set(scriptsOf(failure).map((path) => path.slice(path.lastIndexOf('/') + 1)))];
    const run = `find . -type f \\( ${names.map((name) => `-name ${quoted(name)}`).join(' -o ')} \\) -exec chmod +x {} +`;
    return {
      steps: [{ run }, { retry: failure.command }],
      planCommand: `${run} && ${failure.command}`,
      loss: null,
    };
  },
  examples: [
    {
      command: 'make -j4',
      output: '/bin/sh: 1: ./mkversion.sh: Permission denied\nmake: *** [Makefile:12: version.h] Error 126',
      exitCode: 2,
      expect: [
        { run: 'find . -type f \\( -name mkversion.sh \\) -exec chmod +x {} +' },
        { retry: 'make -j4' },
      ],
      planCommand: 'find . -type f \\( -name mkversion.sh \\) -exec chmod +x {} + && make -j4',
    },
    {
      command: 'make',
      output: 'bash: line 1: ../tools/gen: Permission denied',
      exitCode: 126,
      expect: [{ run: 'find . -type f \\( -name gen \\) -exec chmod +x {} +' }, { retry: 'make' }],
    },
  ],
  nearMisses: [
    {
      command: 'make install',
      output: "mkdir: cannot create directory '/usr/share/x': Permission denied",
      exitCode: 2,
    },
    { command: 'make', output: './gen: Permission denied', exitCode: 1 },
    { command: 'make', output: 'bash: ./bun: cannot execute binary file: Exec format error', exitCode: 126 },
  ],
};
