import {
  countApprovals,
  type ApprovalCount,
  type Review as CountedReview,
} from '../../command/approval-count.ts';
import { parseRecord, unsealedRecord, type ApprovalRecord } from '../../command/approval-record.ts';
import { approve } from '../../command/approve.ts';
import { authorize } from '../../command/authorize.ts';
import { digestSeen, type CheckedContent } from '../../command/digest-seen.ts';
import { lostRejections } from '../../command/lost-rejections.ts';
import { compareTimes } from '../../command/moment.ts';
import { AGGREGATE_CHECK } from '../check-names.ts';
import type { Comment } from '../forge/comments.ts';
import type { Review } from '../forge/reviews.ts';
import type { RepositoryAccess, Ports, RepositoryWork } from '../ports.ts';
import { loadCaller } from '../repository/caller.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { loadAuthors, withoutDoubles, type Authorship } from './authors.ts';
import { ownersMissing } from './code-owners.ts';
import { sidesOf } from './draft-history.ts';

/** What the caller knows, and the forge need not be asked for. */
interface Known {
  /** Of the proposal, listed just now. */
  readonly comments?: Promise<readonly Comment[]>;
  /** Who brought what the base holds of its packages and no revision does (`loadBeneath`). */
  readonly beneath: () => Promise<Authorship>;
  /** The check whose external id is the digest; absent: the aggregate. */
  readonly check?: string;
  /** What was said later (ISO 8601) does not count: the proposal was merged then. */
  readonly until?: string;
}

interface ApprovalsOf {
  readonly snapshot: Pick<ProposalSnapshot, 'facts' | 'pull' | 'config'> & Partial<ProposalSnapshot>;
  /** Of the content that they are counted for. */
  readonly digest: string | undefined;
  readonly known: Known;
}

/**
 * The approvals of a proposal as they count now: live reviews of the forge, each for the content that our check at its
 * commit named when it was given, and the records of `/portico approve`, by people who may approve at this moment and
 * have no part in the content.
 */
export async function loadApprovals({
  ports,
  access,
  signal,
  ...proposal
}: ApprovalsOf & {
  readonly ports: Pick<Ports, 'app' | 'seals'>;
  readonly access: RepositoryAccess;
  readonly signal?: AbortSignal | undefined;
}): Promise<ApprovalCount> {
  const { snapshot, digest, known } = proposal;
  const { pull, config, facts } = snapshot;
  const { allowSelfApproval, requireApprovals } = config.publish;
  const authorship = (): Promise<Authorship> => authorsOf(ports, access, proposal, signal);
  const [listed, comments, asked] = await Promise.all([
    access.forge.listReviews(pull.number, signal),
    known.comments ?? access.forge.listComments(pull.number, signal),
    allowSelfApproval || requireApprovals === 0 ? undefined : authorship(),
  ]);
  const records = comments
    .flatMap((comment) => recordIn(comment, ports, facts.id, pull.number) ?? [])
    .filter(({ at }) => isBy(at, known.until));
  const unsealed = comments.flatMap((comment) => unsealedIn(comment, ports, facts.id, pull.number));
  const isApproved =
    records.some(({ kind }) => kind === 'approval') || listed.some(({ state }) => state === 'APPROVED');
  const drafted = isApproved ? await access.forge.draftedAt(pull.number, ports.app.botLogin, signal) : [];
  const rejectedAt = lastRejection(records, unsealed, drafted, known.until);
  const reviews = await withDigests(
    access,
    listed.filter(({ submittedAt }) => submittedAt !== null && isBy(submittedAt, known.until)),
    signal,
    known.check,
  );
  // Nobody is asked where no answer matters: authors may approve, or no approval is asked for and none is there.
  const isIdle = allowSelfApproval || reviews.length + records.length === 0;
  const { authors, unknown } = asked ?? (isIdle ? NOBODY : await authorship());
  const { permitted, accounts } = await loadApprovers(access, config, { reviews, records }, signal);
  const count = countApprovals({
    reviews,
    records,
    unsealed: unsealed.filter(({ kind }) => kind === 'approval').map(({ login }) => login),
    ...(rejectedAt !== undefined && { rejectedAt }),
    digest,
    permitted: (login) => permitted.has(login.toLowerCase()),
    accountOf: (login) => accounts.get(login.toLowerCase()),
    authors,
    unknownAuthors: unknown,
    allowSelfApproval: config.publish.allowSelfApproval,
    required: config.publish.requireApprovals,
  });
  // What is merged already asks nobody any more.
  const { base, mergeBase, head } = snapshot;
  if (base === undefined || mergeBase === undefined || head === undefined || pull.merged) return count;
  const people = count.counted.map(({ login }) => login);
  const missing = await ownersMissing(access, { config, base, mergeBase, head }, people, signal);
  return missing.length === 0 ? count : { ...count, ownersMissing: missing };
}

/** Whether someone has approved a proposal or requested changes: then a change of rights may change what is counted. */
export async function isDecidedOn(
  { ports, access, signal }: RepositoryWork<'app' | 'seals', 'forge'>,
  repository: number,
  number: number,
): Promise<boolean> {
  const forge = access.forge.lookingAt(number);
  const reviews = await forge.listReviews(number, signal);
  if (reviews.some(({ state }) => state === 'APPROVED' || state === 'CHANGES_REQUESTED')) return true;
  const comments = await forge.listComments(number, signal);
  return comments.some((comment) => recordIn(comment, ports, repository, number) !== undefined);
}

/** When the proposal was last rejected in a way that no record with a seal tells; nothing said after `until` counts. */
function lastRejection(
  records: readonly ApprovalRecord[],
  unsealed: readonly Pick<ApprovalRecord, 'kind' | 'at'>[],
  drafted: readonly string[],
  until: string | undefined,
): string | undefined {
  const timesOf = (record: readonly Pick<ApprovalRecord, 'kind' | 'at'>[]): string[] =>
    record.filter(({ kind, at }) => kind === 'rejection' && isBy(at, until)).map(({ at }) => at);
  const lost = lostRejections(
    drafted.filter((at) => isBy(at, until)),
    // Anybody who may write can make a comment that looks like a record whose seal does not hold: it answers for no rejection.
    timesOf(records),
  );
  return [...timesOf(unsealed), ...lost].sort((a, b) => compareTimes(a, b) ?? 0).at(-1);
}

/** Of those who gave reviews and records: who may approve now, and the account that each name is of. Names in lower case. */
async function loadApprovers(
  access: RepositoryAccess,
  config: ProposalSnapshot['config'],
  given: { readonly reviews: readonly CountedReview[]; readonly records: readonly ApprovalRecord[] },
  signal: AbortSignal | undefined,
): Promise<{
  readonly permitted: ReadonlySet<string>;
  readonly accounts: ReadonlyMap<string, number | null>;
}> {
  const permitted = new Set<string>();
  const accounts = new Map<string, number | null>();
  for (const login of new Set([...given.reviews, ...given.records].map((one) => one.login))) {
    const isBot = given.reviews.some((review) => review.login === login && review.isBot);
    const caller = await loadCaller(access, config, { login, isAuthor: false, isBot }, signal);
    if (caller.role !== undefined && !isBot) accounts.set(login.toLowerCase(), caller.id ?? null);
    if (authorize(config, approve, caller).kind === 'allowed') permitted.add(login.toLowerCase());
  }
  return { permitted, accounts };
}

const NOBODY: Authorship = { authors: [], unknown: [] };

async function authorsOf(
  ports: Pick<Ports, 'app' | 'seals'>,
  access: RepositoryAccess,
  proposal: ApprovalsOf,
  signal: AbortSignal | undefined,
): Promise<Authorship> {
  const { pull, base, head } = proposal.snapshot;
  const sides =
    base === undefined || head === undefined || pull.merged
      ? await sidesOf(access.git, pull, signal)
      : { head: head.oid, beside: base };
  const opener =
    pull.author === ports.app.botLogin
      ? []
      : [{ login: pull.author, id: pull.authorId, because: 'opened' as const }];
  if (sides === null) return { authors: opener, unknown: ['not-told'] };
  const [own, others] = await Promise.all([
    loadAuthors({ ports, access, signal }, pull, sides),
    proposal.known.beneath(),
  ]);
  return {
    authors: withoutDoubles([...own.authors, ...others.authors]),
    unknown: [...new Set([...own.unknown, ...others.unknown])],
  };
}

/** Each review with the content that its giver could see: what our check at its commit named at that moment. */
async function withDigests(
  access: Pick<RepositoryAccess, 'forge'>,
  reviews: readonly Review[],
  signal: AbortSignal | undefined,
  check = AGGREGATE_CHECK,
): Promise<CountedReview[]> {
  const histories = new Map<string, Promise<readonly CheckedContent[]>>();
  const counted: CountedReview[] = [];
  for (const {
    author: login,
    authorId: accountId,
    authorIsBot: isBot,
    state,
    submittedAt,
    commitId,
  } of reviews) {
    if (submittedAt === null) continue;
    let digest: string | undefined;
    if (state === 'APPROVED' && commitId !== null) {
      const history = histories.get(commitId) ?? checkedContents(access, commitId, signal, check);
      histories.set(commitId, history);
      digest = digestSeen(await history, submittedAt);
    }
    counted.push({ login, accountId, isBot, state, submittedAt, ...(digest !== undefined && { digest }) });
  }
  return counted;
}

/** What our aggregate check (or another) at a commit spoke of, run by run: only the App writes them, and none is ever changed. */
export async function checkedContents(
  { forge }: Pick<RepositoryAccess, 'forge'>,
  sha: string,
  signal?: AbortSignal,
  check = AGGREGATE_CHECK,
): Promise<readonly CheckedContent[]> {
  const runs = await forge.checkHistory(sha, check, signal);
  return runs.map(({ id, externalId: digest, startedAt }) => ({ id, digest, startedAt }));
}

/** Whether something was said by then; what cannot be told was not. */
function isBy(at: string, until: string | undefined): boolean {
  return until === undefined || (compareTimes(at, until) ?? 1) <= 0;
}

/** The content digest that our aggregate check at a commit carries; undefined where it has none of ours. */
export async function digestAt(
  { forge }: Pick<RepositoryAccess, 'forge'>,
  sha: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const checks = await forge.ourChecks(sha, signal);
  const ours = checks.find(({ name }) => name === AGGREGATE_CHECK);
  return ours === undefined || ours.externalId === '' ? undefined : ours.externalId;
}

/** A record counts only as the App wrote it: by its author, never edited, with its seal. */
function recordIn(
  comment: Comment,
  ports: Pick<Ports, 'app' | 'seals'>,
  repository: number,
  pull: number,
): ApprovalRecord | undefined {
  if (comment.author !== ports.app.botLogin) return undefined;
  return parseRecord(comment.body, { repository: String(repository), pull }, ports.seals);
}

/** The App's comments that hold a record which no known key sealed, with when they were written. */
function unsealedIn(
  comment: Comment,
  ports: Pick<Ports, 'app' | 'seals'>,
  repository: number,
  pull: number,
): (Pick<ApprovalRecord, 'kind' | 'login'> & { readonly at: string })[] {
  if (comment.author !== ports.app.botLogin) return [];
  const record = unsealedRecord(comment.body, { repository: String(repository), pull }, ports.seals);
  return record === undefined ? [] : [{ ...record, at: comment.createdAt }];
}
