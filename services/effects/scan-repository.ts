/** The scripted analysis of the source in the sandbox. Twice is harmless: it only reads. */
import { scanTree } from '../analysis/scan-tree.ts';
import { EffectError, type EffectHandler } from './handler.ts';
import { sandboxTree } from './sandbox-tree.ts';

/** @throws {EffectError} `sandboxLost` when the source is not where it was put */
export const scanRepository: EffectHandler<'scanRepository'> = async (input, context) => {
  const started = performance.now();
  const tree = await sandboxTree(await context.sandbox(), input.repoPath);
  if (tree.entries.length === 0) {
    throw new EffectError('sandboxLost', `the source at ${input.repoPath} is not in the sandbox`, {
      retryable: true,
    });
  }
  const scan = await scanTree(tree, input.repoName);
  return { ...scan, durationMs: Math.round(performance.now() - started) };
};
