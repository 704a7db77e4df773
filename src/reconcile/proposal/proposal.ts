import type { ApprovalCount } from '../../command/approval-count.ts';
import { PorticoError } from '../../error.ts';
import type { KptfileProblem } from '../../package/kptfile-types.ts';
import { contentDigest } from '../../revision/digest.ts';
import { parseBranch } from '../../revision/ref-name.ts';
import type { TrialMemory } from '../check/config-trial.ts';
import { checkConfigurationAlone, proposedConfig } from '../check/proposed-config.ts';
import type { JobData } from '../job.ts';
import { proposalJob, recheckJob, strangerJob, updateBranchJob } from '../jobs.ts';
import { behindPackages, remergeProposal, type Remerge } from '../merge/concurrent-draft.ts';
import { openConflicts } from '../merge/open-conflicts.ts';
import type { RepositoryAccess, RepositoryRef, Ports } from '../ports.ts';
import { proposedChannels, type ProposedChannels } from '../promotion/proposed-channels.ts';
import { withdrawnByUpdate } from '../promotion/withdrawn-update.ts';
import { loadGuardrails, type LoadedGuardrails } from '../render/guardrails.ts';
import { createRenderCache, renderProposal, type RenderedPackage } from '../render/proposal-render.ts';
import { pushRendered, type RenderCommit } from '../render/render-commit.ts';
import { dashboardNews } from '../repository/dashboard-news.ts';
import { readKptfileAt } from '../repository/kptfile-at.ts';
import { refPath } from '../repository/package-revisions.ts';
import { loadProposal, type ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { tellUnreadable } from '../repository/tell-unreadable.ts';
import { loadApprovals } from '../review/approvals.ts';
import { waivedPackages } from '../review/draft-history.ts';
import { removedPackages, usersOfRemoved } from '../review/known-users.ts';
import { leftBehind } from '../review/left-behind.ts';
import { powerApproval } from '../review/power-approval.ts';
import { mayMergeItself, proposalApproval } from '../review/proposal-approval.ts';
import { loadChanges } from '../review/proposal-changes.ts';
import { beneathProposal } from '../review/unpublished-beneath.ts';
import { keepNewest } from '../text/keep-newest.ts';
import { SUMMARY_MARKER } from '../text/summary-marker.ts';
import { catchUserError } from '../text/why-refused.ts';
import { tellPutOff } from '../update/tell-put-off.ts';
import { tellOpenUpdate } from '../update/tell-update-state.ts';
import { isGreen, proposalChecks } from './checks.ts';
import { loadFixes, type FixMemory } from './fixes.ts';
import { suggestFixes } from './suggest-fixes.ts';
import { sumUpClosed } from './sum-up-closed.ts';
import { summaryOf } from './summary.ts';
import { writtenChecks } from './written-checks.ts';

/** After this what the forge does not show is not there. */
const SHOWN_AFTER_MS = 60_000;

/** `put off`: it takes longer than its turn, and is to be looked at where long ones wait. */
export type ProposalReconciler = (
  target: JobData<'proposal'>,
  signal?: AbortSignal,
) => Promise<'looked' | 'put off'>;

/**
 * Brings a pull request to the state it should be in: the branch holds the rendered packages, each check says what
 * holds, one comment sums it up. Run again, it writes nothing.
 */
export function createProposalReconciler(ports: Ports): ProposalReconciler {
  const cache = createRenderCache();
  const trials: TrialMemory = new Map();
  const mended: FixMemory = new Map();
  const listed = new Map<string, string>();
  const look = async (
    access: RepositoryAccess,
    target: JobData<'proposal'>,
    signal?: AbortSignal,
  ): Promise<void> => {
    const { number, again, at = 0 } = target;
    const loaded = await loadProposal(access, number, {}, signal);
    if (loaded.kind === 'snapshot') await tellDashboard(ports, access.ref, loaded.snapshot.pull, listed);
    if (loaded.kind === 'none') {
      // A forge may tell of a pull request before it shows it.
      if (loaded.reason === 'absent' && ports.now().getTime() - at < SHOWN_AFTER_MS) {
        throw new PorticoError('PULL_NOT_SHOWN', `the forge does not show #${number} yet`, {
          blame: 'forge',
        });
      }
      if (loaded.reason === 'other-branch') {
        await checkConfigurationAlone({ ports, access, number, memory: trials, signal });
      }
      ports.log.debug(
        { repository: `${access.ref.owner}/${access.ref.name}`, pull: number, reason: loaded.reason },
        'nothing to do for this pull request',
      );
      return;
    }
    if (loaded.snapshot.pull.state === 'closed') {
      await sumUpClosed(ports, access, loaded.snapshot, signal);
      return;
    }
    if (!loaded.snapshot.writable && target.author === undefined) {
      const { repository } = target;
      const job =
        again === undefined ? proposalJob(repository, number) : recheckJob(repository, number, again);
      await ports.enqueue(strangerJob(job, loaded.snapshot.pull.author));
      return;
    }
    const { snapshot, remerge } = await merged(ports, access, loaded.snapshot, signal);
    const guardrails = await loadGuardrails({
      git: access.git,
      config: snapshot.config,
      base: snapshot.base,
      signal,
    });
    const rendered = await renderProposal({
      ports,
      access,
      snapshot,
      guardrails,
      cache: again === undefined ? cache : createRenderCache(),
      signal,
    });
    const commit = await pushRendered({ ports, access, snapshot, rendered, signal });
    const digest = await contentOf({ ports, access, snapshot, guardrails, rendered, commit, signal });
    const comments = access.forge.listComments(number, signal);
    const [changes, approvals] = await Promise.all([
      loadChanges({ ports, access, snapshot, commit, signal }),
      loadApprovals({
        ports,
        access,
        snapshot,
        digest,
        known: { comments, beneath: () => beneathProposal(ports, access, snapshot, signal) },
        signal,
      }),
    ]);
    const approval = await proposalApproval({ ports, access, snapshot, digest, count: approvals, signal });
    const fixes = await loadFixes({
      ports,
      access,
      snapshot,
      rendered,
      guardrails,
      commit,
      memory: mended,
      signal,
    });
    const open = await openConflicts({ ports, access, snapshot, head: commit.head.oid, signal });
    const configuration = await proposedConfig({
      ports,
      access,
      registered: snapshot,
      inForce: guardrails,
      memory: trials,
      signal,
    });
    const checks = proposalChecks({
      config: snapshot.config,
      headSha: commit.head.oid,
      digest,
      mergeBase: snapshot.mergeBase,
      rendered,
      removed: removedPackages(snapshot).map(({ path }) => path),
      usedBy: await usersOfRemoved(ports, access, snapshot, signal),
      leftBehind: await leftBehind(
        access,
        { packages: snapshot.packages, registered: snapshot.config.directory, head: commit.head.oid },
        signal,
      ),
      commit,
      kptfiles: await kptfileProblems(access, commit.head.oid, snapshot, signal),
      ...open,
      behind: {
        packages: behindPackages(snapshot).map(({ path }) => path),
        reason: remerge.kind === 'withheld' ? remerge.reason : '',
      },
      waived: await waivedPackages({ ports, git: access.git, snapshot, head: commit.head.oid, signal }),
      proposedConfig: configuration,
      channels: await channelsOf(ports, access, { snapshot, approvals }, signal),
      powers: changes,
      powerApproval: await powerApproval({ access, snapshot, powers: changes, approvals, signal }),
      approval,
      fixable: new Set(
        snapshot.writable && commit.state === 'rendered' ? fixes.map(({ check }) => check) : [],
      ),
    });
    const judged = { snapshot, checks, approval, head: commit.head, again: again !== undefined };
    const written = await writtenChecks(ports, access, judged, signal);
    const put = written.map((check) => {
      const anew = again !== undefined && (again.check ?? check.name) === check.name;
      return anew ? { ...check, notBefore: new Date(at).toISOString() } : check;
    });
    await access.forge.putChecks(put, signal);
    if (mayMergeItself(snapshot.config, snapshot.pull) && isGreen(checks)) {
      await ports.enqueue(updateBranchJob(access.ref, snapshot.pull.headRef));
    }
    const body = summaryOf({
      pull: snapshot.pull,
      digest,
      packages: changes,
      rendered,
      checks,
      approvals,
      approval: approval.state,
      // An update lists its own in its description.
      conflicts: parseBranch(snapshot.pull.headRef)?.kind === 'update' ? [] : open.conflicts,
      mergeNotes: open.notes,
      isEmpty: changes.length + snapshot.otherFiles.length === 0,
      configuration,
    });
    await access.forge.upsertStickyAmong(await comments, { number, marker: SUMMARY_MARKER, body }, signal);
    await tellOpenUpdate({
      ports,
      access,
      snapshot,
      head: commit.head.oid,
      changes,
      conflicts: open,
      signal,
    });
    await suggestFixes({ ports, access, snapshot, head: commit.head.oid, fixes, signal });
  };
  return async (target, signal) => {
    const access = await ports.open(target.repository, signal);
    try {
      await catchUserError(
        () => look(access, target, signal),
        (why) => tellUnreadable(access, target.number, why, signal),
      );
    } catch (error) {
      if (!(error instanceof PorticoError) || error.code !== 'CONTENT_LATER') throw error;
      await tellPutOff(access, target.number, signal);
      return 'put off';
    }
    return 'looked';
  };
}

/** What a proposal does to channels, and what channels say of an update; undefined where nothing applies. */
async function channelsOf(
  ports: Ports,
  access: RepositoryAccess,
  { snapshot, approvals }: { readonly snapshot: ProposalSnapshot; readonly approvals: ApprovalCount },
  signal: AbortSignal | undefined,
): Promise<ProposedChannels | undefined> {
  const approvedBy = approvals.counted.map(({ login }) => login);
  const proposed = await proposedChannels(ports, access, { snapshot, approvedBy }, signal);
  const withdrawn = await withdrawnByUpdate(ports, access.git, snapshot, signal);
  if (withdrawn === undefined) return proposed;
  return proposed === undefined || proposed.files.length === 0
    ? { files: [], withdrawn }
    : { ...proposed, withdrawn };
}

/** Pull requests whose last state is remembered. */
const MAX_LISTED = 10_000;

/** The dashboard lists drafts and proposals: one that comes, goes or changes its state is news there. */
async function tellDashboard(
  ports: Ports,
  repository: RepositoryRef,
  { number, state, draft, title }: ProposalSnapshot['pull'],
  listed: Map<string, string>,
): Promise<void> {
  const place = `${repository.id}#${number}`;
  const now = JSON.stringify([state, draft, title]);
  if (listed.get(place) === now) return;
  // What was closed before anybody looked stands on no dashboard.
  if (state === 'open' || listed.has(place)) await ports.enqueue(dashboardNews(ports, repository));
  keepNewest(listed, place, now, MAX_LISTED);
}

/** The proposal with what the registered branch has of its packages, where that could be brought. */
async function merged(
  ports: Ports,
  access: RepositoryAccess,
  snapshot: ProposalSnapshot,
  signal: AbortSignal | undefined,
): Promise<{ readonly snapshot: ProposalSnapshot; readonly remerge: Remerge }> {
  const remerge = await remergeProposal(ports, access, snapshot, signal);
  if (remerge.kind !== 'pushed') return { snapshot, remerge };
  const loaded = await loadProposal(access, snapshot.pull.number, {}, signal);
  // Closed, or the base moved once more: the webhook of that asks for another look.
  return { snapshot: loaded.kind === 'snapshot' ? loaded.snapshot : snapshot, remerge };
}

/** The identity of what would be merged: every touched package as rendered, every other file, and what judged them. */
async function contentOf({
  ports,
  access: { git },
  snapshot,
  guardrails,
  rendered,
  commit,
  signal,
}: {
  readonly ports: Ports;
  readonly access: RepositoryAccess;
  readonly snapshot: ProposalSnapshot;
  readonly guardrails: LoadedGuardrails;
  readonly rendered: readonly RenderedPackage[];
  readonly commit: RenderCommit;
  readonly signal: AbortSignal | undefined;
}): Promise<string> {
  const packages = await Promise.all(
    snapshot.packages.map(async ({ directory, trees }) => ({
      path: refPath(directory),
      baseTree: trees.mergeBase,
      renderedTree: trees.head === null ? null : await git.treeId(commit.head.oid, directory, signal),
    })),
  );
  const functions = rendered.flatMap(({ runs }) =>
    runs.map((run) => [run.function, ports.runtimeVersion] as const),
  );
  return contentDigest({
    branch: snapshot.config.branch,
    packages,
    otherFiles: snapshot.otherFiles,
    guardrails: guardrails.digest,
    functions: Object.fromEntries(functions),
  });
}

async function kptfileProblems(
  { git }: RepositoryAccess,
  head: string,
  snapshot: ProposalSnapshot,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, readonly KptfileProblem[]>> {
  const problems = new Map<string, readonly KptfileProblem[]>();
  for (const { directory, trees } of snapshot.packages) {
    if (trees.head === null) continue;
    const found = (await readKptfileAt(git, head, directory, signal)).problems;
    if (found.length > 0) problems.set(directory, found);
  }
  return problems;
}
