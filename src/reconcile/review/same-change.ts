/**
 * The same change, approved once: an update may take the approvals of another package that the same update changed in the same
 * way, where the base branches of both repositories say so. Whatever cannot be told counts as another change.
 */
import type { CatalogRepository, Follower } from '../../catalog/catalog.ts';
import { isSameAccount, type Account } from '../../command/account.ts';
import type { AcceptedApproval, ApprovalCount } from '../../command/approval-count.ts';
import { isEnough } from '../../command/approval-state.ts';
import { compareTimes } from '../../command/moment.ts';
import type { RepositoryConfig } from '../../config/repository-config.ts';
import { repositoryDirectory, type RepositoryDirectory } from '../../revision/package-path.ts';
import type { Provenance } from '../../revision/provenance.ts';
import type { Ports, RepositoryAccess } from '../ports.ts';
import { isDecidingFile } from '../repository/deciding-file.ts';
import { readKptfileAt } from '../repository/kptfile-at.ts';
import { filesAt } from '../repository/package-files.ts';
import { loadRevisionRefs, taggedRevisions } from '../repository/package-revisions.ts';
import {
  loadProposal,
  type ProposalPackage,
  type ProposalSnapshot,
} from '../repository/proposal-snapshot.ts';
import { provenanceOf } from '../repository/tag-provenance.ts';
import { isNamed, isSameOwner, mayFlow, partyOf } from '../repository/visibility.ts';
import { revisionOf } from '../rollout/history.ts';
import { isRenderCommit } from '../seal/bot-commit.ts';
import { readSealed } from '../seal/update-record.ts';
import { keepNewest } from '../text/keep-newest.ts';
import { catchUserError } from '../text/why-refused.ts';
import { digestAt, loadApprovals } from './approvals.ts';
import type { Authorship } from './authors.ts';
import { beneathProposal, isAuthorless } from './unpublished-beneath.ts';

/** Other packages that are looked at for one: each costs a fetch and some reads. */
const MAX_PLACES = 5;
/** The same after a merge, when those that had the revision may have another by now. */
const MAX_PLACES_AT_MERGE = 20;
/** Newest revisions of another package among which the one that brought the upstream's is sought. */
const MAX_REVISIONS = 10;
/** Commits of an update branch. */
const MAX_COMMITS = 50;
/** Digests of changes that are remembered, by the trees. */
const MAX_REMEMBERED = 5_000;

export type Accepting = Pick<Ports, 'app' | 'seals' | 'now' | 'catalog' | 'memories' | 'content' | 'open'>;

/** The count with the approvals that are accepted from elsewhere, where it needs them. */
export async function withAccepted({
  ports,
  access,
  snapshot,
  count,
  signal,
}: {
  readonly ports: Accepting;
  readonly access: RepositoryAccess;
  readonly snapshot: ProposalSnapshot;
  readonly count: ApprovalCount;
  readonly signal?: AbortSignal | undefined;
}): Promise<ApprovalCount> {
  const { pull } = snapshot;
  if (pull.state !== 'open' || pull.merged || pull.draft) return count;
  const beneath = (): Promise<Authorship> => beneathProposal(ports, access, snapshot, signal);
  const accepted = await acceptedElsewhere({ ports, access, snapshot, count, beneath, signal });
  return accepted.length === 0 ? count : { ...count, accepted };
}

/** The approvals of the same change elsewhere that count for a proposal, where it needs them; as of its merge, if it is merged. */
export async function acceptedElsewhere({
  ports,
  access,
  snapshot,
  count,
  beneath,
  signal,
}: {
  readonly ports: Accepting;
  readonly access: RepositoryAccess;
  /** Its base is the branch as it was before the merge, if it is merged. */
  readonly snapshot: ProposalSnapshot;
  readonly count: ApprovalCount;
  /** Who brought what the base holds of the packages and no revision does. */
  readonly beneath: () => Promise<Authorship>;
  readonly signal: AbortSignal | undefined;
}): Promise<readonly AcceptedApproval[]> {
  const from = snapshot.config.publish.approvals?.from ?? [];
  if (from.length === 0 || !mayAccept(snapshot, count)) return [];
  if (!(await isPorticosAlone(ports, access, snapshot, signal))) return [];
  if (await changesDecidingFile(access, snapshot, signal)) return [];
  // Elsewhere a difference was approved; what nobody has approved or published here would come along with it.
  if (!isAuthorless(await beneath())) return [];
  // Somebody rejected it: what was approved before, wherever, counts no more.
  if ((await access.forge.draftedAt(snapshot.pull.number, ports.app.botLogin, signal)).length > 0) return [];
  let accepted: readonly AcceptedApproval[] | undefined;
  for (const found of snapshot.packages) {
    const given = await acceptedFor({ ports, access, snapshot, found, signal });
    accepted =
      accepted === undefined
        ? given
        : accepted.filter((one) => given.some((other) => isSameAccount(one, other)));
    if (accepted.length === 0) return [];
  }
  return withoutKnown(accepted ?? [], count);
}

/** Pure: only an update whose authors are all known, and to which nobody objects. */
function mayAccept(
  { pull, config, packages, otherFiles, writable }: ProposalSnapshot,
  count: ApprovalCount,
): boolean {
  return (
    pull.baseRef === config.branch &&
    writable &&
    otherFiles.length === 0 &&
    packages.length > 0 &&
    // What the base branch changed meanwhile nobody elsewhere has seen.
    packages.every(
      ({ trees }) => trees.head !== null && trees.mergeBase !== null && trees.base === trees.mergeBase,
    ) &&
    !config.publish.allowSelfApproval &&
    !isEnough(count) &&
    count.changesRequested.length === 0 &&
    count.unknownAuthors.length === 0
  );
}

/** Pure: an author never counts, and whoever has spoken here speaks here. */
export function withoutKnown(
  accepted: readonly AcceptedApproval[],
  { counted, notCounted, authors }: Pick<ApprovalCount, 'counted' | 'notCounted' | 'authors'>,
): readonly AcceptedApproval[] {
  const known: readonly Account[] = [...counted, ...notCounted, ...authors];
  return accepted.filter((given) => !known.some((one) => isSameAccount(one, given)));
}

/** All that the branch adds was made by Portico for an update, and no conflict is open. */
export async function isPorticosAlone(
  { seals }: Pick<Ports, 'seals'>,
  { git }: Pick<RepositoryAccess, 'git'>,
  { base, head }: Pick<ProposalSnapshot, 'base' | 'head'>,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const log = await git.log({ from: base, to: head.oid }, { limit: MAX_COMMITS }, signal);
  if (log.length === 0 || log.length >= MAX_COMMITS) return false;
  const updates = log
    .filter((commit) => !isRenderCommit(commit, seals))
    .map((commit) => readSealed(commit, seals));
  return (
    updates.length > 0 && updates.every((record) => record !== null) && updates[0]?.conflicts === undefined
  );
}

async function changesDecidingFile(
  { git }: Pick<RepositoryAccess, 'git'>,
  { facts, config, mergeBase, head }: ProposalSnapshot,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const changes = await git.changedPaths(mergeBase, head.oid, signal);
  return changes.some(({ path }) => isDecidingFile(config, facts.fullName, path));
}

/** A package that the same revision of the same upstream was brought to, or the upstream itself. */
interface Place {
  readonly repository: CatalogRepository;
  readonly directory: RepositoryDirectory;
  /** The upstream's own revision; absent: the one whose lock names it is sought. */
  readonly revision?: string;
}

interface Looking {
  readonly ports: Accepting;
  readonly access: RepositoryAccess;
  readonly snapshot: ProposalSnapshot;
  readonly found: ProposalPackage;
  readonly signal: AbortSignal | undefined;
}

async function acceptedFor(looking: Looking): Promise<readonly AcceptedApproval[]> {
  const { ports, access, snapshot, found, signal } = looking;
  const brought = await broughtBy(looking);
  if (brought === undefined) return [];
  const { catalog } = ports;
  const from = snapshot.config.publish.approvals?.from ?? [];
  const upstream = catalog.byUrl(brought.repo);
  if (upstream === undefined) return [];
  const { merged } = snapshot.pull;
  const hasIt = ({ package: { lock } }: Follower): boolean =>
    lock !== null && revisionOf(lock.ref) === brought.revision;
  const followers = catalog
    .followers(upstream.ref.id, brought.directory)
    // After the merge here, packages there may have moved on: their tags say what brought the revision.
    .filter((follower) => merged || hasIt(follower))
    .toSorted((a, b) => Number(hasIt(b)) - Number(hasIt(a)) || a.repository.ref.id - b.repository.ref.id)
    .map(({ repository, package: { directory } }): Place => ({ repository, directory }));
  const places = [
    { repository: upstream, directory: brought.directory, revision: brought.revision },
    ...followers,
  ]
    .filter(({ repository: { ref } }) => ref.id !== snapshot.facts.id && isNamed(from, ref))
    .slice(0, merged ? MAX_PLACES_AT_MERGE : MAX_PLACES);
  const { mergeBase, head } = snapshot;
  const own =
    places.length === 0
      ? ''
      : await changeOf(
          ports,
          access,
          { directory: found.directory, before: mergeBase, after: head.oid },
          signal,
        );
  for (const place of places) {
    // What cannot be read there approves nothing here.
    const given = await catchUserError(
      () => approvedAt({ ports, snapshot, place, brought: brought.revision, change: own, signal }),
      () => [],
    );
    if (given.length > 0) return given;
  }
  return [];
}

/** The upstream and revision that an update brings; undefined where it changes where the package comes from. */
async function broughtBy({
  access: { git },
  snapshot: { mergeBase, head },
  found: { directory },
  signal,
}: Looking): Promise<
  { readonly repo: string; readonly directory: RepositoryDirectory; readonly revision: string } | undefined
> {
  const [before, after] = await Promise.all(
    [mergeBase, head.oid].map(
      async (commit) => (await readKptfileAt(git, commit, directory, signal)).kptfile?.upstreamLock?.git,
    ),
  );
  if (before === undefined || after === undefined) return undefined;
  const [old, now] = [repositoryDirectory(before.directory), repositoryDirectory(after.directory)];
  const revision = revisionOf(after.ref);
  if (before.repo !== after.repo || old !== now || revision === undefined) return undefined;
  return { repo: after.repo, directory: now, revision };
}

/** Whose approvals counted when the same change was published there; nobody where one of both does not agree. */
async function approvedAt({
  ports,
  snapshot,
  place: { repository, directory, revision },
  brought,
  change,
  signal,
}: {
  readonly ports: Accepting;
  readonly snapshot: ProposalSnapshot;
  readonly place: Place;
  readonly brought: string;
  readonly change: string;
  readonly signal: AbortSignal | undefined;
}): Promise<readonly AcceptedApproval[]> {
  const there = await ports.open(repository.ref, signal);
  await there.git.fetch({}, signal);
  const told = await toldOf({ access: there, directory, revision, brought, signal });
  if (told?.proposal === undefined) return [];
  const loaded = await loadProposal(there, told.proposal, {}, signal);
  if (loaded.kind === 'none' || !doBothAgree(snapshot, loaded.snapshot)) return [];
  const { facts, config, pull, mergeBase, head, packages } = loaded.snapshot;
  const tree = packages.find((one) => one.directory === directory)?.trees.head ?? null;
  if (!pull.merged || pull.mergedAt === null || pull.mergeCommitSha === null || tree === null) return [];
  if ((await there.git.treeId(pull.mergeCommitSha, directory, signal)) !== tree) return [];
  const sides = { directory, before: mergeBase, after: head.oid };
  if ((await changeOf(ports, there, sides, signal)) !== change) return [];
  const digest = await digestAt(there, pull.headSha, signal);
  const beneath = (): ReturnType<typeof beneathProposal> =>
    beneathProposal(ports, there, loaded.snapshot, signal);
  const given = { facts, pull, config };
  const countUntil = (until: string | null): Promise<ApprovalCount> => {
    const known = { beneath, ...(until !== null && { until }) };
    return loadApprovals({ ports, access: there, snapshot: given, digest, known, signal });
  };
  const until = snapshot.pull.mergedAt;
  if (until !== null && (compareTimes(pull.mergedAt, until) ?? 1) > 0) return [];
  const count = await countUntil(pull.mergedAt);
  if (!isApprovedByPeople(config, count)) return [];
  // Who objected there after its merge, and before one here, has withdrawn it.
  const later = await countUntil(until);
  if (later.changesRequested.length > 0) return [];
  const where = `${facts.fullName}#${pull.number}`;
  // Both must name them: what counted when it was published, and what the forge tells now.
  return count.counted
    .filter(({ login }) => told.approvedBy.includes(login))
    .map(({ login, id }) => ({ login, ...(id !== undefined && { id }), where }));
}

/** Pure: both base branches name the other's repository, and whoever reads the update may know where it was approved. */
export function doBothAgree(
  here: Pick<ProposalSnapshot, 'facts' | 'config'>,
  there: Pick<ProposalSnapshot, 'facts' | 'config'>,
): boolean {
  return (
    isNamed(here.config.publish.approvals?.from, there.facts) &&
    isNamed(there.config.publish.approvals?.to, here.facts) &&
    isSameOwner(partyOf(here), partyOf(there)) &&
    mayFlow(partyOf(there), partyOf(here))
  );
}

/** What was accepted there itself, or asked of nobody, is not handed on. */
function isApprovedByPeople({ publish }: RepositoryConfig, count: ApprovalCount): boolean {
  return (
    publish.requireApprovals > 0 &&
    !publish.allowSelfApproval &&
    count.counted.length >= count.needed &&
    count.changesRequested.length === 0 &&
    count.unknownAuthors.length === 0
  );
}

/** What the tag that Portico made there says of the revision that brought it; undefined where there is none, or nobody approved it. */
async function toldOf({
  access: { git },
  directory,
  revision,
  brought,
  signal,
}: {
  readonly access: RepositoryAccess;
  readonly directory: RepositoryDirectory;
  readonly revision: string | undefined;
  readonly brought: string;
  readonly signal: AbortSignal | undefined;
}): Promise<Provenance | undefined> {
  const refs = await loadRevisionRefs(git, signal);
  const names =
    revision === undefined
      ? taggedRevisions(refs, directory)
          .map(({ name }) => name)
          .slice(-MAX_REVISIONS)
          .toReversed()
      : [revision];
  for (const name of names) {
    const told = await provenanceOf({ git, refs, directory, revision: name, signal });
    if (told === undefined || told.unapproved === true) continue;
    if (revision === undefined && revisionOf(told.upstreamLock?.ref ?? '') !== brought) continue;
    return told;
  }
  return undefined;
}

/** By trees, which are content: what is remembered never gets old. */
async function changeOf(
  { memories, content }: Pick<Ports, 'memories' | 'content'>,
  { git }: Pick<RepositoryAccess, 'git'>,
  {
    directory,
    before,
    after,
  }: { readonly directory: RepositoryDirectory; readonly before: string; readonly after: string },
  signal: AbortSignal | undefined,
): Promise<string> {
  const memory = memories.of(createChangeMemory);
  const trees = await Promise.all([before, after].map((commit) => git.treeId(commit, directory, signal)));
  const key = trees.join(' ');
  const known = memory.get(key);
  if (known !== undefined) return known;
  const [old, now] = await Promise.all(
    [before, after].map((commit) => filesAt(git, commit, directory, signal)),
  );
  const change = await content.changeDigest({ before: old ?? new Map(), after: now ?? new Map() }, signal);
  keepNewest(memory, key, change, MAX_REMEMBERED);
  return change;
}

function createChangeMemory(): Map<string, string> {
  return new Map();
}
