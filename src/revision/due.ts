/**
 * Publishing is derived: a revision is due where the package's tree on the registered branch is not the tree at its
 * newest tag. So a crash between merge and tag repairs itself, and a replayed webhook publishes nothing.
 */

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
