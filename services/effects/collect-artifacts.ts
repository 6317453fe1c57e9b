/**
 * Copies built files out of the sandbox into the output folder, a folder of its own for each run.
 *
 * Twice is harmless: each file is written whole under another name and put in the place of the old one.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { SandboxError } from '../../sandbox/driver.ts';
import { EffectError, type EffectHandler } from './handler.ts';

/**
 * Files keep their paths below the source; those given as absolute paths (installed outside of it) stand below
 * `installed/`. One that is gone is left out.
 * @throws {EffectError} `diskFull`, `denied` when the output folder cannot be written
 */
export const collectArtifacts: EffectHandler<'collectArtifacts'> = async (input, context) => {
  const folder = join(context.home, 'output', `${input.repoName}_artifacts_${context.runId}`);
  const sandbox = await context.sandbox();
  const files = [];
  for (const path of [...new Set(input.files)]) {
    context.signal.throwIfAborted();
    const inside = posix.isAbsolute(path) ? posix.normalize(path) : posix.join(input.repoPath, path);
    const isBelow = inside.startsWith(`${posix.normalize(input.repoPath)}/`);
    const hostPath = join(
      folder,
      isBelow ? inside.slice(input.repoPath.length + 1) : join('installed', inside),
    );
    const part = `${hostPath}.part`;
    try {
      await mkdir(dirname(hostPath), { recursive: true });
      await sandbox.copyOut(inside, part);
      await rename(part, hostPath);
    } catch (fault) {
      await rm(part, { force: true });
      // Its own word for "there is no such file".
      if (fault instanceof SandboxError && fault.code === 'denied') continue;
      throw asEffectError(fault, folder);
    }
    files.push({ path, hostPath, sha256: await digestOf(hostPath), size: (await stat(hostPath)).size });
  }
  return { folder, files };
};

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

function asEffectError(fault: unknown, folder: string): unknown {
  const code = (fault as NodeJS.ErrnoException).code;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new EffectError('diskFull', `no space left for the outputs in ${folder}`, { cause: fault });
  }
  if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM') {
    return new EffectError('denied', `the outputs cannot be written to ${folder} (${code})`, {
      cause: fault,
    });
  }
  return fault;
}
