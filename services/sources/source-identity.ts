/** What a source is right now, told quickly: the recipe cache compares it with what it has built. */
import type { SourceName } from '../../machines/source-name.ts';
import { newestVersion } from './fetch-debian.ts';
import { fetchFolder } from './fetch-folder.ts';
import { remoteHead } from './fetch-git.ts';
import { withStage } from './stage.ts';

/** Wait for a network, ms: a cache must not hold a start up. */
const lookTimeoutMs = 20_000;

/**
 * The identity of a source: for git the commit of HEAD and for a folder the commit of its files (both are
 * `commit` of a fetch), for deb: and orig: the version (`version` of a fetch). Null when it cannot be had
 * within about 20 s; never throws for a source that is not there.
 */
export async function sourceIdentity(source: SourceName, home: string): Promise<{ identity: string } | null> {
  try {
    const identity = await withStage(home, async (stage) => {
      if (source.kind === 'git') return remoteHead(source.url, stage);
      if (source.kind === 'folder') return (await fetchFolder(source.path, { home, stage })).commit;
      return newestVersion(source, { home, timeoutMs: lookTimeoutMs });
    });
    return identity === null ? null : { identity };
  } catch {
    return null;
  }
}
