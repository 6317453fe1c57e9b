/** Other addresses under which a repository may be found when the given one does not work. */

/**
 * The given URL first, then variants in the order of upstream facts §3.1, without repetition: the browsing
 * address of cgit, a missing `.git`, and homepages of GNU, Savannah and Yorhel projects.
 */
export function gitAddresses(url: string): string[] {
  const plain = url.replace(/[?#].*$/, '').replace(/\/+$/, '');
  const variants = [url];
  if (plain.includes('/cgit/')) variants.push(plain.replace('/cgit/', '/git/'));
  if (!plain.endsWith('.git')) variants.push(`${plain}.git`);
  for (const rule of homepageRules) {
    const match = rule.page.exec(plain);
    if (match) variants.push(rule.repository(match[1] ?? ''));
  }
  return [...new Set(variants)];
}

/** Source: upstream facts §3.1. */
const homepageRules: Array<{ page: RegExp; repository: (name: string) => string }> = [
  {
    page: /^https?:\/\/(?:www\.)?gnu\.org\/software\/([^/]+)/,
    repository: (name) => `https://git.savannah.gnu.org/git/${name}.git`,
  },
  {
    page: /^https?:\/\/git\.savannah\.(?:non)?gnu\.org\/cgit\/([^/]+?)(?:\.git)?$/,
    repository: (name) => `https://git.savannah.gnu.org/git/${name}.git`,
  },
  {
    page: /^https?:\/\/([a-z0-9-]+)\.savannah\.(?:non)?gnu\.org$/,
    repository: (name) => `https://git.savannah.gnu.org/git/${name}.git`,
  },
  {
    page: /^https?:\/\/(?:savannah\.(?:non)?gnu|www\.nongnu)\.org\/(?:projects\/)?([^/]+)/,
    repository: (name) => `https://git.savannah.gnu.org/git/${name}.git`,
  },
  {
    page: /^https?:\/\/dev\.yorhel\.nl\/([^/]+)/,
    repository: (name) => `https://code.blicky.net/yorhel/${name}.git`,
  },
];
