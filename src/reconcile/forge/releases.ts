export interface Release {
  /** An existing tag. */
  readonly tag: string;
  readonly name: string;
  readonly body: string;
}

/** Releases, one for each tag of a revision. Every write may run twice. */
export interface ReleasesPort {
  getRelease(tag: string, signal?: AbortSignal): Promise<Release | null>;
  /** Those of these tags that have a release. Many are asked for together. */
  released(tags: readonly string[], signal?: AbortSignal): Promise<ReadonlySet<string>>;
  /**
   * What people wrote about a tag, as Markdown that is inert: no mention, link by number, command, comment or HTML. Null where
   * nothing is.
   */
  releaseNotes(tag: string, signal?: AbortSignal): Promise<string | null>;
  /** Takes the release of a tag away, where there is one; the tag stays. */
  removeRelease(tag: string, signal?: AbortSignal): Promise<unknown>;
  /**
   * One release per tag: made, corrected or left alone. It never becomes the repository's "Latest": `make_latest` is true
   * where it is left out of a new release (https://docs.github.com/en/rest/releases/releases#create-a-release), and which of
   * many packages was published last says nothing. What people mark as the latest stays so.
   */
  upsertRelease(release: Release, signal?: AbortSignal): Promise<unknown>;
}
