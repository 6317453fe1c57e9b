/** Turns a plain folder into a git repository whose commit id depends on nothing but its files. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitHost } from './git-host.ts';
import { runOnHost } from './host-command.ts';

export interface CommitOptions {
  message: string;
  /** Author and commit date, epoch seconds. */
  date: number;
}

/**
 * Date of commits that are made of files without a history of their own, epoch seconds: 2000-01-01. A file's
 * time changes when it is copied, and the same files must give the same commit; it is late enough for
 * archive formats that begin in 1980.
 */
export const undatedSeconds = 946_684_800;

const author = { name: 'atesor', email: 'atesor@localhost' };

/**
 * Commits all files of `folder`, ignored ones too, on top of what HEAD is (an empty folder gets a new
 * repository on branch `main`). Repositories inside it lose their `.git`: their files are the source's.
 * @returns the commit id
 */
export async function commitTree(git: GitHost, folder: string, options: CommitOptions): Promise<string> {
  await git.run(['init', '-q', '-b', 'main', folder]); // harmless where there is one
  await dropNestedRepositories(folder);
  await git.run(['-C', folder, 'add', '-A', '-f', '.']);
  const date = `${options.date} +0000`;
  await git.run(
    [
      '-C',
      folder,
      '-c',
      'commit.gpgSign=false',
      'commit',
      '-q',
      '--allow-empty',
      '--no-verify',
      '-m',
      options.message,
    ],
    {
      env: {
        GIT_AUTHOR_NAME: author.name,
        GIT_AUTHOR_EMAIL: author.email,
        GIT_AUTHOR_DATE: date,
        GIT_COMMITTER_NAME: author.name,
        GIT_COMMITTER_EMAIL: author.email,
        GIT_COMMITTER_DATE: date,
      },
    },
  );
  return (await git.run(['-C', folder, 'rev-parse', 'HEAD'])).trim();
}

async function dropNestedRepositories(folder: string): Promise<void> {
  await find(folder, ['-mindepth', '2', '-name', '.git', '-prune', '-exec', 'rm', '-rf', '{}', '+']);
}

/**
 * Puts an empty `.gitkeep` into every empty folder: git keeps none, and old makefiles expect theirs.
 * @returns how many there were
 */
export async function keepEmptyFolders(folder: string): Promise<number> {
  const listing = await find(folder, ['-name', '.git', '-prune', '-o', '-type', 'd', '-empty', '-print0']);
  const empty = listing.split('\0').filter((path) => path !== '' && path !== folder);
  for (const path of empty) await writeFile(join(path, '.gitkeep'), '');
  return empty.length;
}

/**
 * Gives every file and folder the same time. A checkout leaves them in the order they were written, and make
 * then thinks that a shipped `configure` is older than its sources and wants autotools to make it again.
 */
export async function setTimes(folder: string, seconds: number): Promise<void> {
  await find(folder, ['-exec', 'touch', '-h', '-d', `@${seconds}`, '{}', '+']);
}

async function find(folder: string, args: string[]): Promise<string> {
  const result = await runOnHost({
    argv: ['find', folder, ...args],
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C' },
    timeoutMs: 120_000,
  });
  return result.stdout;
}
