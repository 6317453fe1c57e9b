/** What a port needs of this machine, and where it comes from. Data; `doctor` looks for it. */

export interface ProgramNeed {
  name: string;
  /** Names of the program, the first that exists is taken. */
  programs: readonly string[];
  /** Arguments that make it print its version; null where it has none. */
  versionArgs: readonly string[] | null;
  /** Debian and Ubuntu package. */
  apt: string;
  why: string;
  /** Oldest version that will do, as `2.9`; any when left out. */
  oldest?: string;
}

export const programNeeds: readonly ProgramNeed[] = [
  { name: 'git', programs: ['git'], versionArgs: ['--version'], apt: 'git', why: 'fetches sources' },
  {
    name: 'nats-server',
    programs: ['nats-server'],
    versionArgs: ['--version'],
    apt: 'nats-server',
    why: 'carries events and tasks',
    oldest: '2.9',
  },
  {
    name: 'qemu-user',
    programs: ['qemu-riscv64-static', 'qemu-riscv64'],
    versionArgs: ['--version'],
    apt: 'qemu-user-static',
    why: 'runs riscv64 programs',
  },
  {
    name: 'bubblewrap',
    programs: ['bwrap'],
    versionArgs: ['--version'],
    apt: 'bubblewrap',
    why: 'closes the sandbox',
  },
  {
    name: 'mmdebstrap',
    programs: ['mmdebstrap'],
    versionArgs: ['--version'],
    apt: 'mmdebstrap',
    why: 'makes the sandbox root',
  },
  {
    name: 'dpkg-source',
    programs: ['dpkg-source'],
    versionArgs: ['--version'],
    apt: 'dpkg-dev',
    why: 'unpacks Debian sources',
  },
  {
    name: 'slirp4netns',
    programs: ['slirp4netns'],
    versionArgs: ['--version'],
    apt: 'slirp4netns',
    why: 'network of phases that fetch',
  },
  {
    name: 'setpriv',
    programs: ['setpriv'],
    versionArgs: ['--version'],
    apt: 'util-linux',
    why: 'drops privileges',
  },
  { name: 'zstd', programs: ['zstd'], versionArgs: ['--version'], apt: 'zstd', why: 'unpacks sources' },
  { name: 'xz', programs: ['xz'], versionArgs: ['--version'], apt: 'xz-utils', why: 'unpacks sources' },
  { name: 'patch', programs: ['patch'], versionArgs: ['--version'], apt: 'patch', why: 'applies patches' },
];
