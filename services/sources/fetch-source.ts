/** Fetches any kind of source. */
import type { SourceName } from '../../machines/source-name.ts';
import { fetchDebian } from './fetch-debian.ts';
import { fetchFolder } from './fetch-folder.ts';
import { fetchGit } from './fetch-git.ts';
import type { FetchedSource, FetchOptions } from './fetched.ts';

/**
 * Makes a git work tree of a source below `options.stage`. Writes nowhere else but into the cache of Debian
 * sources, so doing it twice is harmless.
 * @throws {EffectError} `sourceNotFound`, `sourceUnreachable`, `badSource`, `diskFull`, `timedOut`, `cancelled`
 */
export function fetchSource(source: SourceName, options: FetchOptions): Promise<FetchedSource> {
  switch (source.kind) {
    case 'git':
      return fetchGit(source.url, options);
    case 'folder':
      return fetchFolder(source.path, options);
    default:
      return fetchDebian(source, options);
  }
}
