/** Whether what was merged had the approvals that it needed, at the time, for the content that came to the branch. */
import type { ApprovalCount } from '../../command/approval-count.ts';
import { isEnough } from '../../command/approval-state.ts';
import type { RepositoryConfig } from '../../config/repository-config.ts';
import {
  AGGREGATE_CHECK,
  APPROVAL_CHECK,
  CONFIG_CHECK,
  CONFLICTS_CHECK,
  POWER_CHECK,
} from '../check-names.ts';
import { isApprovalOf, mergeBaseIn } from '../check/approval-check.ts';
import { type CheckRun } from '../forge/checks.ts';
import { MERGE_QUEUE } from '../forge/merging.ts';
import { type Pull } from '../forge/pulls.ts';
import { type RepositoryFacts } from '../forge/repository.ts';
import type { CommitInfo, PackageDir } from '../git-port.ts';
import type { RepositoryAccess, Ports } from '../ports.ts';
import { fetchedHead } from '../repository/pull-head.ts';
import { readSealed } from '../seal/update-record.ts';
import { loadApprovals } from './approvals.ts';
import type { Authorship } from './authors.ts';
import { ownersMissing } from './code-owners.ts';
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
  /** Of the content as it was checked; absent where something else came to the branch. */
  readonly digest?: string;
  /** An update that Portico brought without a pull request, as the configuration lets it. */
  readonly direct?: true;
}

/**
 * What Portico merged was decided on then, as far as it came to the branch as it was checked. For what others merged, the check at the proposal's head says what was known
 * when it was merged; where a last approval came too late for the check, the approvals given before the merge are counted.
 * What nobody can tell is not approved.
 */
export async function approvalOfMerge({
  ports,
  access: opened,
  facts,
  config,
  merged,
  beneath,
  signal,
}: {
  readonly ports: Pick<Ports, 'app' | 'seals'>;
  readonly access: RepositoryAccess;
  readonly facts: RepositoryFacts;
  readonly config: RepositoryConfig;
  readonly merged: Merged;
  /** Who brought what stood on the branch before and comes along. */
  readonly beneath: () => Promise<Authorship>;
  readonly signal?: AbortSignal | undefined;
}): Promise<MergedApproval> {
  const { pull } = merged;
  if (pull === null) {
    const digest = await digestOfDirect({ ports, access: opened, config, commit: merged.commit, signal });
    const approved = !asksApproval(config);
    return digest === null ? { approved, by: [] } : { approved, by: [], digest, direct: true };
  }
  const access = { ...opened, forge: opened.forge.lookingAt(pull.number) };
  const isSame = await isSameContent(access, pull, merged, signal);
  const written = isSame ? await access.forge.ourChecks(pull.headSha, signal) : [];
  const asChecked =
    isSame &&
    // Where nobody had to approve the check is not written, and nothing tells what the proposal changed by then.
    (written.some(({ name }) => name === APPROVAL_CHECK) || !asksApproval(config)) &&
    (await isSameChange({ access, pull, merged, runs: written, signal }));
  const runs = asChecked ? written : [];
  const digest = digestOf(runs);
  const until = pull.mergedAt ?? undefined;
  const countUntil = (moment: string | undefined): Promise<ApprovalCount> => {
    const known = {
      beneath,
      ...(moment !== undefined && { until: moment }),
    };
    return loadApprovals({ ports, access, snapshot: { facts, pull, config }, digest, known, signal });
  };
  const count = await countUntil(until);
  const found = {
    by: count.counted.map(({ login }) => login),
    ...(digest !== undefined && { digest }),
  };
  const approved =
    !asksApproval(config) ||
    (await isMergedByRule(ports, access, { commit: merged.commit, pull, asChecked }, signal)) ||
    (digest !== undefined &&
      (await isApproved(
        access,
        config,
        {
          ...merged,
          pull,
          runs,
          digest,
          count,
          earlier: () => countUntil(until === undefined ? undefined : secondBefore(until)),
        },
        signal,
      )));
  return { approved, ...found };
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

/**
 * Merged by Portico, which asks for approvals itself, or by the queue with the check of what it merged green. Portico names
 * the head that it merges and cannot name the base: what a push put under it meanwhile nobody approved.
 */
async function isMergedByRule(
  ports: Pick<Ports, 'app'>,
  access: Pick<RepositoryAccess, 'forge'>,
  merged: { readonly commit: CommitInfo; readonly pull: Pull; readonly asChecked: boolean },
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const { commit, pull, asChecked } = merged;
  // Lists of pull requests do not say who merged.
  const by = pull.mergedBy ?? (await access.forge.getPull(pull.number, signal))?.mergedBy ?? null;
  if (by === ports.app.botLogin) return asChecked;
  if (by !== MERGE_QUEUE) return false;
  const runs = await access.forge.ourChecks(commit.oid, signal);
  return runs.some(({ name, conclusion }) => name === AGGREGATE_CHECK && conclusion === 'success');
}

/** Checks that wait for a decision which no approval of the content replaces. */
const DECIDED_FIRST: readonly string[] = [POWER_CHECK, CONFIG_CHECK, CONFLICTS_CHECK];

async function isApproved(
  access: RepositoryAccess,
  config: RepositoryConfig,
  {
    commit,
    pull,
    runs,
    digest,
    count,
    earlier,
  }: Merged & {
    readonly pull: Pull;
    readonly runs: readonly CheckRun[];
    readonly digest: string;
    readonly count: ApprovalCount;
    /** As of the second before the merge: what the check did not see may have been said after it. */
    readonly earlier: () => Promise<ApprovalCount>;
  },
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (runs.some(({ name, conclusion }) => DECIDED_FIRST.includes(name) && conclusion === 'action_required'))
    return false;
  const run = runs.find(({ name }) => name === APPROVAL_CHECK);
  if (run?.conclusion === 'success' && isApprovalOf(run.externalId, digest)) {
    // The check is as old as the last look: who lost the right to approve since does not count, which no review tells.
    return isEnough(count) || count.notCounted.every(({ reason }) => reason !== 'not-permitted');
  }
  if (run?.conclusion === 'neutral' && isConsentTo(run, digest)) return true;
  const known = await earlier();
  if (!isEnough(known) || known.changesRequested.length > 0 || count.changesRequested.length > 0)
    return false;
  const [base] = commit.parents;
  const head = await access.git.resolve(pull.headSha, signal);
  const mergeBase =
    base === undefined || head === null ? null : await access.git.mergeBase(base, head, signal);
  if (base === undefined || head === null || mergeBase === null) return false;
  const commits = { config, base, mergeBase, head: await access.git.commit(head, signal) };
  const people = known.counted.map(({ login }) => login);
  return (await ownersMissing(access, commits, people, signal)).length === 0;
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
