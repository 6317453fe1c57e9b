/**
 * What makes two failures the same one: the category and one line without what differs from run to run.
 * Three equal signatures in a row are an error loop. Source: seed and upstream facts §9.
 */
import type { ErrorCategory } from '../../events/records.ts';

const markers =
  /error|fatal|undefined reference|multiple definition|relocation|no such file|not found|permission denied|no space left|timed out|killed|exit status|exit code/i;
const noise = /^\s*(?:make:|ninja:|\[|warning:|note:|running|compiling |checking )/i;
/** Source: upstream facts §9. */
const signatureChars = 200;

/** @param text what the failed command said, or the message of a failure that was no command's */
export function errorSignature(category: ErrorCategory, text: string): string {
  return `${category}|${normalised(decisiveLine(text))}`;
}

function decisiveLine(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return (
    lines.find((line) => markers.test(line) && !isNoise(line)) ??
    lines.find((line) => markers.test(line)) ??
    lines[0] ??
    ''
  );
}

/** `make: *** [x] Error 1` follows every failure of make: it tells two failures apart only when alone. */
const isNoise = (line: string): boolean =>
  noise.test(line) || /^\w*make(\[\d+\])?: \*\*\*.* Error \d+/.test(line);

function normalised(line: string): string {
  return line
    .replace(/(^|[\s"'`(=:])\/[\w.+@~/-]+/g, '$1<path>')
    .replace(/:\d+(?::\d+)?/g, ':<n>')
    .replace(/\b0x[0-9a-f]+\b/gi, '<hex>')
    .replace(/\d+/g, '<n>')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()
    .slice(0, signatureChars);
}
