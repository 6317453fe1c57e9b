/** A full disk, told as what it is wherever it is met. */
import { SandboxError } from './driver.ts';

/** The error itself, unless it says that there is no space left. */
export function asSandboxError(error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return error;
  const { message } = error as Error;
  return new SandboxError('diskFull', `no space left for the files of the run: ${message}`, { cause: error });
}
