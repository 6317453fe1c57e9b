/** How one command enters the sandbox: bubblewrap's arguments, as data. */
import type { ExecSpec } from './driver.ts';
import { SandboxError } from './driver.ts';
import { mountPoint, resolvConf } from './holder.ts';
import { builderId } from './host-user.ts';

/** What a login on Debian would have, in the one language that every root has. */
export const baseEnvironment: Readonly<Record<string, string>> = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/workspace',
  LANG: 'C.UTF-8',
  LC_ALL: 'C.UTF-8',
  SHELL: '/bin/bash',
  TERM: 'dumb',
  // bash would set its own; an accelerated one would name the host
  HOSTTYPE: 'riscv64',
  MACHTYPE: 'riscv64-unknown-linux-gnu',
  DEBIAN_FRONTEND: 'noninteractive',
};

/** root inside has root's power over files of the sandbox, and none over the machine. */
const rootCapabilities = [
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'SETGID',
  'SETUID',
  'NET_BIND_SERVICE',
];

/** Arguments up to the command, to be read by bubblewrap from a file descriptor (so `ps` shows no environment). */
export function entryArguments(spec: Pick<ExecSpec, 'cwd' | 'env' | 'user' | 'network'>): string[] {
  const root = spec.user === 'root';
  const files = root
    ? ['--bind', mountPoint, '/']
    : // Every file has one owner on the host, so what the builder must not change is mounted read-only for it.
      [
        ...['--ro-bind', mountPoint, '/'],
        ...['/workspace', '/tmp', '/var/tmp'].flatMap((path) => ['--bind', `${mountPoint}${path}`, path]),
      ];
  const identity = root
    ? ['--uid', '0', '--gid', '0', ...rootCapabilities.flatMap((name) => ['--cap-add', `CAP_${name}`])]
    : ['--uid', String(builderId), '--gid', String(builderId)];
  const name = root ? 'root' : 'builder';
  const env = {
    ...baseEnvironment,
    USER: name,
    LOGNAME: name,
    // one user is mapped: archives that carry other owners could not be unpacked as root
    ...(root ? { TAR_OPTIONS: '--no-same-owner' } : {}),
    ...spec.env,
  };
  const argv = [
    ...files,
    ...['--proc', '/proc', '--ro-bind', '/proc/sys', '/proc/sys', '--dev', '/dev'],
    ...(spec.network === 'off' ? [] : ['--ro-bind', resolvConf, '/etc/resolv.conf']),
    ...['--unshare-user', ...identity],
    ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-net', '--unshare-cgroup-try'],
    ...['--hostname', 'riscv64', '--die-with-parent', '--new-session'],
    ...['--clearenv', ...Object.entries(env).flatMap(([key, value]) => ['--setenv', key, value])],
    ...['--chdir', spec.cwd],
  ];
  if (argv.some((one) => one.includes('\0')))
    throw new SandboxError('denied', 'a command, its folder and its environment cannot contain a NUL byte');
  return argv;
}
