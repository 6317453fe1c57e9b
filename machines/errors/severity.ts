/** How bad a failure is, for people. Source: seed, `infer_failure_severity`, in its order. */
import type { ErrorCategory, FailureSeverity } from '../../events/records.ts';

const blockers: readonly ErrorCategory[] = [
  'LICENSE_INCOMPATIBLE',
  'REQUIRES_HARDWARE',
  'ARCHITECTURE_IMPOSSIBLE',
  'PERMISSION',
  'DISK_SPACE',
];
const preparation = /git clone|git pull|apt-get update|apt update|apk update|apk add/;
const ordinary: readonly ErrorCategory[] = [
  'CONFIGURATION',
  'DEPENDENCY',
  'COMPILATION',
  'LINKING',
  'NETWORK',
  'RATE_LIMIT',
  'MISSING_TOOLS',
  'ARCHITECTURE',
];

export function severityOf(
  category: ErrorCategory,
  command: string | null,
  message: string,
): FailureSeverity {
  if (command?.startsWith('which ')) return 'low';
  if (blockers.includes(category)) return 'high';
  if (command !== null && preparation.test(command)) return 'high';
  if (ordinary.includes(category)) return 'medium';
  if (/not found/i.test(message) && /which /i.test(message)) return 'low';
  return 'medium';
}
