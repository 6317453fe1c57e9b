/** `X-config` scripts that libraries have dropped → the pkg-config module that answers in their place. */
export const configScripts: Readonly<Record<string, string>> = {
  'freetype-config': 'freetype2',
  'icu-config': 'icu-uc',
  'libpng-config': 'libpng',
  'xml2-config': 'libxml-2.0',
  'xslt-config': 'libxslt',
  'pcre-config': 'libpcre2-8',
  'pcre2-config': 'libpcre2-8',
  'libgcrypt-config': 'libgcrypt',
  'gpg-error-config': 'gpg-error',
  'gpgme-config': 'gpgme',
  'sdl2-config': 'sdl2',
  'ncurses5-config': 'ncurses',
  'ncurses6-config': 'ncurses',
  'cppunit-config': 'cppunit',
  'libart2-config': 'libart-2.0',
  'cups-config': 'cups',
};
