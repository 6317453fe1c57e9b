/** What git's words about a failed fetch mean. */
import { EffectError } from '../effects/handler.ts';
import { type HostResult, isDiskFull } from './host-command.ts';

export type FetchFault = 'notFound' | 'needsLogin' | 'unreachable' | 'timedOut' | 'diskFull' | 'dumbServer';

const faultWords: Array<[FetchFault, RegExp]> = [
  ['dumbServer', /dumb http transport does not support/i],
  // Words of upstream facts §3.1; GitHub answers 401 for a repository that does not exist.
  [
    'needsLogin',
    /could not read (username|password)|authentication failed|403 forbidden|401 unauthorized|error: 40[13]|access denied|terminal prompts disabled|no such device or address/i,
  ],
  [
    'notFound',
    /repository .* not found|not found|not valid: is this a git repository|error: 4(04|10)|does not appear to be a git/i,
  ],
  [
    'unreachable',
    /could not resolve|name or service not known|failed to connect|connection (refused|reset|timed out)|couldn't connect|network is unreachable|no route to host|timed out|ssl|tls|certificate|operation too slow|error: 5\d\d|early eof|hung up|empty reply/i,
  ],
];

/** Reads why git could not fetch; `unreachable` when its words are not known. */
export function fetchFault(result: HostResult): FetchFault {
  if (isDiskFull(result.stderr)) return 'diskFull';
  if (result.timedOut) return 'timedOut';
  return faultWords.find(([, words]) => words.test(result.stderr))?.[0] ?? 'unreachable';
}

/** The error of an effect for it, with the address tried and git's last line. */
export function fetchError(fault: FetchFault, url: string, result: HostResult): EffectError {
  const said = lastLine(result.stderr);
  switch (fault) {
    case 'diskFull':
      return new EffectError('diskFull', `no space left while fetching ${url}: ${said}`);
    case 'notFound':
      return new EffectError('sourceNotFound', `there is no git repository at ${url}: ${said}`);
    case 'needsLogin':
      return new EffectError(
        'sourceUnreachable',
        `${url} asks for a login: it does not exist, or it is private (GIT_TOKEN gives access on GitHub): ${said}`,
        { retryable: true },
      );
    case 'timedOut':
      return new EffectError('sourceUnreachable', `fetching ${url} did not end in time`, { retryable: true });
    default:
      return new EffectError('sourceUnreachable', `${url} cannot be reached: ${said}`, { retryable: true });
  }
}

function lastLine(text: string): string {
  const lines = text.split(/[\r\n]+/).filter((line) => line.trim() !== '');
  const fatal = lines.findLast((line) => /^(fatal|error):/.test(line));
  return (fatal ?? lines.at(-1) ?? 'git said nothing').slice(0, 300);
}
