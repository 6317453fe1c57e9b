/** The base tree: Debian riscv64 with build tools, unpacked natively and then fixed up where scripts would. */
import {
  appendFile,
  chmod,
  copyFile,
  lstat,
  mkdir,
  readdir,
  readFile,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { type Alternative, alternativesOf, knownAlternatives, makeAlternatives } from './alternatives.ts';
import { type AptFolder, type AptPackage, archivesOf } from './apt.ts';
import { statusFile, statusParagraph } from './dpkg-status.ts';
import { builderId } from './host-user.ts';
import { ignoreExisting, unpackDebs } from './unpack.ts';

/**
 * What `make`, `cmake`, `meson`, `autotools` and plain Makefile projects need, and what their test suites
 * commonly call. Go, Rust, Node and every library come as layers by `installPackages`. zlib1g-dev is not
 * here on purpose: a package must not be proven against a library that it did not ask for.
 */
export const basePackages = [
  '?essential',
  ...['build-essential', 'git', 'ca-certificates', 'curl'],
  ...['cmake', 'ninja-build', 'meson', 'pkg-config', 'python3', 'perl'],
  ...['autoconf', 'autoconf-archive', 'automake', 'libtool', 'm4', 'gettext', 'autopoint', 'texinfo'],
  ...['bison', 'flex', 'file', 'patch', 'bc', 'xz-utils', 'bzip2', 'zstd', 'unzip', 'procps', 'netbase'],
] as const;

export interface BaseOptions {
  onProgress: (text: string) => void;
  signal?: AbortSignal | undefined;
}

/** Unpacks the downloaded packages of a plan into `tree` and does what maintainer scripts would do for builds. */
export async function buildBase(
  tree: string,
  apt: AptFolder,
  packages: readonly AptPackage[],
  { onProgress, signal }: BaseOptions,
): Promise<void> {
  const debs = packages.map((one) => join(archivesOf(apt), one.file));
  const controls = `${tree}-controls`;
  await mkdir(controls, { recursive: true });
  await mkdir(tree, { recursive: true, mode: 0o755 });
  await unpackDebs(debs, tree, {
    signal,
    controls,
    onProgress: (done, total) => {
      if (done % 20 === 0 || done === total) onProgress(`unpacking packages: ${done} of ${total}`);
    },
  });
  await writeFolders(tree);
  await writeAccounts(tree);
  await recordPackages(tree, controls);
  await rm(controls, { recursive: true });
  await collectCertificates(tree);
  await writeFile(join(tree, 'etc/hosts'), '127.0.0.1 localhost\n::1 localhost\n');
  await writeFile(join(tree, 'etc/hostname'), 'riscv64\n');
  // A place for the resolver of a fetch phase to be mounted on.
  await rm(join(tree, 'etc/resolv.conf'), { force: true });
  await writeFile(join(tree, 'etc/resolv.conf'), '');
}

async function writeFolders(tree: string): Promise<void> {
  const plain = [
    'workspace',
    'proc',
    'sys',
    'dev',
    'run',
    'run/lock',
    'root',
    'home',
    'mnt',
    'opt',
    'srv',
    'media',
  ];
  const local = ['bin', 'etc', 'games', 'include', 'lib', 'libexec', 'sbin', 'share', 'src'];
  for (const name of [...plain, ...local.map((part) => `usr/local/${part}`)])
    await mkdir(join(tree, name), { recursive: true, mode: 0o755 });
  for (const name of ['tmp', 'var/tmp']) {
    await mkdir(join(tree, name), { recursive: true });
    await chmod(join(tree, name), 0o1777);
  }
}

async function writeAccounts(tree: string): Promise<void> {
  for (const name of ['passwd', 'group'])
    await copyFile(join(tree, `usr/share/base-passwd/${name}.master`), join(tree, `etc/${name}`));
  await appendFile(
    join(tree, 'etc/passwd'),
    `builder:x:${builderId}:${builderId}:Builder:/workspace:/bin/bash\n`,
  );
  await appendFile(join(tree, 'etc/group'), `builder:x:${builderId}:\n`);
}

/** Writes dpkg's list of installed packages, and the links of their `update-alternatives` calls. */
async function recordPackages(tree: string, controls: string): Promise<void> {
  const { paragraphs, alternatives } = await readControls(controls);
  await mkdir(join(tree, 'var/lib/dpkg/info'), { recursive: true });
  await writeFile(join(tree, 'var/lib/dpkg/status'), statusFile(paragraphs));
  await writeFile(join(tree, 'var/lib/dpkg/arch'), 'riscv64\n');
  await makeAlternatives(tree, [...alternatives, ...knownAlternatives]);
  await symlink('pkgconf', join(tree, 'usr/bin/pkg-config')).catch(ignoreExisting);
}

/** Status paragraphs and alternatives of packages, from the folder that `unpackDebs` filled. */
export async function readControls(
  controls: string,
): Promise<{ paragraphs: string[]; alternatives: Alternative[] }> {
  const paragraphs: string[] = [];
  const alternatives: Alternative[] = [];
  for (const name of (await readdir(controls)).sort()) {
    paragraphs.push(statusParagraph(await readFile(join(controls, name, 'control'), 'utf8')));
    alternatives.push(
      ...alternativesOf(await readFile(join(controls, name, 'postinst'), 'utf8').catch(() => '')),
    );
  }
  return { paragraphs, alternatives };
}

/** One file of all certificates, as update-ca-certificates writes it. */
async function collectCertificates(tree: string): Promise<void> {
  const folder = join(tree, 'usr/share/ca-certificates/mozilla');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.crt')).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  await mkdir(join(tree, 'etc/ssl/certs'), { recursive: true });
  await writeFile(join(tree, 'etc/ssl/certs/ca-certificates.crt'), texts.join(''));
}

/** True when the tree has this path, links not followed. */
export const has = (tree: string, path: string): Promise<boolean> =>
  lstat(join(tree, path)).then(
    () => true,
    () => false,
  );
