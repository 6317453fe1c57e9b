import { inFolder, leadingFolder, pathIn } from '../shell/folder.ts';
import { quoted } from '../shell/words.ts';
import { configureFolder, gettextSequence } from './configure-call.ts';
import type { Answers, Rewrite } from './types.ts';

/** In the seed's order; the last two are beyond it. */
const scripts = ['autogen.sh', 'buildconf', 'buildconf.sh', 'bootstrap', 'bootstrap.sh', 'autogen'];
const inputs = ['configure.ac', 'configure.in'];
const gettextMacro = 'm4/gettext.m4';

export const autotoolsBootstrap: Rewrite = {
  id: 'autotools.bootstrap',
  seed: 4,
  because: 'A source from version control has no configure script yet.',
  kind: 'rewrite',
  limit: 'each run',
  changesPlan: false,
  needs: (command) => {
    const folder = configureFolder(command);
    if (folder === null) return [];
    const files = ['configure', ...scripts, ...inputs, gettextMacro, 'Makefile.am', 'Makefile.in'];
    return [
      ...files.map((file) => `exists:${pathIn(folder, file)}`),
      ...scripts.map((file) => `read:${pathIn(folder, file)}`),
    ];
  },
  when: (command, { answers }) => {
    const folder = configureFolder(command);
    return folder !== null && answers[`exists:${pathIn(folder, 'configure')}`] === false;
  },
  act: (command, { answers }) => {
    const folder = configureFolder(command) ?? '';
    const bootstrap = bootstrapCommand(folder, answers);
    if (bootstrap === null) return command;
    const { folder: started, rest } = leadingFolder(command);
    // A build outside the source bootstraps the source's folder and then does what the plan said.
    if (folder === '') return `${bootstrap} && ${command}`;
    const grouped = bootstrap.includes('||') ? `(${bootstrap})` : bootstrap; // `cd x && a || b` would mask the cd
    return started === folder
      ? inFolder(folder, `${grouped} && ${rest}`)
      : `(${inFolder(folder, grouped)}) && ${command}`;
  },
  examples: [
    {
      command: './configure',
      answers: { 'exists:configure': false, 'exists:autogen.sh': true, 'exists:configure.ac': true },
      expect: 'NOCONFIGURE=1 sh autogen.sh && ./configure',
    },
    {
      command: './configure --disable-nls',
      answers: {
        'exists:configure': false,
        'exists:bootstrap': true,
        'read:bootstrap': '#!/usr/bin/env bash\nautoreconf -fi\n',
      },
      expect: 'NOCONFIGURE=1 bash bootstrap && ./configure --disable-nls',
    },
    {
      command: 'cd src && ./configure && make',
      answers: { 'exists:src/configure': false, 'exists:src/configure.ac': true },
      expect: 'cd src && autoreconf -fi && ./configure && make',
    },
    {
      command: 'mkdir -p build && cd build && ../configure',
      answers: { 'exists:configure': false, 'exists:configure.in': true },
      expect: 'autoreconf -fi && mkdir -p build && cd build && ../configure',
    },
    {
      command: 'mkdir -p build && cd build && ../src/configure',
      answers: { 'exists:src/configure': false, 'exists:src/configure.in': true },
      expect: '(cd src && autoreconf -fi) && mkdir -p build && cd build && ../src/configure',
    },
    {
      command: 'cd lib && ./configure',
      answers: {
        'exists:lib/configure': false,
        'exists:lib/configure.ac': true,
        'exists:lib/m4/gettext.m4': true,
      },
      expect: `cd lib && (${gettextSequence}) && ./configure`,
    },
    {
      command: './configure',
      answers: { 'exists:configure': false, 'exists:configure.ac': true, 'exists:m4/gettext.m4': true },
      expect: `${gettextSequence} && ./configure`,
    },
    {
      command: './configure',
      answers: {
        'exists:configure': false,
        'exists:configure.ac': true,
        'exists:m4/gettext.m4': true,
        'exists:Makefile.am': true,
        'exists:Makefile.in': false,
      },
      expect: `${gettextSequence} && AUTOPOINT=true autoreconf -fi && ./configure`,
    },
  ],
  nearMisses: [
    { command: './configure', answers: { 'exists:configure': true, 'exists:configure.ac': true } },
    { command: './configure', answers: { 'exists:configure': false } },
    { command: './configure' },
    { command: 'make', answers: { 'exists:configure': false, 'exists:configure.ac': true } },
    { command: 'echo ./configure', answers: { 'exists:configure': false, 'exists:configure.ac': true } },
  ],
};

function bootstrapCommand(folder: string, answers: Answers): string | null {
  const has = (file: string): boolean => answers[`exists:${pathIn(folder, file)}`] === true;
  const script = scripts.find(has);
  if (script !== undefined) {
    const text = answers[`read:${pathIn(folder, script)}`];
    const shell = typeof text === 'string' && /^#!.*\bbash\b/.test(text) ? 'bash' : 'sh';
    // NOCONFIGURE: scripts of the GNOME family run configure at their end unless told not to.
    return `NOCONFIGURE=1 ${shell} ${quoted(script)}`;
  }
  if (!inputs.some(has)) return null;
  if (!has(gettextMacro)) return 'autoreconf -fi';
  // The sequence makes only `configure`; a fresh checkout also lacks what automake makes.
  const needsAutomake = has('Makefile.am') && answers[`exists:${pathIn(folder, 'Makefile.in')}`] === false;
  return needsAutomake ? `${gettextSequence} && AUTOPOINT=true autoreconf -fi` : gettextSequence;
}
