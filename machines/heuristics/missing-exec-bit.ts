import { pathIn, segmentFolders } from '../shell/folder.ts';
import { mapSegments } from '../shell/segments.ts';
import { programOf } from '../shell/words.ts';
import type { Answers, Rewrite } from './types.ts';

/** Scripts of the source that the command starts directly, by segment index. */
function scriptsOf(command: string): Map<number, string> {
  const scripts = new Map<number, string>();
  segmentFolders(command).forEach(({ segment, folder }, index) => {
    const name = programOf(segment.text)?.name ?? '';
    if (folder === null || !/^\.{1,2}\/[\w./+-]+$/.test(name)) return;
    const path = pathIn(folder, name);
    if (!path.startsWith('..') && !path.startsWith('/')) scripts.set(index, path);
  });
  return scripts;
}

const lacksBit = (path: string, answers: Answers): boolean =>
  answers[`executable:${path}`] === false && answers[`exists:${path}`] === true;

/** The interpreter that the script's first line names; null when it names one that is no shell. */
function interpreterOf(text: boolean | string | string[] | null | undefined): string | null {
  if (typeof text !== 'string') return 'sh';
  const match = /^#!\s*(\S+)(?:[ \t]+(\S+))?/.exec(text);
  if (match === null) return 'sh';
  const name = (match[1] as string).endsWith('/env') ? match[2] : (match[1] as string).replace(/^.*\//, '');
  return /^(ba|da|z|k)?sh$/.test(name ?? '')
    ? (name as string)
    : /^(perl|python3?)$/.test(name ?? '')
      ? (name as string)
      : null;
}

export const missingExecBit: Rewrite = {
  id: 'script.missing-exec-bit',
  seed: null,
  because:
    'Archives and checkouts lose the executable bit of scripts; "Permission denied" is then no blocker.',
  kind: 'rewrite',
  limit: 'each run',
  changesPlan: false,
  needs: (command) =>
    [...scriptsOf(command).values()].flatMap((path) => [
      `exists:${path}`,
      `executable:${path}`,
      `read:${path}`,
    ]),
  when: (command, { answers }) => [...scriptsOf(command).values()].some((path) => lacksBit(path, answers)),
  act: (command, { answers }) => {
    const scripts = scriptsOf(command);
    return mapSegments(command, ({ text }, index) => {
      const path = scripts.get(index);
      if (path === undefined || !lacksBit(path, answers)) return null;
      const interpreter = interpreterOf(answers[`read:${path}`]);
      const start = programOf(text)?.start ?? 0;
      return interpreter === null ? null : `${text.slice(0, start)}${interpreter} ${text.slice(start)}`;
    });
  },
  examples: [
    {
      command: './configure --prefix=/usr',
      answers: { 'exists:configure': true, 'executable:configure': false, 'read:configure': '#! /bin/sh\n' },
      expect: 'sh ./configure --prefix=/usr',
    },
    {
      command: 'cd src && CC=gcc ./build.sh',
      answers: {
        'exists:src/build.sh': true,
        'executable:src/build.sh': false,
        'read:src/build.sh': '#!/usr/bin/env bash\n',
      },
      expect: 'cd src && CC=gcc bash ./build.sh',
    },
    {
      command: './Configure linux-generic64',
      answers: {
        'exists:Configure': true,
        'executable:Configure': false,
        'read:Configure': '#! /usr/bin/env perl\n',
      },
      expect: 'perl ./Configure linux-generic64',
    },
  ],
  nearMisses: [
    { command: './configure', answers: { 'exists:configure': true, 'executable:configure': true } },
    { command: './configure', answers: { 'exists:configure': false, 'executable:configure': false } },
    { command: './configure' },
    { command: 'sh ./configure', answers: { 'exists:configure': true, 'executable:configure': false } },
    {
      command: './tool',
      answers: { 'exists:tool': true, 'executable:tool': false, 'read:tool': '#!/usr/bin/env ruby\n' },
    },
    { command: '/opt/x/run', answers: { 'exists:opt/x/run': true, 'executable:opt/x/run': false } },
  ],
};
