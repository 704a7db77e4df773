/** Releases, one for each tag of a revision. Every write may run twice. */
export interface ReleasesPort {
  getRelease(
    tag: string,
    signal?: AbortSignal,
  ): Promise<{ readonly tag: string; readonly name: string; readonly body: string } | null>;
  /** What people wrote about a tag, as Markdown that is inert: no mention, link by number, command, comment or HTML. */
  releaseNotes(tag: string, signal?: AbortSignal): Promise<string | null>;
  removeRelease(tag: string, signal?: AbortSignal): Promise<unknown>;
  upsertRelease(
    release: { readonly tag: string; readonly name: string; readonly body: string },
    signal?: AbortSignal,
  ): Promise<unknown>;
}
