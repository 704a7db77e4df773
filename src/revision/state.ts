/**
 * The states of a package revision, and which step leads from one to another. They are Porch's (lifecycle table of
 * its package revision strategy) with one difference: a proposal may still be edited, because a forge lets people
 * push; what changes the content voids the approvals instead.
 */

export type StateName =
  /** A branch, perhaps with a draft pull request. */
  | 'draft'
  /** A pull request that is ready for review. */
  | 'proposed'
  /** Merged and tagged; never changes any more. */
  | 'published'
  /** Published, with an open pull request that removes the package or an issue that asks to retire the revision. */
  | 'deletion-proposed'
  /** Removed, retired or given up. A number it had is never used again. */
  | 'gone';

/** What somebody wants to do with it. */
export type Action =
  | 'edit'
  | 'propose'
  | 'reject'
  | 'approve'
  | 'publish'
  | 'propose-deletion'
  | 'reject-deletion'
  | 'delete';

export type Transition =
  | { readonly allowed: true; readonly to: StateName }
  | { readonly allowed: false; readonly code: string; readonly message: string; readonly hint: string };

const NEXT: Record<StateName, Partial<Record<Action, StateName>>> = {
  draft: { edit: 'draft', propose: 'proposed', delete: 'gone' },
  proposed: { edit: 'proposed', approve: 'proposed', reject: 'draft', publish: 'published', delete: 'gone' },
  published: { 'propose-deletion': 'deletion-proposed' },
  'deletion-proposed': { 'reject-deletion': 'published', delete: 'gone' },
  gone: {},
};

/** Whether `action` may be done in `state`, and where it leads; the reason and the remedy where it may not. */
export function transition(state: StateName, action: Action): Transition {
  const to = NEXT[state][action];
  return to === undefined ? { allowed: false, ...refusal(state, action) } : { allowed: true, to };
}

function refusal(state: StateName, action: Action): { code: string; message: string; hint: string } {
  if (state === 'gone') {
    return {
      code: 'gone',
      message: 'it no longer exists',
      hint: 'Start a new draft, or restore an earlier revision with /portico rollback.',
    };
  }
  if (action === 'propose-deletion') return deletionRefusal(state);
  if (action === 'reject-deletion') {
    return {
      code: 'no-deletion-proposed',
      message: 'no one has proposed to delete it',
      hint: 'There is nothing to reject.',
    };
  }
  switch (state) {
    case 'draft':
      if (action === 'reject') {
        return {
          code: 'not-proposed',
          message: 'it is a draft and has not been proposed',
          hint: 'To give it up, close the pull request.',
        };
      }
      return { code: 'not-proposed', message: 'it is a draft', hint: 'Propose it first: /portico propose.' };
    case 'proposed':
      return {
        code: 'already-proposed',
        message: 'it is already proposed',
        hint: 'To see what it is waiting for, use /portico explain.',
      };
    case 'published':
    case 'deletion-proposed':
      return publishedRefusal(state, action);
  }
}

function deletionRefusal(state: Exclude<StateName, 'gone'>): { code: string; message: string; hint: string } {
  if (state === 'deletion-proposed') {
    return {
      code: 'deletion-already-proposed',
      message: 'its deletion is already proposed',
      hint: 'It waits for approval.',
    };
  }
  return {
    code: 'not-published',
    message: 'only published packages and revisions can be proposed for deletion',
    hint: 'Close the pull request and delete its branch instead.',
  };
}

function publishedRefusal(
  state: 'published' | 'deletion-proposed',
  action: Action,
): { code: string; message: string; hint: string } {
  if (action === 'delete') {
    return {
      code: 'deletion-not-proposed',
      message: 'a published revision is deleted only after its deletion was proposed and approved',
      hint: 'Propose it: /portico delete.',
    };
  }
  if (action === 'publish') {
    return { code: 'already-published', message: 'it is already published', hint: 'There is nothing to do.' };
  }
  return {
    code: 'published',
    message: action === 'edit' ? 'a published revision never changes' : 'it is already published',
    hint:
      state === 'published'
        ? 'Start a new draft; it becomes the next revision.'
        : 'Settle the proposed deletion first.',
  };
}
