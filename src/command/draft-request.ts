import type { RepositoryDirectory } from '../revision/package-path.ts';
/** What drafts are made of and changed by, as commands, issue forms and the command line ask for it. */

/** A package of another place as somebody names it, not yet looked up. */
export interface UpstreamWish {
  /**
   * `url`: `https://host/owner/name.git/dir`; `repository`: `owner/name:dir` on this forge; `path`: a directory of the
   * default upstream, or `owner/name/dir`.
   */
  readonly kind: 'url' | 'repository' | 'path';
  /** URL without `.git`, or `owner/name`; '' for a path. */
  readonly repo: string;
  /** From the top of that repository, '.' for the top; for a path all that was written. */
  readonly directory: RepositoryDirectory;
  /** Revision, channel, branch, tag or commit; absent means the newest revision. */
  readonly ref?: string;
}

/** What a new draft holds. */
export type DraftSource =
  | { readonly kind: 'init'; readonly description?: string; readonly keywords?: readonly string[] }
  | { readonly kind: 'clone'; readonly upstream: UpstreamWish }
  /** The content of a revision of the same package, to work on. */
  | { readonly kind: 'copy'; readonly revision: string }
  /** The content of the registered branch, to work on. */
  | { readonly kind: 'edit' }
  /** The content of a revision, to be published again. `anyway`: although it fails today's guardrails. */
  | { readonly kind: 'rollback'; readonly revision: string; readonly anyway: boolean }
  | { readonly kind: 'rebase'; readonly upstream: UpstreamWish };

/** A draft to be made: branch `drafts/<path>/<workspace>` and a draft pull request. */
export interface DraftRequest {
  /** Below the registered directory. */
  readonly path: string;
  /** Absent: named after the revision that comes next. */
  readonly workspace?: string;
  readonly source: DraftSource;
}

/** A commit to be added to the branch of a pull request. `package` is below the registered directory. */
export type DraftChange =
  | {
      readonly kind: 'subpackage';
      readonly package: string;
      /** Below the package. */
      readonly below: string;
      readonly source: Extract<DraftSource, { kind: 'init' | 'clone' }>;
    }
  | { readonly kind: 'remove-subpackage'; readonly package: string; readonly below: string }
  | {
      readonly kind: 'eval';
      readonly package: string;
      readonly image: string;
      readonly values: ReadonlyMap<string, string>;
    }
  | { readonly kind: 'rebase'; readonly package: string; readonly upstream: UpstreamWish };
