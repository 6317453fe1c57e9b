/** The list of installed packages that dpkg and apt read: paragraphs of control fields. */

/** Package name to version, of those that are installed. */
export type InstalledPackages = Record<string, string>;

/** The paragraph that says that a package with these control fields is installed. */
export function statusParagraph(control: string): string {
  const fields = control.trimEnd();
  return fields.replace(/^Package: .*$/m, (line) => `${line}\nStatus: install ok installed`);
}

/** Joins paragraphs to a status file; a later paragraph of the same package and architecture replaces an earlier. */
export function statusFile(paragraphs: readonly string[]): string {
  const byPackage = new Map<string, string>();
  for (const paragraph of paragraphs) {
    const key = `${field(paragraph, 'Package')}`;
    if (key === '') continue;
    byPackage.delete(key);
    byPackage.set(key, paragraph.trimEnd());
  }
  return [...byPackage.values()].map((paragraph) => `${paragraph}\n\n`).join('');
}

/** The paragraphs of a status file. */
export const statusParagraphs = (text: string): string[] =>
  text.split(/\n[ \t]*\n/).filter((paragraph) => paragraph.trim() !== '');

export function installedPackages(text: string): InstalledPackages {
  const found: InstalledPackages = {};
  for (const paragraph of statusParagraphs(text))
    found[field(paragraph, 'Package')] = field(paragraph, 'Version');
  return found;
}

/** The value of a field's first line; '' when the paragraph lacks it. */
export function field(paragraph: string, name: string): string {
  return new RegExp(`^${name}:[ \\t]*(.*)$`, 'm').exec(paragraph)?.[1]?.trim() ?? '';
}
