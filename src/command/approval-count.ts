/** Which approvals count for the content as it is now. */
import type { Account } from './account.ts';
import type { ApprovalRecord } from './approval-record.ts';
import { isAuthor, neededApprovals, type Author, type UnknownAuthor } from './author.ts';
import { compareTimes } from './moment.ts';

export interface Review {
  readonly login: string;
  readonly accountId?: number | undefined;
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
  /** Which account has this login now: null where none has, undefined where the forge did not say. */
  readonly accountOf: (login: string) => number | null | undefined;
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
  | 'unknown-seal'
  | 'other-account';

/** The same for people, wherever it is told. */
export const NOT_COUNTED_BECAUSE: Record<NotCountedReason, string> = {
  'other-content': 'it was given for other content',
  'not-recorded': 'the content had not been checked when it was given, so a new approval is needed',
  'not-permitted': 'this person may not approve here',
  'self-approval': 'an author of the content cannot approve it',
  'before-rejection': 'the proposal was rejected after it',
  dismissed: 'the review was dismissed',
  withdrawn: 'it was withdrawn',
  bot: 'bots cannot approve',
  'other-account': 'the account that gave it no longer has this name, so it must be given again',
  'unknown-seal': 'it was sealed with a key that Portico no longer has, so it must be given again',
};

/** An approval of the same change in another repository. */
export interface AcceptedApproval extends Account {
  /** The proposal that it was given to, such as `acme/edge-canary#7`. */
  readonly where: string;
}

export interface ApprovalCount {
  readonly counted: readonly (Account & { readonly how: 'review' | 'comment' })[];
  /** Given elsewhere for the same change, which both repositories let count; absent where nobody asked for them. */
  readonly accepted?: readonly AcceptedApproval[];
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
interface Statement extends Account {
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
 * rewritten, until its giver asks for changes or somebody rejects the proposal. People are told apart by their accounts; a record counts
 * only while the account that gave it still has the login that it names, because rights are asked for by login.
 */
export function countApprovals(input: ApprovalInput): ApprovalCount {
  const rejections = input.records.filter(({ kind }) => kind === 'rejection').map(momentOf);
  const rejected = latest(
    input.rejectedAt === undefined ? rejections : [...rejections, { at: input.rejectedAt }],
  );
  const moved = input.records.filter((record) => hasMoved(record, input));
  const records = input.records.filter((record) => !hasMoved(record, input));
  const given = statements({ reviews: input.reviews, records });
  const people = Map.groupBy(given, ({ login, id }) => id ?? input.accountOf(login) ?? login.toLowerCase());
  const unknownAuthors = input.allowSelfApproval ? [] : input.unknownAuthors;
  const counted: (Account & { how: 'review' | 'comment' })[] = [];
  const notCounted: { login: string; reason: NotCountedReason }[] = [];
  const changesRequested: string[] = [];
  for (const by of people.values()) {
    const { login = '', id } = by[0] ?? {};
    const account = id ?? input.accountOf(login) ?? undefined;
    const verdict = countedState(by, { login, id: account }, input, rejected);
    if (verdict === 'changes-requested') changesRequested.push(login);
    else if (typeof verdict === 'string') notCounted.push({ login, reason: verdict });
    else counted.push({ login, ...(account !== undefined && { id: account }), how: verdict.how });
  }
  const others = moved.filter(({ kind, accountId }) => kind === 'approval' && !people.has(accountId ?? ''));
  for (const login of new Set(others.map((record) => record.login))) {
    notCounted.push({ login, reason: 'other-account' });
  }
  const logins = new Set(given.map(({ login }) => login.toLowerCase()));
  for (const login of new Set(input.unsealed)) {
    if (!logins.has(login.toLowerCase())) notCounted.push({ login, reason: 'unknown-seal' });
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

/** Whether somebody else has the login by now, or nobody. */
function hasMoved({ login, accountId }: ApprovalRecord, { accountOf }: ApprovalInput): boolean {
  const now = accountOf(login);
  return now !== undefined && (now === null || (accountId !== undefined && accountId !== now));
}

const WEIGHT = { approved: 0, dismissed: 1, 'changes-requested': 2 } as const;

/** Everything decisive that was said, oldest first. */
function statements({ reviews, records }: Pick<ApprovalInput, 'reviews' | 'records'>): Statement[] {
  const says = {
    APPROVED: 'approved',
    CHANGES_REQUESTED: 'changes-requested',
    DISMISSED: 'dismissed',
  } as const;
  const fromReviews = reviews.flatMap((review): Statement[] => {
    if (review.state === 'COMMENTED' || review.state === 'PENDING') return [];
    const { login, accountId: id, isBot, submittedAt, digest } = review;
    return [{ login, id, isBot, how: 'review', says: says[review.state], at: submittedAt, digest }];
  });
  const fromRecords = records
    .filter(({ kind }) => kind === 'approval')
    .map((record): Statement => {
      const { login, accountId: id, digest } = record;
      return { login, id, isBot: false, how: 'comment', says: 'approved', digest, ...momentOf(record) };
    });
  // An objection wins over an approval of the same second, which is how precise the forge's times are.
  const order = (a: Statement, b: Statement): number => WEIGHT[a.says] - WEIGHT[b.says];
  return [...fromReviews, ...fromRecords].sort((a, b) => (compareTimes(a.at, b.at) ?? 0) || order(a, b));
}

function countedState(
  statements: readonly Statement[],
  who: Account,
  input: ApprovalInput,
  rejected: Moment | undefined,
): NotCountedReason | 'changes-requested' | { readonly how: 'review' | 'comment' } {
  const last = statements.findLast(({ says }) => says !== 'dismissed');
  if (statements.some(({ isBot }) => isBot)) return 'bot';
  const permitted = input.permitted(who.login);
  if (last?.says === 'changes-requested') return permitted ? 'changes-requested' : 'not-permitted';
  if (!input.allowSelfApproval && isAuthor(input.authors, who)) return 'self-approval';
  if (!permitted) return 'not-permitted';
  const standing = statements.slice(statements.findLastIndex(({ says }) => says === 'changes-requested') + 1);
  const given = standing.filter(({ says }) => says === 'approved');
  // The forge does not tell what a dismissed review said: it may have been an objection, so that nothing earlier counts.
  const dismissed = standing.findLastIndex(({ says }) => says === 'dismissed');
  const approvals = standing.slice(dismissed + 1).filter(({ says }) => says === 'approved');
  if (approvals.length === 0) {
    return given.length === 0 && statements.some(({ says }) => says === 'approved')
      ? 'withdrawn'
      : 'dismissed';
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
