/** Whether what was merged had the approvals that it needed, at the time, for the content that came to the branch. */
import type { AcceptedApproval, ApprovalCount } from '../../command/approval-count.ts';
import { approvalState } from '../../command/approval-state.ts';
import type { RepositoryConfig } from '../../config/repository-config.ts';
import { AGGREGATE_CHECK, APPROVAL_CHECK, CONFLICTS_CHECK, PUBLICATION_CHECK } from '../check-names.ts';
import { acceptedIn, isApprovalOf, mergeBaseIn } from '../check/approval-check.ts';
import type { ConfigurationChange } from '../check/configuration-changes.ts';
import type { PowerApproval } from '../check/power-check.ts';
import { isRefusedIn } from '../check/publication-check.ts';
import { type CheckRun } from '../forge/checks.ts';
import { MERGE_QUEUE } from '../forge/merging.ts';
import { type Pull } from '../forge/pulls.ts';
import { type RepositoryFacts } from '../forge/repository.ts';
import type { CommitInfo, PackageDir } from '../git-port.ts';
import type { RepositoryAccess, Ports, RepositoryWork } from '../ports.ts';
import { sidesAt } from '../repository/package-files.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { fetchedHead } from '../repository/pull-head.ts';
import { readSealed } from '../seal/update-record.ts';
import { loadApprovals } from './approvals.ts';
import type { Authorship } from './authors.ts';
import { branchBefore } from './branch-before.ts';
import { ownersMissing } from './code-owners.ts';
import { configApproval } from './config-approval.ts';
import { configOfMerge } from './merged-config.ts';
import { powerApproval } from './power-approval.ts';
import { asksApproval, isConsentTo } from './proposal-approval.ts';

/** A state of a package on the registered branch, and the proposal that brought it. */
export interface Merged {
  readonly package: Pick<PackageDir, 'directory'>;
  readonly commit: CommitInfo;
  /** Null for a direct push. */
  readonly pull: Pull | null;
}

export interface MergedApproval {
  /** False where approvals were asked for and what was merged did not have them. */
  readonly approved: boolean;
  /** Whose approvals counted when it was merged. */
  readonly by: readonly string[];
  /** What was missing, in sentences; empty where nothing was. */
  readonly missing: readonly string[];
  /** True where the one who approved was not permitted to when it was counted: a right that is given later changes nothing. */
  readonly lacksRight?: true;
  /** Of the content as it was checked; absent where something else came to the branch. */
  readonly digest?: string;
  /** An update that Portico brought without a pull request, as the configuration lets it. */
  readonly direct?: true;
  /** Approvals of the same change elsewhere that counted, such as `carol in acme/edge-canary#7`. */
  readonly elsewhere?: readonly string[];
  /** True until the repositories that approved the same change are indexed: nothing is decided before. */
  readonly waits?: true;
}

/** Counts the approvals of a merge that other repositories gave. */
export type AcceptedAtMerge = (
  access: RepositoryAccess,
  merge: Pick<ProposalSnapshot, 'facts' | 'config' | 'pull'> & {
    /** The branch before the merge, and what was merged. */
    readonly commits: Pick<ProposalSnapshot, 'base' | 'mergeBase' | 'head'>;
    /** Those that were given here. */
    readonly count: ApprovalCount;
    /** So many the check counted before the merge. */
    readonly seen: number;
    readonly beneath: () => Promise<Authorship>;
  },
  signal: AbortSignal | undefined,
) => Promise<readonly AcceptedApproval[] | 'not-indexed-yet'>;

/** What it takes to count the approvals of a merge. */
export interface CountedMerge {
  readonly ports: Pick<Ports, 'app' | 'seals' | 'content'>;
  readonly access: RepositoryAccess;
  readonly facts: RepositoryFacts;
  readonly config: RepositoryConfig;
  readonly merged: Merged;
  /** The commit of the newest tagged revision of the package, or of the one that is due before this; null where there is none. */
  readonly published: string | null;
  /** Who brought what stood on the branch before, at this commit, and comes along. */
  readonly beneath: (base: string) => Promise<Authorship>;
  /** Absent: approvals of other repositories do not count. */
  readonly accepted?: AcceptedAtMerge | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Counts the approvals, owners and privileges of a merge before it is tagged. A green check says which content was judged, and is
 * never taken for an approval: it is as old as the last look. The forge tells rights as they are now alone, and of a review only
 * that it was dismissed: what cannot be told is not approved.
 */
export async function approvalOfMerge(counted: CountedMerge): Promise<MergedApproval> {
  const { ports, access: opened, facts, merged, beneath, signal } = counted;
  const { pull } = merged;
  if (pull === null) {
    const { config } = counted;
    const digest = await digestOfDirect({ ports, access: opened, config, commit: merged.commit, signal });
    const approved = !asksApproval(config);
    return {
      approved,
      by: [],
      missing: [],
      ...(digest !== null && { digest, direct: true as const }),
    };
  }
  const access = { ...opened, forge: opened.forge.lookingAt(pull.number) };
  const base = await branchBefore(access, merged.commit, pull, signal);
  const sides = { base: base ?? merged.commit.oid, merge: merged.commit.oid };
  const { config, changes } = await configOfMerge(access, counted, sides, signal);
  const asks = asksApproval(config) || changes.some(({ weaker }) => weaker);
  const runs = await judgedAs(access, asks, { ...merged, pull }, signal);
  const digest = digestOf(runs);
  const until = pull.mergedAt ?? undefined;
  const countUntil = (moment: string | undefined): Promise<ApprovalCount> => {
    const known = {
      beneath: () => beneath(sides.base),
      ...(moment !== undefined && { until: moment }),
    };
    return loadApprovals({ ports, access, snapshot: { facts, pull, config }, digest, known, signal });
  };
  const count = await countUntil(until);
  const found = {
    by: count.counted.map(({ login }) => login),
    ...(digest !== undefined && { digest }),
  };
  if (!asks) return { approved: true, missing: [], ...found };
  if (digest === undefined || base === null) return { approved: false, missing: [OTHER_CONTENT], ...found };
  const before = until === undefined ? undefined : secondBefore(until);
  const result = await missingOf(
    { ...counted, access, config },
    { pull, base, changes, runs, digest, count, earlier: () => countUntil(before) },
  );
  if (result === 'not-indexed-yet') return { approved: false, missing: [], waits: true, ...found };
  const { missing, elsewhere } = result;
  const lacksRight = count.notCounted.some(({ reason }) => reason === 'not-permitted') && missing.length > 0;
  if (missing.length === 0 && (await wasRefused(access, merged, signal)))
    return { approved: false, missing: [REFUSED], lacksRight: true, ...found };
  return {
    approved: missing.length === 0,
    missing,
    ...(elsewhere.length > 0 && { elsewhere }),
    ...(lacksRight && { lacksRight }),
    ...found,
  };
}

const OTHER_CONTENT = 'What came to the branch is not what was checked and approved.';
const REFUSED =
  'When it was merged, the one who approved it was not permitted to: a right that was given later does not count.';

/** Whether an earlier count found that the one who approved had no right to: our check at the commit says so, which only the App writes. */
async function wasRefused(
  { forge }: Pick<RepositoryAccess, 'forge'>,
  { package: { directory }, commit }: Merged,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const runs = await forge.ourChecks(commit.oid, signal);
  const flag = runs.find(({ name }) => name === PUBLICATION_CHECK);
  return flag !== undefined && isRefusedIn(flag.externalId, directory);
}

/**
 * The checks at the proposal's head, where they speak of what came to the branch: the same content and the same change; or what a
 * merge queue made of it together with the proposals before it, if the check of that commit is green. Empty where they do not.
 */
async function judgedAs(
  access: RepositoryAccess,
  asks: boolean,
  merged: Merged & { readonly pull: Pull },
  signal: AbortSignal | undefined,
): Promise<readonly CheckRun[]> {
  const { pull, commit } = merged;
  const isSame = await isSameContent(access, pull, merged, signal);
  const written = isSame ? await access.forge.ourChecks(pull.headSha, signal) : [];
  const asChecked =
    isSame &&
    // Without required approvals the check is not written, and nothing records what the proposal changed by then.
    (written.some(({ name }) => name === APPROVAL_CHECK) || !asks) &&
    (await isSameChange({ access, pull, merged, runs: written, signal }));
  if (asChecked || !asks) return asChecked ? written : [];
  // Lists of pull requests do not say who merged.
  const by = pull.mergedBy ?? (await access.forge.getPull(pull.number, signal))?.mergedBy ?? null;
  if (by !== MERGE_QUEUE) return [];
  const group = await access.forge.ourChecks(commit.oid, signal);
  const isGreen = group.some(({ name, conclusion }) => name === AGGREGATE_CHECK && conclusion === 'success');
  return isGreen ? access.forge.ourChecks(pull.headSha, signal) : [];
}

/**
 * The content digest of an update that Portico brought without a pull request; null of any other push. Portico made the commit for
 * that, and its check there, which no one else can write, is green. Who pushed it is not asked: where nobody has to approve, whoever
 * may push could have merged a pull request of it.
 */
async function digestOfDirect({
  ports,
  access,
  config,
  commit,
  signal,
}: {
  readonly ports: Pick<Ports, 'app' | 'seals'>;
  readonly access: RepositoryAccess;
  readonly config: RepositoryConfig;
  readonly commit: CommitInfo;
  readonly signal: AbortSignal | undefined;
}): Promise<string | null> {
  if (asksApproval(config) || readSealed(commit, ports.seals)?.direct === undefined) return null;
  const runs = await access.forge.ourChecks(commit.oid, signal);
  const isGreen = runs.some(({ name, conclusion }) => name === AGGREGATE_CHECK && conclusion === 'success');
  return isGreen ? (digestOf(runs) ?? null) : null;
}

/** The approvals that were missing, in sentences: of the content, of its owners, of privileges; and those that other repositories gave. */
async function missingOf(
  { ports, access, facts, config, merged, published, beneath, accepted, signal }: CountedMerge,
  {
    pull,
    base,
    changes,
    runs,
    digest,
    count,
    earlier,
  }: {
    readonly pull: Pull;
    /** The branch as it was before the merge. */
    readonly base: string;
    /** What the merge changed of the configuration. */
    readonly changes: readonly ConfigurationChange[];
    readonly runs: readonly CheckRun[];
    readonly digest: string;
    readonly count: ApprovalCount;
    /** As of the second before the merge: what the check did not see may have been said after it. */
    readonly earlier: () => Promise<ApprovalCount>;
  },
): Promise<
  { readonly missing: readonly string[]; readonly elsewhere: readonly string[] } | 'not-indexed-yet'
> {
  const run = runs.find(({ name }) => name === APPROVAL_CHECK);
  const isSeen = run?.conclusion === 'success' || run?.conclusion === 'neutral';
  const isConsent = run?.conclusion === 'neutral' && isConsentTo(run, digest);
  const isOpen = runs.some(
    ({ name, conclusion }) => name === CONFLICTS_CHECK && conclusion === 'action_required',
  );
  const known = isConsent || (isSeen && isApprovalOf(run.externalId, digest)) ? count : await earlier();
  const people = known.counted.map(({ login }) => login);
  const commits = await commitsOfMerge(access, base, pull, signal);
  if (commits === null) return { missing: [OTHER_CONTENT], elsewhere: [] };
  const owners = isConsent ? [] : await ownersMissing(access, { config, ...commits }, people, signal);
  const seen = isSeen && (config.publish.approvals?.from ?? []).length > 0 ? acceptedIn(run.externalId) : 0;
  const others =
    seen === 0 || accepted === undefined
      ? []
      : await accepted(
          access,
          { facts, config, pull, commits, count: known, seen, beneath: () => beneath(base) },
          signal,
        );
  if (others === 'not-indexed-yet') return others;
  const all: ApprovalCount = {
    ...known,
    changesRequested: count.changesRequested,
    accepted: others,
    ...(isConsent && { needed: 0 }),
    ...(owners.length > 0 && { ownersMissing: owners }),
  };
  const state = approvalState(config, all);
  const snapshot = { config, pull };
  const weaker = await configApproval({ access, snapshot, changes, approvals: known, signal });
  const power = await powerMissing(
    { ports, access, signal },
    { ...snapshot, approvals: known },
    { ...merged, before: published },
  );
  const missing = [
    ...(isOpen ? ['Its conflicts were not settled.'] : []),
    ...(state.kind === 'missing' ? [state.sentence, ...state.notes] : []),
    ...power,
    ...neededFrom('It makes the configuration weaker', weaker),
  ];
  return { missing, elsewhere: others.map(({ login, where }) => `${login} in ${where}`) };
}

/** Who must approve what the package may do more than its newest revision, or at all if it has none, where none of them has. */
async function powerMissing(
  { ports, access, signal }: RepositoryWork<'content'>,
  approved: {
    readonly config: RepositoryConfig;
    readonly pull: Pull;
    readonly approvals: ApprovalCount;
  },
  {
    package: { directory },
    commit,
    before,
  }: Pick<Merged, 'package' | 'commit'> & { readonly before: string | null },
): Promise<readonly string[]> {
  const { config, approvals } = approved;
  if ((config.publish.requireApprovalBy ?? []).length === 0) return [];
  const sides = await sidesAt(access.git, directory, { before, after: commit.oid }, signal);
  const { deploy } = config;
  const { power: diff } = await ports.content.compare({ ...sides, ...(deploy && { deploy }) }, signal);
  const powers = [{ path: directory, directory, diff }];
  const given = await powerApproval({ access, snapshot: approved, powers, approvals, signal });
  return neededFrom('Its privileges grow, or are unknown', given);
}

function neededFrom(what: string, given: PowerApproval | undefined): readonly string[] {
  if (given === undefined || given.by.length > 0) return [];
  return [`${what}, which needs approval from ${given.needed.join(' or ')}.`];
}

/** The proposal's head, and the branch as it was before the merge; null where git does not have them any more. */
async function commitsOfMerge(
  { git }: Pick<RepositoryAccess, 'git'>,
  base: string,
  pull: Pull,
  signal: AbortSignal | undefined,
): Promise<Pick<ProposalSnapshot, 'base' | 'mergeBase' | 'head'> | null> {
  const oid = await git.resolve(pull.headSha, signal);
  const mergeBase = oid === null ? null : await git.mergeBase(base, oid, signal);
  return oid === null || mergeBase === null ? null : { base, mergeBase, head: await git.commit(oid, signal) };
}

/** Times of the forge are told by the second. */
function secondBefore(moment: string): string {
  return new Date(Date.parse(moment) - 1_000).toISOString();
}

/** Whether the package came to the branch as it stood at the proposal's head. */
async function isSameContent(
  { git }: Pick<RepositoryAccess, 'git'>,
  pull: Pull,
  { package: { directory }, commit: { oid } }: Merged,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const head = await fetchedHead(git, pull, signal);
  if (head === null) return false;
  return (await git.treeId(head, directory, signal)) === (await git.treeId(oid, directory, signal));
}

/**
 * Whether it changed what the check and those who approved saw it change: the same content takes away more where the branch
 * came to hold, by another proposal, a commit that this one has and takes back.
 */
async function isSameChange({
  access: { git },
  pull,
  merged: {
    package: { directory },
    commit,
  },
  runs,
  signal,
}: {
  readonly access: Pick<RepositoryAccess, 'git'>;
  readonly pull: Pull;
  readonly merged: Merged;
  readonly runs: readonly CheckRun[];
  readonly signal: AbortSignal | undefined;
}): Promise<boolean> {
  const seen = mergeBaseIn(runs.find(({ name }) => name === APPROVAL_CHECK)?.externalId);
  // Earlier versions did not write it; the next look at an open proposal does.
  if (seen === undefined) return true;
  const [base] = commit.parents;
  const merged = base === undefined ? null : await git.mergeBase(base, pull.headSha, signal);
  if (merged === seen) return true;
  if (merged === null || (await git.resolve(seen, signal)) === null) return false;
  return (await git.treeId(seen, directory, signal)) === (await git.treeId(merged, directory, signal));
}

function digestOf(runs: readonly CheckRun[]): string | undefined {
  const digest = runs.find(({ name }) => name === AGGREGATE_CHECK)?.externalId ?? '';
  return digest === '' ? undefined : digest;
}
