/** The facts of the init node that need more than a line. Pure. */
import type { AgentState } from '../../events/agent-state.ts';
import type { AnyFact } from '../../events/envelope.ts';
import type { ErrorCategory, RepositoryScan } from '../../events/records.ts';
import { fact } from '../actor-kit.ts';
import type { EffectErrorCode, EffectFailure } from '../effects.ts';

/** Source: upstream facts §3.1, clone failure classifier. */
const cloneCategory: Partial<Record<EffectErrorCode, ErrorCategory>> = {
  sourceUnreachable: 'NETWORK',
  timedOut: 'NETWORK',
  denied: 'PERMISSION',
};

const actionOf: Partial<Record<EffectErrorCode, string>> = {
  sourceNotFound: 'check the name or the URL of the source',
  sourceUnreachable: 'check the network and the host of the source, then resume or port again',
  badSource: 'give an http(s) git URL, deb:NAME, orig:NAME or ./folder',
};

export function cloneFailedFacts(state: AgentState, failure: EffectFailure): AnyFact[] {
  const category = cloneCategory[failure.code] ?? 'CONFIGURATION';
  return [
    fact('error.recorded', {
      keepsLastError: false,
      error: {
        category,
        seedCategory: category,
        message: `The source ${state.x.source} could not be fetched: ${failure.message}`,
        severity: 'high',
        command: null,
        file: null,
        line: null,
        action: actionOf[failure.code] ?? null,
        signature: `${category}|clone ${failure.code}`,
      },
    }),
    fact('init.cloneFailed', { code: failure.code, message: failure.message }),
  ];
}

/** Build tools that the scan asks for by names that the base root does not have; told to the scout. */
export const missingToolsOf = (scan: RepositoryScan): string[] =>
  scan.dependencies.buildTools.filter((tool) => !toolsOfBaseRoot.includes(tool)).sort();

/** Source: the package list of the base root (sandbox/). */
const toolsOfBaseRoot = [
  'gcc',
  'g++',
  'make',
  'cmake',
  'ninja',
  'meson',
  'autotools',
  'autoconf',
  'automake',
  'libtool',
  'pkgconfig',
  'pkg-config',
  'git',
  'python3',
  'perl',
  'gettext',
];
