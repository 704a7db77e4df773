/** Who has a part in the content of a proposal, asked of the forge: names in commits and branches prove nothing. */
import type { Account } from '../../command/account.ts';
import type { Author, UnknownAuthor } from '../../command/author.ts';
import {
  isMergedByHand,
  pushersOf,
  unexplained,
  type BranchCommit,
  type BranchHistory,
  type Pushers,
} from '../../command/pushed-by.ts';
import type { Pull } from '../forge/pulls.ts';
import type { BranchActivity, BranchPush } from '../forge/repository.ts';
import type { CommitInfo, Git } from '../git-port.ts';
import type { RepositoryAccess, Ports, RepositoryWork } from '../ports.ts';
import { answered } from '../repository/caller.ts';
import { isRenderCommit } from '../seal/bot-commit.ts';
import { readCommitRecord } from '../seal/commit-seal.ts';
import { askersOfUpdate, readSealed } from '../seal/update-record.ts';

/** A branch of more commits of its own is not looked through. */
const MAX_COMMITS = 500;
/** Merges of the base that are made again to see whether they hold anything beside it; the others count as work. */
const MAX_MERGES = 20;
/** Other branches, and other pull requests, whose pushes are asked for too. */
const MAX_OTHERS = 10;

export interface Authorship {
  readonly authors: readonly Author[];
  readonly unknown: readonly UnknownAuthor[];
}

/** The proposal's head, and the commit that it is compared with: the base branch, or what that was before the merge. */
interface Sides {
  readonly head: string;
  readonly beside: string;
}

/**
 * Everybody who opened the proposal, pushed a part of it, or had Portico make a part of it. What the forge does not
 * tell is said, never guessed.
 */
export async function loadAuthors(
  { ports, access, signal }: RepositoryWork<'app' | 'seals'>,
  pull: Pull,
  { head, beside }: Sides,
): Promise<Authorship> {
  const log = await access.git.log({ from: beside, to: head }, { limit: MAX_COMMITS + 1 }, signal);
  const commits = await commitsOf(ports, access.git, log, signal);
  const asked = log
    .flatMap((commit) => askersOf(commit, ports.seals))
    .filter(({ login }) => login !== ports.app.botLogin);
  const own = await ownPushers({ ports, access, signal }, pull, { head, beside }, commits);
  const others = await otherBranches({ ports, access, signal }, pull, commits, own.explained);
  const explained = new Map([own, ...others].flatMap((one) => [...one.explained]));
  const left = unexplained(commits, explained);
  const stood = new Set([...own.stood, ...others.flatMap((one) => [...one.explained.keys()])]);
  const isByHand = !pull.merged && isMergedByHand(commits, { stood, byForge: own.byForge });
  const all = [own, ...others];
  const unknown: UnknownAuthor[] = [
    ...(log.length > MAX_COMMITS ? ['too-many' as const] : []),
    ...(log.some((commit) => isRestoration(commit, ports)) ? ['reported' as const] : []),
    ...(log.some((commit) => isUnpublished(commit, ports)) ? ['unpublished' as const] : []),
    ...(isByHand ? ['merged-by-hand' as const] : []),
    ...all.flatMap((one) => one.unknown),
    ...(await askersUnknown(access, asked, signal)),
    ...(left.length > 0 && all.every((one) => one.unknown.length === 0) ? ['not-told' as const] : []),
  ];
  const opener = pull.author === ports.app.botLogin ? [] : [{ login: pull.author, id: pull.authorId }];
  return {
    authors: withoutDoubles([
      ...opener.map((one): Author => ({ ...one, because: 'opened' })),
      ...all.flatMap((one) => one.authors),
      ...asked.map(({ login, id }): Author => ({ login, id, because: 'asked' })),
    ]),
    unknown: [...new Set(unknown)],
  };
}

/** Who pushed to a branch of this repository, whether the forge tells all of it, and when it moved last. */
export async function pushersOfBranch(
  ports: Pick<Ports, 'app'>,
  access: Pick<RepositoryAccess, 'forge'>,
  ref: string,
  signal?: AbortSignal,
): Promise<Pushers & { readonly newest: string | null }> {
  const activity = await activityOf(access, ref, {}, signal);
  const content = { commits: [], inBase: new Set<string>(), bot: ports.app.botLogin };
  const pushers = pushersOf(historyOf(activity), content);
  const newest = activity?.pushes.at(-1)?.at ?? null;
  return { ...pushers, newest, ...(newest === null && { unknown: ['not-told'] }) };
}

/** What the forge tells of the branch of a proposal. */
interface OwnPushers extends Pushers {
  /** The commits that it was at. */
  readonly stood: ReadonlySet<string>;
  /** Those that the forge made by merging another pull request. */
  readonly byForge: ReadonlySet<string>;
}

const NOBODY: OwnPushers = {
  authors: [],
  unknown: [],
  explained: new Map(),
  stood: new Set(),
  byForge: new Set(),
};

async function ownPushers(
  { ports, access, signal }: RepositoryWork<'app'>,
  pull: Pull,
  { head, beside }: Sides,
  commits: readonly BranchCommit[],
): Promise<OwnPushers> {
  const { git, ref: here } = access;
  const isFork = pull.headRepositoryId !== here.id;
  const repository = pull.headRepository ?? null;
  if (isFork && repository === null) return { ...NOBODY, unknown: ['fork'] };
  const ref = `refs/heads/${pull.headRef}`;
  // Nobody else can have brought a part of it: what Portico made was never anywhere but where Portico put it.
  const isOwn = !isFork && !pull.merged && commits.every(({ kind }) => kind === 'ours');
  if (isOwn && git.movedOnlyByUs?.(ref, head) === true) return NOBODY;
  const asked = isFork && repository !== null ? { repository } : {};
  const activity = before(await activityOf(access, ref, asked, signal), pull.mergedAt);
  if (activity === null && isFork) return { ...NOBODY, unknown: ['fork'] };
  const inBase = await isAtBase(git, activity?.pushes ?? [], { commits, beside }, signal);
  const content = { commits, inBase, bot: ports.app.botLogin };
  const pushers = pushersOf(historyOf(activity), content);
  const pushes = activity?.pushes ?? [];
  const merges = pushes.filter(({ type }) => type === 'pr_merge' || type === 'merge_queue_merge');
  const merged = await mergedInto({ ports, access, signal }, pull, merges, content);
  return {
    authors: [...pushers.authors, ...merged.authors],
    unknown: [...pushers.unknown, ...merged.unknown],
    explained: pushers.explained,
    stood: commitsAfter(pushes),
    byForge: commitsAfter(merges),
  };
}

function commitsAfter(pushes: readonly BranchPush[]): ReadonlySet<string> {
  return new Set(pushes.flatMap(({ after }) => after ?? []));
}

/**
 * Where other pull requests were merged into the branch, who opened those and who pushed to their branches. The merge
 * itself counts as a push of the one who merged.
 */
async function mergedInto(
  { ports, access, signal }: RepositoryWork<'app'>,
  pull: Pull,
  merges: readonly BranchPush[],
  content: { readonly inBase: ReadonlySet<string>; readonly bot: string },
): Promise<Authorship> {
  const authors: Author[] = [];
  const unknown: UnknownAuthor[] = merges.length > MAX_OTHERS ? ['too-many'] : [];
  for (const { after } of merges.slice(-MAX_OTHERS)) {
    if (after === null || content.inBase.has(after)) continue;
    const pulls = await access.forge.pullsForCommit(after, signal);
    const found = pulls.find((one) => one.merged && one.baseRef === pull.headRef);
    const isHere = found?.headRepositoryId === access.ref.id;
    if (found === undefined || !isHere) unknown.push(found === undefined ? 'not-told' : 'fork');
    if (found === undefined) continue;
    authors.push({ login: found.author, id: found.authorId, because: 'merged' });
    if (!isHere) continue;
    const activity = before(
      await activityOf(access, `refs/heads/${found.headRef}`, {}, signal),
      found.mergedAt,
    );
    const theirs = pushersOf(historyOf(activity), { commits: [], inBase: content.inBase, bot: content.bot });
    authors.push(...theirs.authors);
    unknown.push(...theirs.unknown);
  }
  return { authors: authors.filter(({ login }) => login !== ports.app.botLogin), unknown };
}

/** Branches that stand at a commit of the proposal: who pushed that there has a part in it, whoever pushed it on. */
async function otherBranches(
  { ports, access, signal }: RepositoryWork<'app'>,
  pull: Pull,
  commits: readonly BranchCommit[],
  reachedProposalAt: ReadonlyMap<string, string>,
): Promise<Pushers[]> {
  if (pull.merged) return [];
  const own = new Set(commits.filter(({ kind }) => kind === 'other').map(({ oid }) => oid));
  const here = pull.headRepositoryId === access.ref.id ? `refs/heads/${pull.headRef}` : '';
  const refs = [...(await access.git.refs('refs/heads/', signal))]
    .filter(([ref, { commit }]) => ref !== here && own.has(commit))
    .map(([ref]) => ref);
  const found = await Promise.all(
    refs.slice(0, MAX_OTHERS).map(async (ref) => {
      const history = historyOf(await activityOf(access, ref, {}, signal));
      return pushersOf(history, {
        commits,
        inBase: new Set<string>(),
        bot: ports.app.botLogin,
        reachedProposalAt,
      });
    }),
  );
  const many: Pushers[] =
    refs.length > MAX_OTHERS ? [{ authors: [], unknown: ['too-many'], explained: new Map() }] : [];
  return [...found, ...many];
}

async function commitsOf(
  ports: Pick<Ports, 'seals'>,
  git: Git,
  log: readonly CommitInfo[],
  signal: AbortSignal | undefined,
): Promise<BranchCommit[]> {
  const own = new Set(log.map(({ oid }) => oid));
  let left = MAX_MERGES;
  const commits: BranchCommit[] = [];
  for (const commit of log) {
    const { oid, parents } = commit;
    let kind: BranchCommit['kind'] = isOurs(commit, ports.seals) ? 'ours' : 'other';
    if (kind === 'other' && parents.length === 2 && parents.some((parent) => !own.has(parent)) && left > 0) {
      left -= 1;
      if (await isPlainMerge(git, commit, signal)) kind = 'merge';
    }
    commits.push({ oid, parents, kind });
  }
  return commits;
}

/** True for a merge that holds what git makes of both sides, and nothing else. */
async function isPlainMerge(
  git: Git,
  { tree, parents: [ours = '', theirs = ''] }: CommitInfo,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const merged = await git.mergeTrees(ours, theirs, {}, signal);
  return merged.conflicts.length === 0 && merged.tree === tree;
}

function isOurs(commit: CommitInfo, seals: Ports['seals']): boolean {
  return (
    isRenderCommit(commit, seals) ||
    readCommitRecord(commit, seals) !== null ||
    readSealed(commit, seals) !== null
  );
}

/** What Portico restores by itself is what those want who say that something fails. */
function isRestoration(commit: CommitInfo, { app, seals }: Pick<Ports, 'app' | 'seals'>): boolean {
  const record = readCommitRecord(commit, seals);
  return record?.kind === 'draft' && record.source === 'rollback' && record.by === app.botLogin;
}

/** Whoever pushed the content that a command took from a branch may be among those who approve. */
function isUnpublished(commit: CommitInfo, { seals }: Pick<Ports, 'seals'>): boolean {
  const record = readCommitRecord(commit, seals);
  return record !== null && 'unpublished' in record && record.unpublished;
}

/** Who had Portico make a commit, by command or button. */
export function askersOf(commit: CommitInfo, seals: Ports['seals']): readonly Account[] {
  const record = readCommitRecord(commit, seals);
  if (record !== null) return 'by' in record ? [{ login: record.by, id: record.byId }] : [];
  const update = readSealed(commit, seals);
  return update === null ? [] : askersOfUpdate(update);
}

/** Of somebody who is known by a login alone, as records had it once, nobody can tell whose it was when no account has it. */
async function askersUnknown(
  { forge }: Pick<RepositoryAccess, 'forge'>,
  asked: readonly Account[],
  signal: AbortSignal | undefined,
): Promise<UnknownAuthor[]> {
  const logins = new Set(asked.flatMap(({ login, id }) => (id === undefined ? [login] : [])));
  const unknown: UnknownAuthor[] = [];
  for (const login of logins) {
    const member = await answered(forge.member(login, signal));
    if (member === undefined) unknown.push('not-told');
    else if (member.id === null) unknown.push('no-account');
  }
  return unknown;
}

/** The commits of the base branch at which the branch stood last: what was there before is gone. */
async function isAtBase(
  git: Git,
  pushes: readonly BranchPush[],
  { commits, beside }: { readonly commits: readonly BranchCommit[]; readonly beside: string },
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<string>> {
  const own = new Set(commits.map(({ oid }) => oid));
  for (const { before: began, after } of pushes.toReversed()) {
    if (after === null) return new Set();
    if (!own.has(after) && (await git.resolve(after, signal)) !== null) {
      if (await git.isAncestor(after, beside, signal)) return new Set([after]);
    }
    if (began === null) return new Set();
  }
  return new Set();
}

/** Who moved a ref; null where the forge does not tell. A rate limit is thrown, because asking later gives an answer. */
export async function activityOf(
  { forge }: Pick<RepositoryAccess, 'forge'>,
  ref: string,
  options: { readonly repository?: string },
  signal: AbortSignal | undefined,
): Promise<BranchActivity | null> {
  return (await answered(forge.branchActivity(ref, options, signal))) ?? null;
}

/** What came to the branch after the proposal was merged has no part in it. */
function before(activity: BranchActivity | null, mergedAt: string | null): BranchActivity | null {
  if (activity === null || mergedAt === null) return activity;
  const until = activity.pushes.filter(({ at }) => Date.parse(at) <= Date.parse(mergedAt));
  const last = until.findLastIndex(({ after }) => after !== null);
  return { ...activity, pushes: until.slice(0, last + 1) };
}

function historyOf(activity: BranchActivity | null): BranchHistory {
  if (activity === null) return { pushes: null, complete: true };
  return {
    complete: activity.complete,
    pushes: activity.pushes.map(({ before: was, after, type, actor, at }) => ({
      before: was,
      after,
      at,
      forced: type === 'force_push',
      actor,
    })),
  };
}

/** Every account once, for what is said of it first. Somebody known by login alone stands beside whoever has a number too. */
export function withoutDoubles(authors: readonly Author[]): Author[] {
  const first = new Map<string | number, Author>();
  for (const author of authors) {
    const key = author.id ?? author.login.toLowerCase();
    if (!first.has(key)) first.set(key, author);
  }
  return [...first.values()];
}
