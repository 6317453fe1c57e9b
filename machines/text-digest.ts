/**
 * A short digest of a text for keys inside one run; not for security, and never for content addressing.
 * Two rounds of 32-bit FNV-1a with different starts: 64 bits, 16 hex digits.
 */
export function textDigest(text: string): string {
  return `${fnv1a(text, 0x811c9dc5)}${fnv1a(text, 0x050c5d1f)}`;
}

/** Source: FNV-1a, 32 bit; prime 16777619. Characters above 8 bits go in as two bytes. */
function fnv1a(text: string, start: number): string {
  let hash = start;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    hash = Math.imul(hash ^ (code & 0xff), 0x01000193);
    hash = Math.imul(hash ^ (code >>> 8), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, '0');
}
