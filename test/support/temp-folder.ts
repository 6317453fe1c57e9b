/** Folders that a test makes and that are gone after it. */
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export async function withTempFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'atesor-test-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes files by path; `-> target` makes a symbolic link, `#!` at the start makes it executable. */
export async function makeFolder(folder: string, files: Record<string, string>): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    if (content.startsWith('-> ')) await symlink(content.slice(3), path);
    else await writeFile(path, content);
    if (content.startsWith('#!')) await chmod(path, 0o755);
  }
}
