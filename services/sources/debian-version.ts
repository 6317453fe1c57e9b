/** The order of Debian versions. Source: Debian policy §5.6.12. */

/** Negative when `a` is older than `b`, positive when newer, 0 when equal. */
export function compareVersions(a: string, b: string): number {
  const left = split(a);
  const right = split(b);
  return (
    left.epoch - right.epoch ||
    comparePart(left.upstream, right.upstream) ||
    comparePart(left.revision, right.revision)
  );
}

/** Upstream's part of a Debian version: without epoch and revision. */
export const upstreamVersion = (version: string): string => split(version).upstream;

function split(version: string): { epoch: number; upstream: string; revision: string } {
  const colon = version.indexOf(':');
  const rest = colon < 0 ? version : version.slice(colon + 1);
  const dash = rest.lastIndexOf('-');
  return {
    epoch: colon < 0 ? 0 : Number(version.slice(0, colon)),
    upstream: dash < 0 ? rest : rest.slice(0, dash),
    revision: dash < 0 ? '' : rest.slice(dash + 1),
  };
}

/** Text and numbers in turn; `~` sorts before the end, letters before other characters. */
function comparePart(a: string, b: string): number {
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    while ((i < a.length && !isDigit(a[i])) || (j < b.length && !isDigit(b[j]))) {
      const difference = order(a[i]) - order(b[j]);
      if (difference !== 0) return difference;
      i += 1;
      j += 1;
    }
    const left = /^\d*/.exec(a.slice(i))?.[0] ?? '';
    const right = /^\d*/.exec(b.slice(j))?.[0] ?? '';
    const difference = compareNumbers(left, right);
    if (difference !== 0) return difference;
    i += left.length;
    j += right.length;
  }
  return 0;
}

/** Numbers of any length: a date with a time is beyond what a double holds exactly. */
function compareNumbers(a: string, b: string): number {
  const left = a.replace(/^0+/, '');
  const right = b.replace(/^0+/, '');
  if (left.length !== right.length) return left.length - right.length;
  return left < right ? -1 : left > right ? 1 : 0;
}

function isDigit(char: string | undefined): boolean {
  return char !== undefined && char >= '0' && char <= '9';
}

function order(char: string | undefined): number {
  if (char === undefined || isDigit(char)) return 0;
  if (char === '~') return -1;
  return /[A-Za-z]/.test(char) ? char.charCodeAt(0) : char.charCodeAt(0) + 256;
}
