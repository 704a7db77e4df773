/**
 * Publishing is derived: a revision is due where the package's tree on the registered branch is not the tree at its
 * newest tag. So a crash between merge and tag repairs itself, and a replayed webhook publishes nothing.
 */

/** Tree ids are those of git; paths are from the root of the repository. */
export interface PublishedTree {
  readonly revision: string;
  readonly tree: string;
}

export type Due =
  /** There is no tag yet. */
  | { readonly kind: 'new'; readonly path: string; readonly tree: string }
  | { readonly kind: 'changed'; readonly path: string; readonly tree: string; readonly since: string }
  /** The directory is gone from the branch; its tags stay. No revision is due. */
  | { readonly kind: 'removed'; readonly path: string; readonly last: string }
  | { readonly kind: 'unchanged'; readonly path: string; readonly tree: string; readonly revision: string };

/** What each package needs, sorted by path. */
export function dueRevisions(
  onBranch: ReadonlyMap<string, string>,
  newest: ReadonlyMap<string, PublishedTree>,
): Due[] {
  const paths = [...new Set([...onBranch.keys(), ...newest.keys()])].sort();
  return paths.flatMap((path) => {
    const due = dueOf(path, onBranch.get(path), newest.get(path));
    return due === undefined ? [] : [due];
  });
}

function dueOf(
  path: string,
  tree: string | undefined,
  published: PublishedTree | undefined,
): Due | undefined {
  if (tree === undefined) return published && { kind: 'removed', path, last: published.revision };
  if (published === undefined) return { kind: 'new', path, tree };
  if (published.tree === tree) return { kind: 'unchanged', path, tree, revision: published.revision };
  return { kind: 'changed', path, tree, since: published.revision };
}

/** One state of the registered branch after a merge or push; `tree` is the package's, null where it is absent. */
export interface BranchStep {
  readonly commit: string;
  readonly tree: string | null;
}

/**
 * The steps of a branch (oldest first, those after the newest tag's commit) at which a revision of one package is
 * due: two merges make two revisions, even if both were seen only later. A step that leaves the package as it was,
 * or removes it, makes none.
 */
export function dueSteps(steps: readonly BranchStep[], newestTree: string | undefined): BranchStep[] {
  let published = newestTree;
  return steps.filter(({ tree }) => {
    if (tree === null || tree === published) return false;
    published = tree;
    return true;
  });
}
