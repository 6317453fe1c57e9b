/** Unpacks .deb files into a tree on the host, natively: no maintainer script is run, nothing is emulated. */
import { mkdir, symlink } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { hostCommandOk } from './host-command.ts';

/** Nothing of these is needed to build, and they are a third of the files. */
const leftOut = ['man', 'doc', 'info', 'locale', 'lintian', 'bug', 'doc-base'].map(
  (name) => `--exclude=./usr/share/${name}/*`,
);
/** The largest package (a compiler) takes about 5 s on a loaded machine. */
const unpackTimeoutMs = 300_000;

/** The links of a merged /usr, made first: packages may still carry files under the old names. */
export const mergedUsr = ['bin', 'sbin', 'lib', 'lib64'] as const;

export interface UnpackOptions {
  /** Paths as in the archive (`./usr/bin/x`); without it all but documentation. */
  only?: readonly string[];
  /** Folder that gets each package's control files (`control`, `postinst` …) under the name of its file. */
  controls?: string;
  onProgress?: (done: number, total: number) => void;
  signal?: AbortSignal | undefined;
}

/** Owner of every file is the caller; modes are the archive's. */
export async function unpackDebs(
  debs: readonly string[],
  tree: string,
  options: UnpackOptions = {},
): Promise<void> {
  for (const name of mergedUsr) {
    await mkdir(join(tree, 'usr', name), { recursive: true });
    await symlink(`usr/${name}`, join(tree, name)).catch(ignoreExisting);
  }
  // dpkg itself comes late in the alphabet, so order does not matter: packages share no file
  const queue = [...debs];
  let done = 0;
  const worker = async () => {
    for (let deb = queue.shift(); deb !== undefined; deb = queue.shift()) {
      await unpackOne(deb, tree, options);
      done += 1;
      options.onProgress?.(done, debs.length);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
}

async function unpackOne(deb: string, tree: string, options: UnpackOptions): Promise<void> {
  const members = options.only ? ['--wildcards', ...options.only] : leftOut;
  // A pattern that one of several packages lacks is no error, so tar's exit counts only without patterns.
  const files = options.only
    ? 'dpkg-deb --fsys-tarfile "$deb" | { tar -x -f - "$@" 2>/dev/null || :; }'
    : 'dpkg-deb --fsys-tarfile "$deb" | tar -x -f - "$@"';
  const control = options.controls ? 'dpkg-deb --control "$deb" "$control" &&' : '';
  const script = `set -o pipefail; deb=$1 control=$2; shift 2; ${control} ${files}`;
  await hostCommandOk(
    [
      'bash',
      '-c',
      script,
      'unpack',
      deb,
      options.controls ? join(options.controls, basename(deb)) : '',
      '-C',
      tree,
      '--no-same-owner',
      '-p',
      '--keep-directory-symlink',
      ...members,
    ],
    { doing: `unpacking ${deb}`, timeoutMs: unpackTimeoutMs, signal: options.signal },
  );
}

export function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
