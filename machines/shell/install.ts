/** Recognises Debian package installations among shell commands. */
import { programOf } from './words.ts';

export type Install = { kind: 'update' } | { kind: 'install'; names: string[] };

/** Options of apt that take the next word as their value. Source: apt-get(8). */
const optionsWithValue = [
  '-o',
  '--option',
  '-c',
  '--config-file',
  '-t',
  '--target-release',
  '-a',
  '--host-architecture',
];

/**
 * What one command (no chain) installs; null when it is no `apt-get`/`apt` `update` or `install`. Flags,
 * redirections and versions (`name=1.2`, `name/suite`) are no names; `sudo` and assignments before it are skipped.
 */
export function installOf(command: string): Install | null {
  const program = programOf(command);
  if (program === null || !/^(\/usr\/bin\/)?apt(-get)?$/.test(program.name)) return null;
  const plain: string[] = [];
  const args = program.args.map((word) => word.value);
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] as string;
    if (/^(\d*[<>]|&>)/.test(word)) {
      // A redirection; its file is the next word when it stands apart.
      if (/^(\d*(<|>>?)|&>>?)$/.test(word)) at += 1;
    } else if (optionsWithValue.includes(word)) at += 1;
    else if (!word.startsWith('-')) plain.push(word);
  }
  const [verb, ...names] = plain;
  if (verb === 'update') return { kind: 'update' };
  if (verb !== 'install') return null;
  return { kind: 'install', names: names.map(nameOf).filter((name) => packageName.test(name)) };
}

/** Source: Debian policy §5.6.1. */
const packageName = /^[a-z0-9][a-z0-9+.-]+$/;

const nameOf = (word: string): string => word.replace(/[=/].*$/, '').replace(/:[a-z0-9]+$/, '');
