/** The tables of names hold together: what one points to, the next has. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { canonicalName, packagesOf } from '../../machines/package-names.ts';
import { bareHeaderNames, headerHints } from '../../seeds/header-hints.ts';
import { libraryNames } from '../../seeds/library-names.ts';
import { macroPackages } from '../../seeds/macro-packages.debian.ts';
import { debianCorrections } from '../../seeds/package-corrections.debian.ts';
import { debianPackages } from '../../seeds/package-map.debian.ts';
import { toolPackages } from '../../seeds/tool-packages.debian.ts';

/** Source: Debian policy §5.6.1. */
const packageName = /^[a-z0-9][a-z0-9+.-]+$/;

for (const [name, table] of Object.entries({ headerHints, libraryNames, macroPackages, toolPackages })) {
  test(`every entry of ${name} leads to packages`, () => {
    for (const [from, to] of Object.entries(table)) assert.ok(packagesOf(to).length > 0, `${from} → ${to}`);
  });
}

test('every bare header name is in the map', () => {
  for (const name of bareHeaderNames) assert.ok(packagesOf(name).length > 0, name);
});

test('packages have names that Debian allows', () => {
  for (const names of Object.values(debianPackages)) {
    assert.ok(names.length > 0);
    for (const name of names) assert.match(name, packageName);
  }
  for (const name of Object.values(debianCorrections)) assert.match(name, packageName);
});

test('a correction is no correction of another', () => {
  for (const to of Object.values(debianCorrections)) assert.not.ok(Object.hasOwn(debianCorrections, to), to);
});

test('the existing system’s 64 canonical names are known', () => {
  const names =
    'cmake make ninja meson autotools gcc g++ pkgconfig nasm yasm perl fortran python3 node java zlib openssl curl git ' +
    'libatomic zstd lz4 brotli xz bzip2 snappy libpng libjpeg libjpeg-turbo libwebp libtiff openjpeg libheif lcms2 ' +
    'freetype opus flac ogg vorbis dav1d mbedtls libsodium libssh2 nghttp2 c-ares libuv libevent libxml2 expat jansson ' +
    'yaml pcre2 libarchive sqlite abseil-cpp absl protobuf protoc gtest benchmark linux-headers musl-dev libexecinfo libunwind';
  const missing = names.split(' ').filter((name) => packagesOf(name).length === 0);
  assert.equal(missing, []);
  assert.is(names.split(' ').length, 64);
});

test('a library is known by the names that messages use, and a word is not', () => {
  assert.is(canonicalName('libxml-2.0'), 'libxml2');
  assert.is(canonicalName('libpcap-dev'), 'libpcap');
  assert.is(canonicalName('ZLIB'), 'zlib');
  assert.is(canonicalName('lzo-devel'), 'lzo');
  assert.is(canonicalName('nothing-like-it'), null);
  assert.is(canonicalName('constructor'), null);
  assert.is(canonicalName(''), null);
});

test.run();
