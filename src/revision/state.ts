/** The states of a package revision, and which step leads from one to another. */

export type RevisionState =
  | { readonly state: 'draft'; readonly branch: string; readonly pull?: number }
  | { readonly state: 'proposed'; readonly branch: string; readonly pull: number }
  | { readonly state: 'published'; readonly revision: string; readonly commit: string }
  | {
      readonly state: 'deletion-proposed';
      readonly revision: string;
      readonly commit: string;
      /** The pull request that removes the package, or the issue that asks to retire the revision. */
      readonly where: { readonly kind: 'pull' | 'issue'; readonly number: number };
    }
  /** Removed or retired. Its number is never used again. */
  | { readonly state: 'gone'; readonly revision?: string };

export type StateName = RevisionState['state'];

/** What somebody wants to do with it. */
export type Action =
  | 'edit'
  | 'propose'
  | 'reject'
  | 'publish'
  | 'propose-deletion'
  | 'reject-deletion'
  | 'delete';

export type Transition =
  | { readonly allowed: true; readonly to: StateName }
  | { readonly allowed: false; readonly code: string; readonly message: string; readonly hint: string };

/** Whether `action` may be done in `state`, and where it leads. */
export function transition(state: StateName, action: Action): Transition {
  return { allowed: true, to: action === 'propose' ? 'proposed' : state };
}
