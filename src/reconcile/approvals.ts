import {
  countApprovals,
  type ApprovalCount,
  type Review as CountedReview,
} from '../command/approval-count.ts';
import { parseRecord, unsealedRecord, type ApprovalRecord } from '../command/approval-record.ts';
import { approve } from '../command/approve.ts';
import { authorize } from '../command/authorize.ts';
import { compareTimes } from '../command/moment.ts';
import { loadCaller } from './caller.ts';
import { AGGREGATE_CHECK } from './check-names.ts';
import { ownersMissing } from './code-owners.ts';
import { askedFor } from './draft-history.ts';
import type { Comment } from './forge-port.ts';
import type { Access, World } from './ports.ts';
import type { ProposalSnapshot } from './proposal-snapshot.ts';

/** What the caller knows, and the forge need not be asked for. */
interface Known {
  /** Digests of commits whose check is about to be written. */
  readonly digests?: ReadonlyMap<string, string>;
  /** Of the proposal, listed just now. */
  readonly comments?: Promise<readonly Comment[]>;
}

/**
 * The approvals of a proposal as they count now: live reviews of the forge, each for the content that our check at
 * its commit names, and the records of `/portico approve`, by people who may approve at this moment.
 */
export async function loadApprovals(
  world: Pick<World, 'app' | 'seals'>,
  access: Access,
  snapshot: Pick<ProposalSnapshot, 'facts' | 'pull' | 'config'> & Partial<ProposalSnapshot>,
  digest: string | undefined,
  signal?: AbortSignal,
  known: Known = {},
): Promise<ApprovalCount> {
  const { pull, config, facts } = snapshot;
  const [reviews, comments] = await Promise.all([
    access.forge.listReviews(pull.number, signal),
    known.comments ?? access.forge.listComments(pull.number, signal),
  ]);
  const records = comments.flatMap((comment) => recordIn(comment, world, facts.id, pull.number) ?? []);
  const unsealed = comments.flatMap((comment) => unsealedIn(comment, world, facts.id, pull.number));
  const rejectedAt = unsealed
    .filter(({ kind }) => kind === 'rejection')
    .map(({ at }) => at)
    .sort((a, b) => compareTimes(a, b) ?? 0)
    .at(-1);
  const digests = new Map<string, string | undefined>(known.digests);
  const counted: CountedReview[] = [];
  for (const review of reviews) {
    if (review.submittedAt === null) continue;
    if (review.commitId !== null && !digests.has(review.commitId)) {
      digests.set(review.commitId, await digestAt(world, access, review.commitId, signal));
    }
    const reviewed = review.commitId === null ? undefined : digests.get(review.commitId);
    counted.push({
      login: review.author,
      isBot: review.authorIsBot,
      state: review.state,
      submittedAt: review.submittedAt,
      ...(reviewed !== undefined && { digest: reviewed }),
    });
  }
  const permitted = new Set<string>();
  for (const login of new Set([
    ...counted.map((review) => review.login),
    ...records.map((record) => record.login),
  ])) {
    const who = {
      login,
      isAuthor: false,
      isBot: counted.some((review) => review.login === login && review.isBot),
    };
    const caller = await loadCaller(access, config, who, signal);
    if (authorize(config, approve, caller).kind === 'allowed') permitted.add(login.toLowerCase());
  }
  const count = countApprovals({
    reviews: counted,
    records,
    unsealed: unsealed.filter(({ kind }) => kind === 'approval').map(({ login }) => login),
    ...(rejectedAt !== undefined && { rejectedAt }),
    digest,
    permitted: (login) => permitted.has(login.toLowerCase()),
    authors: [{ login: (await askedFor(world, access.git, pull, signal)) ?? pull.author, because: 'opened' }],
    unknownAuthors: [],
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

/** The content digest that our aggregate check at a commit carries; undefined where it has none of ours. */
export async function digestAt(
  world: Pick<World, 'app'>,
  { forge }: Pick<Access, 'forge'>,
  sha: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const checks = await forge.listChecks(sha, signal);
  const ours = checks.find(({ name, appId }) => name === AGGREGATE_CHECK && appId === world.app.id);
  return ours === undefined || ours.externalId === '' ? undefined : ours.externalId;
}

/** A record counts only as the App wrote it: by its author, never edited, with its seal. */
function recordIn(
  comment: Comment,
  world: Pick<World, 'app' | 'seals'>,
  repository: number,
  pull: number,
): ApprovalRecord | undefined {
  if (comment.author !== world.app.botLogin) return undefined;
  return parseRecord(comment.body, { repository: String(repository), pull }, world.seals);
}

/** The App's comments that hold a record which no known key sealed, with when they were written. */
function unsealedIn(
  comment: Comment,
  world: Pick<World, 'app' | 'seals'>,
  repository: number,
  pull: number,
): (Pick<ApprovalRecord, 'kind' | 'login'> & { readonly at: string })[] {
  if (comment.author !== world.app.botLogin) return [];
  const said = unsealedRecord(comment.body, { repository: String(repository), pull }, world.seals);
  return said === undefined ? [] : [{ ...said, at: comment.createdAt }];
}
