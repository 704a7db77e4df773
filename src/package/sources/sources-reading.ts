/** What was read of the document and the lock of a package's sources; `Source` is how each of them is told of. */
export type ReadingOf<Source, Problem> =
  | { readonly kind: 'none' }
  | { readonly kind: 'problems'; readonly problems: readonly Problem[] }
  | {
      readonly kind: 'sources';
      readonly sources: readonly Source[];
      /** Directories that processors fill. */
      readonly outputs: readonly string[];
      readonly hasLock: boolean;
      readonly paused?: { readonly reason: string; readonly until?: string };
    };
