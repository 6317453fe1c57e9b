/** The files of a run in the output folder, under the existing system's names (upstream facts §1.6). */
import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, parse } from 'node:path';

/** `20260131_120000`, UTC: the same run gives the same names on every machine. */
export const stamp = (at: number): string =>
  new Date(at).toISOString().slice(0, 19).replaceAll('-', '').replaceAll(':', '').replace('T', '_');

export const outputNames = (repoName: string, at: number) => ({
  state: `${repoName}_state_${stamp(at)}.json`,
  recipe: `${repoName}_recipe.md`,
  report: `${repoName}_report_${stamp(at)}.md`,
  patch: (n: number) => join(`${repoName}_patches_${stamp(at)}`, `patch_${n}.patch`),
});

/**
 * Writes a file whole or not at all: a reader, or a crash, never sees half of it.
 * @returns its path
 */
export const writeWhole = async (path: string, text: string): Promise<string> => {
  await mkdir(dirname(path), { recursive: true });
  const temporary = join(dirname(path), `.${process.pid}.${randomBytes(4).toString('hex')}.tmp`);
  try {
    const file = await open(temporary, 'wx', 0o644);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
  return path;
};

/**
 * The path for a file of a run: two runs of one package can end in the same second, so a name that another run
 * has taken gets the run's id. The same run, asked twice, is given the same path.
 */
export const ownPath = async (folder: string, name: string, runId: string): Promise<string> => {
  const path = join(folder, name);
  const there = await readFile(path, 'utf8').catch(() => '');
  if (there === '' || there.includes(runId)) return path;
  const { dir, name: base, ext } = parse(path);
  return join(dir, `${base}_${runId}${ext}`);
};
