/** Who is an author of a proposal's content: whoever has a part in it cannot approve it. */

import { isSameAccount, type Account } from './account.ts';

/** Why somebody counts as an author, for people. */
export type AuthorBecause = 'opened' | 'pushed' | 'merged' | 'asked' | 'beneath';

export interface Author extends Account {
  readonly because: AuthorBecause;
}

/** The same for people, wherever it is told: "alice, who pushed to its branch". */
export const AUTHOR_BECAUSE: Record<AuthorBecause, string> = {
  opened: 'opened it',
  pushed: 'pushed to its branch',
  merged: 'contributed part of it through another pull request',
  asked: 'had Portico create part of it with a command',
  beneath: 'pushed changes to the base branch that its next revision will publish',
};

/** Content of which nobody can tell which person brought it. */
export type UnknownAuthor =
  /** The pushes to the fork that it comes from are not shown to Portico. */
  | 'fork'
  /** An App, a workflow or a key pushed, and the forge does not say for whom. */
  | 'app'
  /** The forge does not tell, or did not answer, who pushed a part of it. */
  | 'not-told'
  /** There are more commits or pushes than are looked through. */
  | 'too-many'
  /** Who asked for a part of it is recorded by a login alone, which no account has any more. */
  | 'no-account'
  /** Portico proposes it because something was reported, which anybody who may write can do. */
  | 'reported'
  /** A command took a part of it from a branch or commit that nobody published. */
  | 'unpublished'
  /** A branch was merged into it by hand, and no branch says any more who pushed that. */
  | 'merged-by-hand'
  /** The base branch holds changes of the package that nobody approved: they are published along. */
  | 'beneath';

/** The same for people, as a sentence without its end. */
const UNKNOWN_BECAUSE: Record<UnknownAuthor, string> = {
  fork: 'Portico cannot see who pushed to the fork that it comes from',
  app: 'an App, a workflow or a key pushed part of it, and Portico cannot tell for whom',
  'not-told': 'the forge does not report who pushed part of it',
  'no-account': 'someone requested part of it under a login that no longer exists',
  'too-many': 'it has more commits or pushes than Portico checks',
  reported: 'Portico proposed it because of reports, and anyone with write access can make those',
  unpublished: 'a command took part of it from a branch or commit that was never published',
  'merged-by-hand':
    'a person merged another branch into it, and Portico cannot tell who pushed the commits of that branch',
  beneath: 'it also publishes changes that were pushed to the base branch without approval',
};

/** That one more approval is needed, and why; '' where every author is known. */
export function oneMoreBecause(unknown: readonly UnknownAuthor[]): string {
  if (unknown.length === 0) return '';
  return `one more than usual is required, because ${unknown.map((why) => UNKNOWN_BECAUSE[why]).join(', and ')}`;
}

/** True for somebody who is among the authors, whatever the account is called by now. */
export function isAuthor(authors: readonly Author[], who: Account): boolean {
  return authors.some((author) => isSameAccount(author, who));
}

/**
 * How many approvals are needed: those that the configuration asks for, and one more where nobody can tell who pushed,
 * because any one of those who approve may be the one.
 */
export function neededApprovals(required: number, unknown: readonly UnknownAuthor[]): number {
  return required === 0 || unknown.length === 0 ? required : required + 1;
}
