/** What a phase may touch: network, user, time and environment, by the phase's name and the command. */
import { segmentsOf } from '../shell/segments.ts';
import { baseName, programOf } from '../shell/words.ts';

export interface PhasePolicy {
  network: 'off' | 'fetch';
  user: 'builder' | 'root';
  timeoutMs: number;
  env: Record<string, string>;
}

/** Limit of one build command, ms. Source: upstream facts §6.1, 1,800 s for every command. */
export const commandTimeoutMs = 1_800_000;

/** Phases that fetch. All others have no network, so what they build is built from what was fetched. */
const fetchPhases = new Set(['setup', 'fetch', 'prepare', 'download', 'dependencies']);

const common: Readonly<Record<string, string>> = {
  DEBIAN_FRONTEND: 'noninteractive',
  // A newer toolchain than the installed one is never downloaded behind the plan's back.
  GOTOOLCHAIN: 'local',
};

/** Without a network the tools must say what is missing instead of trying and waiting. */
const offline: Readonly<Record<string, string>> = {
  GOPROXY: 'off',
  CARGO_NET_OFFLINE: 'true',
  PIP_NO_INDEX: '1',
};

export function phasePolicy(phase: string, command: string): PhasePolicy {
  const network = fetchPhases.has(phase.toLowerCase()) ? 'fetch' : 'off';
  return {
    network,
    user: phase.toLowerCase() === 'install' || installsOutside(command) ? 'root' : 'builder',
    timeoutMs: commandTimeoutMs,
    env: network === 'off' ? { ...common, ...offline } : { ...common },
  };
}

/** `make install` and its like write outside the workspace, unless they are told a folder to write into. */
function installsOutside(command: string): boolean {
  return segmentsOf(command).some(({ text }) => {
    const program = programOf(text);
    if (program === null || /\bDESTDIR=\S/.test(text)) return false;
    const args = program.args.map((arg) => arg.value);
    const name = baseName(program.name);
    if (['make', 'gmake', 'ninja', 'samu'].includes(name))
      return args.some((arg) => /^install(-|$)/.test(arg));
    if (name === 'cmake')
      return args.includes('--install') && !args.some((arg) => arg.startsWith('--prefix'));
    if (name === 'meson') return args[0] === 'install' && !args.some((arg) => arg.startsWith('--destdir'));
    return name === 'ldconfig';
  });
}
