/** Turns what a handler threw into the failure that the log keeps: a closed code, and no stack or host path. */
import { type EffectErrorCode, type EffectFailure, effectErrorCodes } from '../../machines/effects.ts';
import { SandboxError } from '../../sandbox/driver.ts';
import { EffectError } from '../effects/handler.ts';

/** Messages are kept for ever; whoever needs more than this puts it into a blob. */
const messageCharsMax = 1_000;

export interface FailureContext {
  /** Folders of this host that no message may show, longest first; each becomes its name in brackets. */
  hidden: ReadonlyArray<{ path: string; name: string }>;
  redact: (text: string) => string;
}

/** Codes that mean the same for the effect as for the sandbox stay; others are faults of ours. */
export function failureOf(error: unknown, context: FailureContext): EffectFailure {
  const message = cleanMessage(error, context);
  if (error instanceof EffectError) return { code: error.code, message, retryable: error.retryable };
  if (error instanceof SandboxError) {
    return {
      code: error.code,
      message,
      retryable: error.code === 'sandboxLost' || error.code === 'timedOut',
    };
  }
  const code = (error as { code?: string } | null)?.code ?? '';
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'SQLITE_FULL') {
    return {
      code: 'diskFull',
      message: 'no space left on the disk of the data folder: free some, then resume',
      retryable: false,
    };
  }
  if (isEffectErrorCode(code)) return { code, message, retryable: false };
  return { code: 'internal', message, retryable: false };
}

const isEffectErrorCode = (code: string): code is EffectErrorCode =>
  (effectErrorCodes as readonly string[]).includes(code);

function cleanMessage(error: unknown, { hidden, redact }: FailureContext): string {
  let text = error instanceof Error ? error.message : String(error);
  for (const { path, name } of hidden) text = text.replaceAll(path, `<${name}>`);
  return redact(text).slice(0, messageCharsMax);
}
