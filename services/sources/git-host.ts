/** git on the host: no configuration of the user, no prompt, no hook, no transport but http(s). */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EffectError } from '../effects/handler.ts';
import { type HostResult, isDiskFull, runOnHost } from './host-command.ts';

export interface GitHost {
  /** Runs git; a non-zero exit is an answer. */
  try(args: string[], options?: GitOptions): Promise<HostResult>;
  /** Runs git and answers its standard output. @throws {EffectError} `diskFull`, `timedOut`, `internal` */
  run(args: string[], options?: GitOptions): Promise<string>;
}

export interface GitOptions {
  cwd?: string;
  /** Added to the environment. */
  env?: Record<string, string>;
  timeoutMs?: number;
  stdin?: string | Uint8Array;
  onStderr?: (text: string) => void;
}

/** For commands on local files, ms: adding and checking out 100,000 files took under 60 s on 2 cores. */
const localTimeoutMs = 300_000;

/** What of our own environment git, curl and apt get to see: how to reach the network, nothing else. */
const passedOn = [
  'PATH',
  'TMPDIR',
  'http_proxy',
  'https_proxy',
  'all_proxy',
  'no_proxy',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
  'GIT_SSL_CAINFO',
  'GIT_SSL_CAPATH',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'CURL_CA_BUNDLE',
];

/** The host's environment cut down to what reaches the network, in the C locale. */
export function hostEnv(extra: Record<string, string> = {}): Record<string, string> {
  const env: Record<string, string> = { LC_ALL: 'C', TZ: 'UTC' };
  for (const name of passedOn) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  return { ...env, ...extra };
}

/**
 * git with its home in `folder` (made when missing). Repositories that it makes take every file byte for
 * byte (`info/attributes` switches off line-end conversion, filters and keyword expansion), because what is
 * built must be what was published.
 */
export async function gitHost(folder: string, signal?: AbortSignal): Promise<GitHost> {
  const template = join(folder, 'git-template');
  await mkdir(join(template, 'info'), { recursive: true });
  await writeFile(
    join(template, 'info', 'attributes'),
    '* -text -eol -filter -ident -working-tree-encoding\n',
  );
  // Our own file and not the user's. A folder of another owner may be a source: its hooks never run, see below.
  const config = join(folder, 'git-config');
  await writeFile(config, '[safe]\n\tdirectory = *\n');
  const env = hostEnv({
    HOME: folder,
    GIT_CONFIG_GLOBAL: config,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TEMPLATE_DIR: template,
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
    SSH_ASKPASS: '/bin/false',
    GIT_ALLOW_PROTOCOL: 'http:https',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_ADVICE: '0',
  });
  const settings = [
    'core.hooksPath=/dev/null',
    'core.fsmonitor=false',
    'core.autocrlf=false',
    'core.fileMode=true',
    'gc.auto=0',
    'maintenance.auto=false',
    // A connection that gives under 1 kB/s for a minute is dead, not slow.
    'http.lowSpeedLimit=1000',
    'http.lowSpeedTime=60',
  ].flatMap((setting) => ['-c', setting]);

  const attempt: GitHost['try'] = (args, options = {}) =>
    runOnHost({
      argv: ['git', ...settings, ...args],
      env: { ...env, ...options.env },
      timeoutMs: options.timeoutMs ?? localTimeoutMs,
      signal,
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      ...(options.stdin === undefined ? {} : { stdin: options.stdin }),
      ...(options.onStderr === undefined ? {} : { onStderr: options.onStderr }),
    });
  return {
    try: attempt,
    async run(args, options) {
      const result = await attempt(args, options);
      if (result.exitCode === 0) return result.stdout;
      const said = result.stderr.trim().slice(-500);
      if (isDiskFull(result.stderr))
        throw new EffectError('diskFull', `git ${args[0]}: no space left: ${said}`);
      if (result.timedOut)
        throw new EffectError('timedOut', `git ${args[0]} did not end in time`, { retryable: true });
      throw new EffectError('internal', `git ${args[0]} ended with ${result.exitCode}: ${said}`);
    },
  };
}
