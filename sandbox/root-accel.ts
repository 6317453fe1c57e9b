/**
 * The accelerated layer: inner programs of the toolchain, built for the host by the same Debian sources,
 * laid over the riscv64 ones. The kernel runs them natively inside the root. They read and write files only:
 * a program that asks the kernel for the machine's name (uname, make, python, cmake) stays riscv64.
 * Measured: a compile-bound build takes 1.0 to 1.9 times the native CPU time instead of 9 to 19 times.
 */
import { copyFile, cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type AptFolder, type AptPackage, archivesOf } from './apt.ts';
import { hostCommandOk } from './host-command.ts';
import { runInTree } from './run-in-tree.ts';
import { unpackDebs } from './unpack.ts';

/** Version of the compiler in Debian trixie; the paths below carry it. */
const gcc = '14';
const python = '3.13';
const perl = '5.40';
const target = 'riscv64-linux-gnu';

export interface AccelHost {
  /** Debian's name of the host's architecture. */
  architecture: string;
  triplet: string;
  /** The dynamic loader, as the programs name it. */
  loader: string;
}

/** Hosts that Debian has riscv64 cross compilers for. */
export const accelHosts: Readonly<Record<string, AccelHost>> = {
  x64: { architecture: 'amd64', triplet: 'x86_64-linux-gnu', loader: '/lib64/ld-linux-x86-64.so.2' },
  arm64: { architecture: 'arm64', triplet: 'aarch64-linux-gnu', loader: '/lib/ld-linux-aarch64.so.1' },
};

/** Asked of apt; only the packages in `accelNeeds` are fetched of what it answers. */
export const accelPackages = [
  ...[`gcc-${gcc}-${target}`, `g++-${gcc}-${target}`, `binutils-${target}`],
  ...['dash', 'bash', 'sed', 'grep', 'mawk', 'm4', 'coreutils', 'findutils', 'diffutils', 'gzip', 'tar'],
  ...['perl-base', `libperl${perl}`],
  ...[`python${python}-minimal`, `libpython${python}-stdlib`],
] as const;

/** Cross libraries, headers and tools that the layer takes nothing from: half of the download. */
const accelSkips = /-cross(-base)?$|^(tzdata|debconf|media-types|netbase|readline-common|debianutils)$/;
export const accelNeeds = (packages: readonly AptPackage[]): AptPackage[] =>
  packages.filter((one) => !accelSkips.test(one.name));

const compilerPrograms = ['cc1', 'cc1plus', 'lto1', 'collect2', 'lto-wrapper', 'liblto_plugin.so'];
const binutilsPrograms = ['as', 'ld.bfd', 'objcopy', 'strip', 'ar', 'ranlib', 'nm'];

/**
 * Shell and text tools: a configure script is thousands of them (measured on jq: 4.4 times native becomes 1.8).
 * bash takes HOSTTYPE and MACHTYPE from its environment, where the driver puts riscv64's.
 */
const textPrograms = [
  ...['dash', 'bash', 'sed', 'grep', 'mawk', 'm4', 'find', 'xargs', 'cmp', 'diff', 'gzip', 'tar'],
  // of coreutils, all that read and write text and files; not uname, arch and nproc
  ...[
    '[',
    'basename',
    'cat',
    'chmod',
    'comm',
    'cp',
    'cut',
    'date',
    'dirname',
    'echo',
    'env',
    'expr',
    'false',
  ],
  ...[
    'head',
    'install',
    'join',
    'ln',
    'ls',
    'md5sum',
    'mkdir',
    'mktemp',
    'mv',
    'nohup',
    'od',
    'paste',
    'printf',
  ],
  ...['pwd', 'readlink', 'realpath', 'rm', 'rmdir', 'seq', 'sha1sum', 'sha256sum', 'sleep', 'sort', 'split'],
  ...['stat', 'tac', 'tail', 'tee', 'test', 'timeout', 'touch', 'tr', 'true', 'uniq', 'wc'],
];

/** Makes `tree` from the downloaded packages. `base` is the finished base tree it will lie over. */
export async function buildAccel(
  tree: string,
  base: string,
  scratch: string,
  apt: AptFolder,
  packages: readonly AptPackage[],
  host: AccelHost,
  signal?: AbortSignal,
): Promise<void> {
  await mkdir(scratch, { recursive: true });
  await unpackDebs(
    packages.map((one) => join(archivesOf(apt), one.file)),
    scratch,
    { signal },
  );
  const take = async (from: string, to: string) => {
    await mkdir(dirname(join(tree, to)), { recursive: true });
    await copyFile(join(scratch, from), join(tree, to));
  };
  const libexec = `usr/libexec/gcc/${target}/${gcc}`;
  for (const name of compilerPrograms)
    await take(`usr/libexec/gcc-cross/${target}/${gcc}/${name}`, `${libexec}/${name}`);
  for (const name of binutilsPrograms) await take(`usr/bin/${target}-${name}`, `usr/bin/${target}-${name}`);
  for (const name of textPrograms) await take(`usr/bin/${name}`, `usr/bin/${name}`);

  // copyFile follows links, so a soname becomes a file of its own
  const libraries = `usr/lib/${host.triplet}`;
  for (const name of await readdir(join(scratch, libraries)))
    if (/^lib.*\.so\.\d|^lib(bfd|opcodes|ctf|sframe).*\.so$/.test(name))
      await take(`${libraries}/${name}`, `${libraries}/${name}`);
  const loader = `usr${host.loader}`;
  await take(loader, loader);
  await linkCrossPaths(tree, base);
  await writeSpecs(tree, base, signal);
  await useNativePerl(tree, base, scratch, host);
}

/** The programs look for headers and their helpers where a cross compiler has them: links lead to the native places. */
async function linkCrossPaths(tree: string, base: string): Promise<void> {
  await mkdir(join(tree, `usr/lib/gcc-cross/${target}`), { recursive: true });
  await symlink(`../../gcc/${target}/${gcc}`, join(tree, `usr/lib/gcc-cross/${target}/${gcc}`));
  const headers = join(tree, `usr/${target}/include/c++/${gcc}`);
  await mkdir(headers, { recursive: true });
  for (const name of await readdir(join(base, `usr/include/c++/${gcc}`)))
    await symlink(`/usr/include/c++/${gcc}/${name}`, join(headers, name));
  await symlink(`/usr/include/${target}/c++/${gcc}`, join(headers, target));
}

/** A cross compiler does not look into /usr/local/include, a native one does: the gcc driver is told to say it. */
async function writeSpecs(tree: string, base: string, signal?: AbortSignal): Promise<void> {
  const path = join(tree, `usr/lib/gcc/${target}/${gcc}/specs`);
  await mkdir(dirname(path), { recursive: true });
  // All of the driver's own specs, then the addition: with a specs file at hand the driver leaves out what it
  // computes at its start otherwise, among it the shared libgcc, and no C++ program would link.
  const specs = await runInTree(base, [`/usr/bin/gcc-${gcc}`, '-dumpspecs'], { write: false, signal });
  // "+" appends
  await writeFile(
    path,
    `${specs.trimEnd()}\n\n*cpp_unique_options:\n+ %{!nostdinc:-isystem /usr/local/include}\n\n`,
  );
}

/**
 * Autoconf and automake are Perl programs that read and write text. They get a Perl of the host of their own;
 * /usr/bin/perl stays riscv64, since its configuration decides what Perl packages are built for.
 */
async function useNativePerl(tree: string, base: string, scratch: string, host: AccelHost): Promise<void> {
  const own = 'usr/lib/atesor/perl';
  await mkdir(dirname(join(tree, own)), { recursive: true });
  await copyFile(join(scratch, 'usr/bin/perl'), join(tree, own));
  for (const name of await readdir(join(scratch, `usr/lib/${host.triplet}`)))
    if (/^perl/.test(name))
      await cp(join(scratch, `usr/lib/${host.triplet}`, name), join(tree, `usr/lib/${host.triplet}`, name), {
        recursive: true,
        verbatimSymlinks: true,
      });
  for (const name of perlScripts) {
    const text = await readFile(join(base, 'usr/bin', name), 'utf8');
    await writeFile(join(tree, 'usr/bin', name), text.replace(/^#! ?\/usr\/bin\/perl/, `#!/${own}`), {
      mode: 0o755,
    });
  }
}

const perlScripts = ['autom4te', 'autoheader', 'autoreconf', 'autoupdate', 'automake-1.17', 'aclocal-1.17'];

/**
 * Compiles Python's modules of the base by the same Python built for the host: byte code is the same on
 * every machine, and without it each clean run of meson pays 14 s of CPU time under emulation.
 */
export async function compilePython(
  base: string,
  scratch: string,
  host: AccelHost,
  signal?: AbortSignal,
): Promise<void> {
  const interpreter = [
    join(scratch, 'usr', host.loader),
    '--library-path',
    join(scratch, 'usr/lib', host.triplet),
    join(scratch, `usr/bin/python${python}`),
  ];
  // One process a folder: with -j, Python would start itself again without the loader given here.
  const compile = (folder: string) =>
    hostCommandOk([...interpreter, ...compileOptions, '-s', base, '-p', '/', join(base, folder)], {
      doing: 'compiling Python modules',
      timeoutMs: 300_000,
      signal,
      env: { PYTHONHOME: join(scratch, 'usr'), PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' },
    });
  await Promise.all([compile('usr/lib/python3/dist-packages'), compile(`usr/lib/python${python}`)]);
}

const compileOptions = [
  '-m',
  'compileall',
  '-q',
  '-q',
  '-x',
  '/(test|idlelib|tkinter|ensurepip|turtledemo)/',
];
