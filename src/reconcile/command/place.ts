/** What a command is decided on, read from the forge and git just before. */
import { isSameAccount } from '../../command/account.ts';
import type { Checks, CommandState, IssuePlace, PullPlace } from '../../command/command-state.ts';
import { compareTimes } from '../../command/moment.ts';
import { doesMerge } from '../../command/table.ts';
import { AGGREGATE_CHECK, APPROVAL_CHECK, CONFIG_CHECK, POWER_CHECK } from '../check-names.ts';
import type { CommentSource } from '../comment-source.ts';
import { openRetirements } from '../draft/retirement-records.ts';
import type { CheckRun } from '../forge/checks.ts';
import type { CommentTarget } from '../job.ts';
import { behindPackages } from '../merge/concurrent-draft.ts';
import { openConflicts } from '../merge/open-conflicts.ts';
import type { RepositoryAccess, RepositoryWork } from '../ports.ts';
import type { ProposalReconciler } from '../proposal/proposal.ts';
import { loadCaller } from '../repository/caller.ts';
import { loadRevisionRefs, newestRevision } from '../repository/package-revisions.ts';
import { loadProposal, rootPackages, type ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { openRegistered, type Registered } from '../repository/registered.ts';
import { loadApprovals } from '../review/approvals.ts';
import { askedFor } from '../review/draft-history.ts';
import { usersOfRemoved } from '../review/known-users.ts';
import { withAccepted } from '../review/same-change.ts';
import { beneathProposal } from '../review/unpublished-beneath.ts';
import { holdOn } from '../rollout/hold.ts';
import { isRenderCommit } from '../seal/bot-commit.ts';
import { readCommitRecord } from '../seal/commit-seal.ts';
import { foreignSentence } from '../text/markdown-blocks.ts';
import { updateChoices } from './update-choices.ts';

/** `snapshot` is null in an issue. */
export interface CommandPlace {
  readonly state: CommandState;
  readonly snapshot: ProposalSnapshot | null;
}

/**
 * What a command is decided on. An approval counts as soon as it is there, while a ruleset that requires the check
 * `portico` counts it when the check says so: before something is published, checks that wait for people are brought up
 * to date.
 */
export async function loadPlaceFor({
  verb,
  ports,
  access,
  look,
  target,
  source,
  signal,
}: RepositoryWork & {
  readonly verb: string;
  readonly look: ProposalReconciler;
  readonly target: CommentTarget;
  readonly source: CommentSource;
}): Promise<CommandPlace | null> {
  const merges = doesMerge(verb);
  const place = await loadCommandPlace({ ports, access, signal }, target, source, merges);
  if (!merges || place === null || place.snapshot === null) return place;
  const { pull, config } = place.snapshot;
  const waits = (place.state.checks.waiting ?? []).length > 0 || place.state.hold !== undefined;
  if (!waits || pull.state !== 'open' || pull.baseRef !== config.branch) return place;
  // Whoever may publish it has asked: a stranger's proposal waits in no other lane.
  const { repository, number } = target;
  await look({ repository, number, author: pull.author }, signal);
  return loadCommandPlace({ ports, access, signal }, target, source);
}

/**
 * Null where Portico has no business: no such place, repository or branch not registered. `merges`: something may be merged on it, so it
 * waits until all rollouts are known.
 */
export async function loadCommandPlace(
  { ports, access, signal }: RepositoryWork,
  target: CommentTarget,
  source: CommentSource,
  merges = true,
): Promise<CommandPlace | null> {
  const loaded = await loadProposal(access, target.number, { anyBase: true }, signal);
  if (loaded.kind === 'snapshot')
    return inPull({ ports, access, signal }, loaded.snapshot, { target, source, merges });
  return loaded.reason === 'absent' ? inIssue({ ports, access, signal }, target.number, source) : null;
}

async function inPull(
  { ports, access, signal }: RepositoryWork,
  snapshot: ProposalSnapshot,
  {
    target,
    source,
    merges,
  }: { readonly target: CommentTarget; readonly source: CommentSource; readonly merges: boolean },
): Promise<CommandPlace> {
  const { pull, config, head } = snapshot;
  const runs = await access.forge.listChecks(head.oid, signal);
  const ours = runs.filter(({ appId }) => appId === ports.app.id);
  const checks = checksOf(ours);
  // A head counts as pushed when our check of it began: nobody could have judged it earlier.
  const began = ours.find(({ name }) => name === AGGREGATE_CHECK)?.startedAt ?? null;
  const refs = await loadRevisionRefs(access.git, signal);
  // Who had Portico open it is its author in everything that is asked of one.
  const opener = { login: pull.author, id: pull.authorId };
  const author = (await askedFor(ports, access.git, pull, signal)) ?? opener;
  const who = {
    login: source.author,
    id: source.authorId,
    isAuthor: isSameAccount(author, { login: source.author, id: source.authorId }),
    isBot: source.authorIsBot,
  };
  const conflicts = await openConflicts({ ports, access, snapshot, head: head.oid, signal });
  const baseChangedAt = (await access.forge.basedAt(pull.number, signal)).toSorted().at(-1);
  const isKnown = merges || ports.catalog.isWhole();
  const hold = isKnown ? await holdOn(ports, access.git, snapshot, { isLast: merges, signal }) : undefined;
  const count = await loadApprovals({
    ports,
    access,
    snapshot,
    digest: checks.digest,
    known: { beneath: () => beneathProposal(ports, access, snapshot, signal) },
    signal,
  });
  const state: CommandState = {
    caller: await loadCaller(access, config, who, signal),
    comment: { id: source.id, createdAt: source.createdAt, author: source.author },
    place: {
      ...pullPlace(snapshot),
      author: author.login,
      ...(baseChangedAt !== undefined && { baseChangedAt }),
      ...(began !== null && { headPushedAt: began }),
      ...(began !== null &&
        (await receivedLate(access, snapshot, { began, comment: source.createdAt }, signal))),
      ...(target.headSeen !== undefined && {
        headSeenAtComment: await seenHead({ ports, access, signal }, target, snapshot),
      }),
    },
    config,
    packages: snapshot.packages.map(({ path, directory, trees }) => {
      const newest = newestRevision(refs, directory)?.name;
      const changes = pull.draft ? 'draft' : 'proposed';
      return {
        path,
        state: trees.head === null ? 'deletion-proposed' : changes,
        ...(newest !== undefined && { newest }),
      };
    }),
    ...(checks.digest !== undefined && { digest: checks.digest }),
    checks,
    approvals: await withAccepted({ ports, access, snapshot, count, signal }),
    ...(hold && { hold }),
    openConflicts: conflicts.lost ? 1 : conflicts.conflicts.length,
    conflicts: { open: conflicts.conflicts, listed: conflicts.listed, lost: conflicts.lost },
    usedBy: await usersOfRemoved(ports, access, snapshot, signal),
    behind: behindPackages(snapshot).map(({ path }) => path),
    updates: await updateChoices(
      { ports, access, signal },
      snapshot,
      head.oid,
      snapshot.packages.filter(({ trees }) => trees.head !== null),
    ),
  };
  return { state, snapshot };
}

/** When the forge recorded the push of a head that Portico has seen only after the comment; of another repository it is not asked. */
async function receivedLate(
  access: RepositoryAccess,
  { pull, head, writable }: ProposalSnapshot,
  times: { readonly began: string; readonly comment: string },
  signal: AbortSignal | undefined,
): Promise<Pick<PullPlace, 'headReceivedAt'>> {
  if (!writable || (compareTimes(times.comment, times.began) ?? 0) >= 0) return {};
  const activity = await access.forge.branchActivity(`refs/heads/${pull.headRef}`, {}, signal);
  const push = activity?.pushes.at(-1);
  return push?.after === head.oid ? { headReceivedAt: push.at } : {};
}

function pullPlace({ pull, head, writable }: ProposalSnapshot): PullPlace {
  return {
    kind: 'pull',
    number: pull.number,
    nodeId: pull.nodeId,
    state: pull.state,
    draft: pull.draft,
    locked: pull.locked,
    merged: pull.merged,
    author: pull.author,
    headRef: pull.headRef,
    headSha: head.oid,
    baseRef: pull.baseRef,
    fork: !writable,
    ...(pull.mergeableState === 'blocked' || pull.mergeableState === 'behind'
      ? { heldBack: pull.mergeableState }
      : {}),
  };
}

/** In an issue a command is about any package of the registered branch. */
async function inIssue(
  { ports, access, signal }: RepositoryWork,
  number: number,
  source: CommentSource,
): Promise<CommandPlace | null> {
  const [issue, found] = await Promise.all([
    access.forge.getIssue(number, signal),
    openRegistered(access, {}, signal),
  ]);
  if (issue === null || issue.isPull || found.kind === 'none') return null;
  const { facts, config } = found;
  const place = { kind: 'issue', number, state: issue.state, locked: issue.locked } as const;
  const state = await packageState({ ports, access, signal }, found, place, {
    ...source,
    isAuthor: source.author === issue.author,
  });
  const asked = { issue: number, comment: source.id };
  const retirements = await openRetirements({ ports, access, facts, config, ...asked, signal });
  return { state: { ...state, retirements }, snapshot: null };
}

/**
 * What a command about a package is decided on that was said in another repository, in an open or closed conversation: as in an
 * issue of the repository that holds the package, where its writer is the author of nothing. Null where that one is not registered.
 */
export async function loadElsewherePlace(
  { ports, access, signal }: RepositoryWork,
  conversation: IssuePlace,
  source: CommentSource,
): Promise<(CommandPlace & { readonly registered: Registered }) | null> {
  const registered = await openRegistered(access, {}, signal);
  if (registered.kind === 'none') return null;
  const by = { ...source, isAuthor: false };
  const state = await packageState({ ports, access, signal }, registered, conversation, by);
  return { state, snapshot: null, registered };
}

/** About any package of the registered branch. */
async function packageState(
  { ports, access, signal }: RepositoryWork,
  { facts, config, head }: Registered,
  place: IssuePlace,
  by: CommentSource & { readonly isAuthor: boolean },
): Promise<CommandState> {
  const who = { login: by.author, id: by.authorId, isAuthor: by.isAuthor, isBot: by.authorIsBot };
  return {
    caller: await loadCaller(access, config, who, signal),
    comment: { id: by.id, createdAt: by.createdAt, author: by.author },
    place,
    config,
    packages: [],
    checks: { state: 'absent', failing: [] },
    approvals: {
      counted: [],
      notCounted: [],
      changesRequested: [],
      required: config.publish.requireApprovals,
      needed: config.publish.requireApprovals,
      authors: [],
      unknownAuthors: [],
    },
    openConflicts: 0,
    updates: await updateChoices(
      { ports, access, signal },
      { facts, config },
      head,
      await rootPackages(access, head, config.directory, signal),
    ),
  };
}

/** What these wait for is somebody's approval, which commands count for themselves. */
const APPROVALS: readonly string[] = [APPROVAL_CHECK, POWER_CHECK, CONFIG_CHECK];

/** Our checks at the head, as one word. An aggregate that waits for nothing else waits for a rollout. */
function checksOf(runs: readonly CheckRun[]): Checks {
  const aggregate = runs.find(({ name }) => name === AGGREGATE_CHECK);
  const open = runs.filter(
    ({ name, conclusion }) =>
      name !== AGGREGATE_CHECK && (conclusion === 'failure' || conclusion === 'action_required'),
  );
  const waiting = open.filter(waitsForApproval).map(named);
  const failing = open.filter((run) => !waitsForApproval(run)).map(named);
  if (aggregate === undefined) return { state: 'absent', failing };
  const digest: { digest?: string } = aggregate.externalId === '' ? {} : { digest: aggregate.externalId };
  if (aggregate.status !== 'completed') return { state: 'pending', failing, waiting, ...digest };
  const { conclusion } = aggregate;
  if (conclusion === 'action_required' && digest.digest !== undefined && open.length === 0)
    waiting.push(named(aggregate));
  // Work that somebody ended says so by the same conclusion, of no content.
  const green =
    conclusion === 'success' ||
    (conclusion === 'action_required' && aggregate.externalId !== '' && failing.length === 0);
  return { state: green ? 'green' : 'red', failing, waiting, ...digest };
}

function waitsForApproval({ name, conclusion }: CheckRun): boolean {
  return conclusion === 'action_required' && APPROVALS.includes(name);
}

function named({ name, title }: CheckRun): { readonly name: string; readonly title: string } {
  return { name, title: foreignSentence(title ?? '').replace(/\.$/, '') };
}

/** Commits of ours on top of what was seen are looked through so far. */
const OWN_COMMITS = 20;

/**
 * What Portico itself put on top of the head that the person saw, by rendering it or for the commands above in the same
 * comment, is not news: then the present head stands for the one that was seen.
 */
async function seenHead(
  { ports, access: { git }, signal }: RepositoryWork<'seals', 'git'>,
  { headSeen = '', source }: CommentTarget,
  { head }: ProposalSnapshot,
): Promise<string> {
  let commit = head;
  for (let above = 0; above < OWN_COMMITS && commit.oid !== headSeen; above += 1) {
    const [parent] = commit.parents;
    const record = readCommitRecord(commit, ports.seals);
    const asked = record !== null && 'comment' in record && record.comment === source.id;
    if (parent === undefined || !(asked || isRenderCommit(commit, ports.seals))) return headSeen;
    commit = await git.commit(parent, signal);
  }
  return commit.oid === headSeen ? head.oid : headSeen;
}
