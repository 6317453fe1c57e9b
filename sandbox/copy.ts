/** Files between the host and a sandbox. Paths on the sandbox's side are resolved by the caller. */

import { constants, createWriteStream } from 'node:fs';
import { lstat, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { hostCommandOk } from './host-command.ts';
import { giveToSandbox } from './host-user.ts';

/** A source tree of 100,000 files takes about a minute. */
const copyTimeoutMs = 1_200_000;

/**
 * Copies a file or the content of a folder; links are copied as links, times and modes are kept. Everything
 * then belongs to the sandbox's user.
 */
export async function copyInto(from: string, to: string): Promise<void> {
  const folder = (await lstat(from)).isDirectory();
  if (folder) await mkdir(to, { recursive: true });
  // --no-target-directory with a trailing dot: the content goes into the folder, whether it is there or not
  await hostCommandOk(
    [
      ...['cp', '-R', '-P', '--preserve=mode,timestamps,links', '--reflink=auto', '--remove-destination'],
      ...['--no-target-directory', '--', folder ? `${from}/.` : from, to],
    ],
    { doing: `copying ${from} into the sandbox`, timeoutMs: copyTimeoutMs },
  );
  await giveToSandbox(to);
}

/** Copies one regular file that is no link. */
export async function copyOutOf(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  const file = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW);
  const { mode } = await file.stat();
  await pipeline(file.createReadStream(), createWriteStream(to, { mode: mode & 0o777 }));
}
