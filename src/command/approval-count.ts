/** Which approvals count for the content as it is now. */
import type { ApprovalRecord } from './approval-record.ts';
import { isAuthor, neededApprovals, type Author, type UnknownAuthor } from './author.ts';
import { compareTimes } from './moment.ts';

export interface Review {
  readonly login: string;
  readonly isBot: boolean;
  readonly state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'DISMISSED' | 'PENDING';
  readonly submittedAt: string;
  /** Content digest that the check at the reviewed commit carried; undefined where there was none. */
  readonly digest?: string;
}

export interface ApprovalInput {
  readonly reviews: readonly Review[];
  /** From parseRecord; a rejection among them voids every approval given before it. */
  readonly records: readonly ApprovalRecord[];
  /** Who gave approvals by comment that no known key sealed. */
  readonly unsealed?: readonly string[];
  /** Time of the latest rejection, where it is known from elsewhere than the records. */
  readonly rejectedAt?: string;
  /** The present content digest; undefined while it has not been computed: then nothing counts. */
  readonly digest: string | undefined;
  /** Whether this person may approve here, asked of the forge just now. */
  readonly permitted: (login: string) => boolean;
  /** Everybody who has a part in the content, as the forge tells it. */
  readonly authors: readonly Author[];
  /** Why there may be authors whom nobody knows; empty where all are known. */
  readonly unknownAuthors: readonly UnknownAuthor[];
  readonly allowSelfApproval: boolean;
  readonly required: number;
}

export type NotCountedReason =
  | 'bot'
  | 'self-approval'
  | 'not-permitted'
  | 'withdrawn'
  | 'dismissed'
  | 'before-rejection'
  | 'not-recorded'
  | 'other-content'
  | 'unknown-seal';

/** The same for people, wherever it is told. */
export const NOT_COUNTED_BECAUSE: Record<NotCountedReason, string> = {
  'other-content': 'it was given for other content',
  'not-recorded': 'there was no check of its content when it was given, so a new approval is needed',
  'not-permitted': 'this person may not approve here',
  'self-approval': 'an author of the content cannot approve it',
  'before-rejection': 'the proposal was rejected after it',
  dismissed: 'the review was dismissed',
  withdrawn: 'it was withdrawn',
  bot: 'bots cannot approve',
  'unknown-seal': 'it was sealed with a key that Portico does not have any more, so it has to be given again',
};

export interface ApprovalCount {
  readonly counted: readonly { readonly login: string; readonly how: 'review' | 'comment' }[];
  readonly notCounted: readonly { readonly login: string; readonly reason: NotCountedReason }[];
  /** Permitted people whose latest review asks for changes: nothing is published against them. */
  readonly changesRequested: readonly string[];
  /** How many the configuration asks for. */
  readonly required: number;
  /** How many are needed for this content: one more than `required` where nobody can tell who pushed a part of it. */
  readonly needed: number;
  /** Whose approvals do not count, and why; empty where the configuration lets authors approve. */
  readonly authors: readonly Author[];
  /** Why one more is needed; empty where every author is known. */
  readonly unknownAuthors: readonly UnknownAuthor[];
  /** Packages of which no code owner is among those counted, with who owns them; absent where nobody has to. */
  readonly ownersMissing?: readonly {
    readonly path: string;
    readonly owners: readonly string[];
    /** There are more teams and approvers than the forge is asked about, so one of them may be an owner. */
    readonly notAsked?: boolean;
  }[];
  /** Digest that was counted for. */
  readonly digest?: string;
}

/** One thing that a person said, whichever way. */
interface Statement {
  readonly login: string;
  readonly isBot: boolean;
  readonly how: 'review' | 'comment';
  readonly says: 'approved' | 'changes-requested' | 'dismissed';
  readonly at: string;
  readonly digest: string | undefined;
  /** Id of the comment, where it was said in one. */
  readonly comment?: number;
}

/** When something was said; comments of one second are told apart by their ids, which only grow. */
type Moment = Pick<Statement, 'at' | 'comment'>;

/**
 * Counts every person once. An approval counts for the content that it was given for, however often the commits are
 * rewritten, until its giver asks for changes or somebody rejects the proposal. Logins are compared without case.
 */
export function countApprovals(input: ApprovalInput): ApprovalCount {
  const rejections = input.records.filter(({ kind }) => kind === 'rejection').map(momentOf);
  const rejected = latest(
    input.rejectedAt === undefined ? rejections : [...rejections, { at: input.rejectedAt }],
  );
  const people = Map.groupBy(statements(input), ({ login }) => login.toLowerCase());
  const unknownAuthors = input.allowSelfApproval ? [] : input.unknownAuthors;
  const counted: { login: string; how: 'review' | 'comment' }[] = [];
  const notCounted: { login: string; reason: NotCountedReason }[] = [];
  const changesRequested: string[] = [];
  for (const said of people.values()) {
    const login = said[0]?.login ?? '';
    const verdict = judge(said, login, input, rejected);
    if (verdict === 'changes-requested') changesRequested.push(login);
    else if (typeof verdict === 'string') notCounted.push({ login, reason: verdict });
    else counted.push({ login, how: verdict.how });
  }
  for (const login of new Set(input.unsealed)) {
    if (!people.has(login.toLowerCase())) notCounted.push({ login, reason: 'unknown-seal' });
  }
  return {
    counted,
    notCounted,
    changesRequested,
    required: input.required,
    needed: neededApprovals(input.required, unknownAuthors),
    authors: input.allowSelfApproval ? [] : input.authors,
    unknownAuthors,
    ...(input.digest !== undefined && { digest: input.digest }),
  };
}

/** Everything decisive that was said, oldest first. */
function statements({ reviews, records }: ApprovalInput): Statement[] {
  const says = {
    APPROVED: 'approved',
    CHANGES_REQUESTED: 'changes-requested',
    DISMISSED: 'dismissed',
  } as const;
  const fromReviews = reviews.flatMap((review): Statement[] => {
    if (review.state === 'COMMENTED' || review.state === 'PENDING') return [];
    const { login, isBot, submittedAt, digest } = review;
    return [{ login, isBot, how: 'review', says: says[review.state], at: submittedAt, digest }];
  });
  const fromRecords = records
    .filter(({ kind }) => kind === 'approval')
    .map((record): Statement => {
      const { login, digest } = record;
      return { login, isBot: false, how: 'comment', says: 'approved', digest, ...momentOf(record) };
    });
  return [...fromReviews, ...fromRecords].sort((a, b) => compareTimes(a.at, b.at) ?? 0);
}

function judge(
  said: readonly Statement[],
  login: string,
  input: ApprovalInput,
  rejected: Moment | undefined,
): NotCountedReason | 'changes-requested' | { readonly how: 'review' | 'comment' } {
  const last = said.findLast(({ says }) => says !== 'dismissed');
  if (said.some(({ isBot }) => isBot)) return 'bot';
  const permitted = input.permitted(login);
  if (last?.says === 'changes-requested') return permitted ? 'changes-requested' : 'not-permitted';
  if (!input.allowSelfApproval && isAuthor(input.authors, login)) return 'self-approval';
  if (!permitted) return 'not-permitted';
  const standing = said.slice(said.findLastIndex(({ says }) => says === 'changes-requested') + 1);
  const given = standing.filter(({ says }) => says === 'approved');
  // As on the forge, the latest review of a person is the one that speaks: dismissed, it does not leave it to an earlier one.
  const dismissed = standing.findLastIndex(({ says }) => says === 'dismissed');
  const approvals = standing.filter(
    ({ says, how }, at) => says === 'approved' && (how === 'comment' || at > dismissed),
  );
  if (approvals.length === 0) {
    return given.length === 0 && said.some(({ says }) => says === 'approved') ? 'withdrawn' : 'dismissed';
  }
  const valid = approvals.filter((approval) => rejected === undefined || after(approval, rejected));
  if (valid.length === 0) return 'before-rejection';
  const matching = valid.find(({ digest }) => digest !== undefined && digest === input.digest);
  if (matching !== undefined) return { how: matching.how };
  return valid.every(({ digest }) => digest === undefined) ? 'not-recorded' : 'other-content';
}

/** A time that cannot be read is after nothing, and neither is what may have been said at the same moment. */
function after(moment: Moment, other: Moment): boolean {
  const order = compareTimes(moment.at, other.at) ?? -1;
  if (order !== 0) return order > 0;
  return moment.comment !== undefined && other.comment !== undefined && moment.comment > other.comment;
}

function latest(moments: readonly Moment[]): Moment | undefined {
  return moments.reduce<Moment | undefined>(
    (last, moment) => (last === undefined || after(moment, last) ? moment : last),
    undefined,
  );
}

function momentOf({ at, commentId }: ApprovalRecord): Moment {
  return { at, comment: commentId };
}
