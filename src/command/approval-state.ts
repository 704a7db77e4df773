/** What a proposal still needs of approvals, in the words that the check, the comment, `explain` and refusals share. */
import type { Grant, RepositoryConfig } from '../config/repository-config.ts';
import { sentenceStart } from '../text/joined.ts';
import { NOT_COUNTED_BECAUSE, type ApprovalCount } from './approval-count.ts';
import { AUTHOR_BECAUSE, isAuthor, oneMoreBecause, type Author } from './author.ts';
import { grantsOf } from './authorize.ts';
import { APPROVERS } from './retirement.ts';

export interface ApprovalState {
  readonly kind: 'not-asked' | 'given' | 'missing';
  /** Plain text that ends in a period. */
  readonly sentence: string;
  /** What someone has to do; absent where nothing is missing. Markdown. */
  readonly remedy?: string;
  /** Approvals that do not count and why, one sentence each. */
  readonly notes: readonly string[];
}

/** The approvals of a proposal as a whole: how many, nobody against it, and the owners of what it changes. */
export function approvalState(config: RepositoryConfig, count: ApprovalCount): ApprovalState {
  const missing = [
    ...count.changesRequested.map(changesSentence),
    ...(isEnough(count) ? [] : [countSentence(config, count)]),
    ...(count.ownersMissing ?? []).map(ownersSentence),
  ];
  if (missing.length > 0) {
    const remedy = isEnough(count) ? ownerRemedy(count) : approvalRemedy(config, count);
    return { kind: 'missing', sentence: missing.join(' '), remedy, notes: notesOf(count) };
  }
  const kind = count.required === 0 ? 'not-asked' : 'given';
  return { kind, sentence: countSentence(config, count), notes: [] };
}

const SOMEONE = 'Someone must approve, with a review or `/portico approve`.';
const NO_ONE =
  'No one is left who can approve it. Name another approver in `spec.access.approve` on the base branch, or set `spec.publish.allowSelfApproval` there.';
const OWNER = 'A code owner must approve, with a review or `/portico approve`.';
const NO_OWNER =
  'Every code owner is an author of it, so none of them can approve it. Add another owner to CODEOWNERS on the base branch.';

/** What has to be done where approvals are missing: where no one is left who could give them, that is another thing. */
export function approvalRemedy(
  config: RepositoryConfig,
  { authors }: Pick<ApprovalCount, 'authors'>,
): string {
  return possible(config, authors).length === 0 ? NO_ONE : SOMEONE;
}

/** The same where enough have approved, and no code owner is among them. */
export function ownerRemedy({ authors, ownersMissing = [] }: ApprovalCount): string {
  const isLeft = ownersMissing.every(({ owners }) =>
    owners.some((owner) => owner.includes('/') || !isAuthor(authors, { login: owner.replace(/^@/, '') })),
  );
  return isLeft ? OWNER : NO_OWNER;
}

/** True where so many have approved as must. */
export function isEnough({ counted, accepted = [], needed }: ApprovalCount): boolean {
  return counted.length + accepted.length >= needed;
}

/** How many approvals are missing and who may give them, or who gave them. */
export function countSentence(config: RepositoryConfig, count: ApprovalCount): string {
  const { counted, accepted = [] } = count;
  const by = listed(
    [...counted.map(({ login }) => login), ...accepted.map(({ login, where }) => `${login} in ${where}`)],
    'and',
  );
  if (isEnough(count)) {
    if (by === '') return 'No approval is required.';
    const what =
      accepted.length === 0 ? 'for this content' : 'for this content, or for the same change elsewhere,';
    return `Approved ${what} by ${by}.`;
  }
  const left = count.needed - counted.length - accepted.length;
  const missing = `${left}${by === '' ? '' : ' more'} approval${left === 1 ? '' : 's'}`;
  const given = by === '' ? '' : ` (given by ${by})`;
  return `Needs ${missing}${given}: ${approvers(config, count.authors)}.`;
}

/** Why approvals that were given do not count, whose would not, and why more are asked for than usual. */
function notesOf({ notCounted, authors, unknownAuthors, needed, required }: ApprovalCount): string[] {
  return [
    ...notCounted.map(
      ({ login, reason }) => `The approval of ${login} does not count: ${NOT_COUNTED_BECAUSE[reason]}.`,
    ),
    ...new Set(
      authors
        .filter(({ because }) => because !== 'opened')
        .map(({ login, because }) => `${login} ${AUTHOR_BECAUSE[because]} and is an author of it.`),
    ),
    ...(needed === required ? [] : [sentenceOf(oneMoreBecause(unknownAuthors))]),
  ];
}

/** Who may approve by the configuration, except the authors of the content. */
function approvers(config: RepositoryConfig, authors: readonly Author[]): string {
  const grants = grantsOf(config, APPROVERS);
  if (grants.length === 0) return 'no one may approve here';
  const others = possible(config, authors);
  if (others.length === 0) return 'everyone who may approve here is an author of it';
  // Apps approve nothing anyway, and people who are named one by one are none of the authors.
  const except = authors.map(({ login }) => login).filter((login) => !login.endsWith('[bot]'));
  const open = others.some(({ kind }) => kind === 'role' || kind === 'team');
  const without = open && except.length > 0 ? ` except ${listed([...new Set(except)], 'and')}` : '';
  return `${listed(others.map(named), 'or')}${without}`;
}

/** The grants by which someone may approve who is not an author. */
function possible(config: RepositoryConfig, authors: readonly Author[]): readonly Grant[] {
  return grantsOf(config, APPROVERS).filter(
    (grant) =>
      (grant.kind !== 'author' || config.publish.allowSelfApproval) &&
      (grant.kind !== 'person' || !isAuthor(authors, grant)),
  );
}

function sentenceOf(words: string): string {
  return `${sentenceStart(words)}.`;
}

function named(grant: Grant): string {
  switch (grant.kind) {
    case 'role':
      return `anyone with ${grant.role} access`;
    case 'team':
      return `members of ${grant.team}`;
    case 'person':
      return grant.login;
    case 'author':
      return 'its author';
  }
}

function changesSentence(login: string): string {
  return `${login} requested changes: ${login} must review again, or someone must dismiss that review.`;
}

function ownersSentence({
  path,
  owners,
  notAsked,
}: NonNullable<ApprovalCount['ownersMissing']>[number]): string {
  const who = listed(
    owners.map((owner) => owner.replace(/^@/, '')),
    'or',
  );
  const more =
    notAsked === true
      ? ' There are too many teams to look up every approver in each of them: name fewer teams in CODEOWNERS.'
      : '';
  return `Needs approval from a code owner of ${path}: ${who}.${more}`;
}

function listed(names: readonly string[], word: 'and' | 'or'): string {
  if (names.length < 2) return names[0] ?? '';
  return `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1) ?? ''}`;
}
