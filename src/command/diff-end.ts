/** One end of a comparison: a revision, the registered branch, a commit, or the head of the pull request. */
export type DiffEnd =
  | { readonly kind: 'revision'; readonly revision: string }
  | { readonly kind: 'commit'; readonly commit: string }
  | { readonly kind: 'branch' }
  | { readonly kind: 'head' };
