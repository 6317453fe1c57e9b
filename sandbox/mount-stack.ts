/** Puts an overlay stack in place: record first, then folders, then the mount. */
import { chmod, mkdir, readdir, readlink, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Holder } from './holder.ts';
import { hostCommand } from './host-command.ts';
import { giveToSandbox } from './host-user.ts';
import { type OverlayStack, writeStack } from './overlay-stack.ts';
import type { RootInfo } from './root.ts';

export interface MountContext {
  runDir: string;
  root: RootInfo;
  layersDir: string;
  holder: Holder;
}

/** @returns the stack that is mounted now */
export async function mountStack(stack: OverlayStack, context: MountContext): Promise<OverlayStack> {
  const { runDir, holder } = context;
  await mkdir(join(runDir, stack.current), { recursive: true });
  await chmod(join(runDir, stack.current), 0o755);
  await giveToSandbox(join(runDir, stack.current));
  await writeStack(runDir, stack);
  const lower = await lowerLinks(stack, context);
  const work = `w-${stack.current}`;
  for (const name of await readdir(runDir)) if (name.startsWith('w-')) await removeFolder(join(runDir, name));
  await mkdir(join(runDir, work));
  await holder.mount(runDir, { lower, upper: stack.current, work });
  return stack;
}

/**
 * Names of the lower folders, newest first, relative to the run's folder. Mount options hold 4,095 bytes in
 * all, so what lies elsewhere is reached by short links.
 */
export async function lowerLinks(
  stack: Pick<OverlayStack, 'entries' | 'strict'>,
  { runDir, root, layersDir }: MountContext,
): Promise<string[]> {
  await mkdir(join(runDir, 'l'), { recursive: true });
  const link = async (name: string, target: string) => {
    const path = join(runDir, 'l', name);
    if ((await readlink(path).catch(() => null)) !== target) {
      await rm(path, { force: true });
      await symlink(target, path);
    }
    return `l/${name}`;
  };
  const names: string[] = [];
  for (const entry of stack.entries)
    names.unshift(
      'upper' in entry
        ? entry.upper
        : await link(entry.layer.slice(0, 12), join(layersDir, entry.layer, 'tree')),
    );
  if (!stack.strict && root.accel) names.push(await link('accel', root.accel));
  names.push(await link('base', root.base));
  return names;
}

/** Removes a folder whatever modes its own folders have. */
export async function removeFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EACCES' && error.code !== 'EPERM') throw error;
    await hostCommand(['chmod', '-R', 'u+rwX', '--', path], { timeoutMs: 300_000 });
    await rm(path, { recursive: true, force: true });
  });
}
