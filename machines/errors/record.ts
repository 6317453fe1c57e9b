/** The record of a failed build command, as `error.recorded` keeps it. */
import type { CommandResult, ErrorRecordData, OutputLine } from '../../events/records.ts';
import { classifyFailure } from './classify.ts';
import { evidenceOf } from './evidence.ts';
import { seedCategory } from './seed-rules.ts';
import { severityOf } from './severity.ts';
import { errorSignature } from './signature.ts';

/** Source: upstream facts §16.4: the fixer sees 3,000 characters of an error. */
const messageChars = 3000;

export function errorRecordOf(failed: { command: string; result: CommandResult }): ErrorRecordData {
  const { command, result } = failed;
  const evidence = evidenceOf(result);
  const output = outputOf(result);
  const message = cut(`Build command failed: ${command} (${endOf(result)}) - ${output}`);
  const found = classifyFailure(evidence);
  const place = found.line === null ? null : placeOf(found.line);
  return {
    category: found.category,
    seedCategory: seedCategory(message),
    message,
    severity: severityOf(found.category, command, message),
    command,
    file: place?.file ?? null,
    line: place?.line ?? null,
    action: found.action,
    signature: errorSignature(
      found.category,
      found.line?.text ?? evidence.lines.map((line) => line.text).join('\n'),
    ),
  };
}

/** A kill at the time limit is called that, and never an exit code that means lack of memory. */
function endOf(result: CommandResult): string {
  if (result.timedOut) return `stopped at the time limit after ${Math.round(result.durationMs / 1000)} s`;
  if (result.oomKilled === true) return `exit ${result.exitCode}, killed for lack of memory`;
  return `exit ${result.exitCode}`;
}

/** Source: seed: stderr, else stdout, else a fixed text. Of a long one the end, where builds say what failed. */
function outputOf({ stderr, stdout, lines }: CommandResult): string {
  const textOf = (ref: CommandResult['stderr']): string => (ref.tail === '' ? ref.head : ref.tail).trim();
  const decisive = lines.map((line) => line.text).join('\n');
  return textOf(stderr) || textOf(stdout) || decisive || 'the command printed nothing';
}

/** Keeps the beginning (command, exit code) and as much of the end as fits. */
function cut(message: string): string {
  if (message.length <= messageChars) return message;
  const headChars = 1000;
  return `${message.slice(0, headChars)}\n…\n${message.slice(headChars + 3 - messageChars)}`;
}

/** `src/x.c:12:5: error: …` → the file and line; null when the line names none. */
export function placeOf(line: Pick<OutputLine, 'text'>): { file: string; line: number } | null {
  const match = /(?:^|[\s(])([\w.+@/-]*[\w+@-]\.\w{1,6}):(\d+)(?::\d+)?[:)]/.exec(line.text);
  if (match === null) return null;
  return { file: match[1] as string, line: Number(match[2]) };
}
