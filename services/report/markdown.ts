/** Markdown that stays what it is whatever text is put in. Pure. */

/** A block of text as it is: its fence is longer than any fence inside. */
export const codeBlock = (text: string, language = ''): string => {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.trimEnd()}\n${fence}\n`;
};

/** A word or path inside a sentence. */
export const code = (text: string): string => {
  const flat = text.replace(/\s+/g, ' ');
  return flat.includes('`') ? `\`\` ${flat} \`\`` : `\`${flat}\``;
};

const cell = (text: string): string => text.replaceAll('|', '\\|').replace(/\s+/g, ' ');

export const markdownTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |\n`).join('');

/** Up to `max` items, then how many more there are; '' for none. */
export const bullets = (items: readonly string[], max: number): string =>
  [
    ...items.slice(0, max).map((item) => `- ${item.replace(/\s+/g, ' ')}\n`),
    ...(items.length > max ? [`- and ${items.length - max} more\n`] : []),
  ].join('');

/** A text cut to `max` characters, said so when it was. */
export const clipped = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max)} […]`;
