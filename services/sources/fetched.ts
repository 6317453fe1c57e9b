/** What every kind of source is turned into: a git work tree on this machine. */

export interface FetchedSource {
  /** A git work tree; its HEAD is what is ported, every file in it is tracked. */
  folder: string;
  /** The commit a person would name: upstream's for git, HEAD of the work tree otherwise. */
  commit: string;
  branch: string;
  /** Debian version, or the tag of the commit; '' when not told. */
  version: string;
  recovery: { originalUrl: string; successUrl: string; attempted: string[] } | null;
  notes: string[];
}

export interface FetchOptions {
  /** The data folder. */
  home: string;
  /** An empty folder of the caller, on the same disk as `home`; what is made stands below it. */
  stage: string;
  signal?: AbortSignal | undefined;
  onProgress?: ((text: string) => void) | undefined;
}
