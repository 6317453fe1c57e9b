/** What this machine has of what a port needs. Looks only: installs and changes nothing. */
import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, readFileSync, statfsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { homeLayout, homePath } from '../home.ts';
import { type ProgramNeed, programNeeds } from './needs.ts';

export interface Need {
  name: string;
  present: boolean;
  /** False for what only some ports need, or what atesor makes by itself. */
  required: boolean;
  /** What is there: a version, a path, a size; '' when nothing is. */
  version: string;
  /** The next step; '' when none is needed. */
  get: string;
}

/** A program that prints its version takes far less, ms. */
const versionTimeoutMs = 5_000;
/** A root (0.9 GB), a package layer and a build of middle size, bytes. Source: sandbox notes §2. */
const freeBytesWanted = 3 * 1024 ** 3;

const findProgram = (names: readonly string[]): string | null => {
  // Debian keeps servers where an ordinary user does not search.
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  for (const name of names)
    for (const folder of folders) {
      try {
        accessSync(join(folder, name), constants.X_OK);
        return join(folder, name);
      } catch {
        // Not in this folder.
      }
    }
  return null;
};

const versionOf = (program: string, args: readonly string[]): Promise<string> =>
  new Promise((resolve) => {
    execFile(
      program,
      [...args],
      { timeout: versionTimeoutMs, killSignal: 'SIGKILL' },
      (_, stdout, stderr) => {
        // A program that fails to say its version is present all the same.
        resolve(/\d+(\.\d+)+([\w.~+-]*\w)?/.exec(stdout || stderr)?.[0] ?? 'unknown version');
      },
    );
  });

/** Compares the numbers of dotted versions from the left; what is no number is not older. */
export const isOlder = (version: string, oldest: string): boolean => {
  const numbers = version.split('.').map(Number);
  for (const [i, wanted] of oldest.split('.').map(Number).entries()) {
    const there = numbers[i] ?? 0;
    if (Number.isNaN(there) || there > wanted) return false;
    if (there < wanted) return true;
  }
  return false;
};

const lookForProgram = async (need: ProgramNeed): Promise<Need> => {
  const program = findProgram(need.programs);
  const version = program === null ? '' : await versionOf(program, need.versionArgs ?? []);
  const tooOld = need.oldest !== undefined && program !== null && isOlder(version, need.oldest);
  return {
    name: need.name,
    present: program !== null && !tooOld,
    required: true,
    version,
    get:
      program === null
        ? `apt-get install ${need.apt}   (${need.why})`
        : tooOld
          ? `${need.oldest} or newer is needed: take ${need.apt} from a newer release   (${need.why})`
          : '',
  };
};

const nodeNeed = (): Need => ({
  name: 'node',
  present: true,
  required: true,
  version: process.versions.node,
  get: '',
});

/** The nearest folder of a path that exists: the data folder is made at the first port. */
const existing = (path: string): string => (existsSync(path) ? path : existing(dirname(path)));

const dataFolderNeed = (): Need => {
  const root = homePath();
  const folder = existing(root);
  let writable = true;
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch {
    writable = false;
  }
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const enough = free >= freeBytesWanted;
  const step = !writable
    ? 'set ATESOR_HOME to a folder that you may write'
    : enough
      ? ''
      : 'free some space (3 GB are wanted), or set ATESOR_HOME to a folder on a larger disk';
  return {
    name: 'data folder',
    present: writable && enough,
    required: true,
    version: `${root}, ${(free / 1024 ** 3).toFixed(1)} GB free`,
    get: step,
  };
};

const privilegeNeed = (): Need => {
  const root = process.getuid?.() === 0;
  return {
    name: 'privileges',
    present: root,
    required: true,
    version: root ? 'root' : `user ${process.getuid?.()}`,
    get: root ? '' : 'start atesor as root or with sudo: the sandbox mounts file systems',
  };
};

const overlayNeed = (): Need => {
  const known = readFileSync('/proc/filesystems', 'utf8').includes('\toverlay\n');
  return {
    name: 'overlayfs',
    present: known,
    required: true,
    version: known ? 'in the kernel' : '',
    get: known ? '' : 'modprobe overlay',
  };
};

const runs = (program: string, args: readonly string[]): Promise<boolean> =>
  new Promise((resolve) => {
    execFile(program, [...args], { timeout: versionTimeoutMs, killSignal: 'SIGKILL' }, (error) =>
      resolve(error === null),
    );
  });

/** Host user of the sandbox: any that is not root shows whether such a user may make namespaces. */
const ordinaryUser = '64000';

/** Ubuntu from 23.10 on, containers and chroots forbid what bubblewrap needs, though it is installed. */
const namespacesNeed = async (): Promise<Need> => {
  const enter = ['bwrap', '--unshare-user', '--unshare-pid', '--ro-bind', '/', '/', 'true'];
  const asOrdinary = [
    'setpriv',
    `--reuid=${ordinaryUser}`,
    `--regid=${ordinaryUser}`,
    '--clear-groups',
    '--',
  ];
  const [program = '', ...args] = process.getuid?.() === 0 ? [...asOrdinary, ...enter] : enter;
  const present = await runs(program, args);
  return {
    name: 'user namespaces',
    present,
    required: true,
    version: present ? 'allowed' : '',
    get: present
      ? ''
      : 'sysctl kernel.unprivileged_userns_clone=1 (Debian), kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu); a chroot cannot have them',
  };
};

/** Made by the first port, so its absence is nothing to mend. */
const sandboxRootNeed = (): Need => {
  const { roots } = homeLayout(homePath());
  const made = existsSync(roots)
    ? readdirSync(roots).filter((name) => existsSync(join(roots, name, 'manifest.json')))
    : [];
  return {
    name: 'sandbox root',
    present: made.length > 0,
    required: false,
    version: made.join(', '),
    get: made.length > 0 ? '' : 'made by the first port (2 to 5 minutes, 0.9 GB)',
  };
};

/** All needs, in the order in which they are told. Never throws: what cannot be found out is missing. */
export const needsOfMachine = async (): Promise<Need[]> => [
  nodeNeed(),
  ...(await Promise.all(programNeeds.map(lookForProgram))),
  overlayNeed(),
  await namespacesNeed(),
  privilegeNeed(),
  dataFolderNeed(),
  sandboxRootNeed(),
];
