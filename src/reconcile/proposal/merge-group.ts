import { contentDigest } from '../../revision/digest.ts';
import { isBelow } from '../../revision/package-path.ts';
import { DONE, nothing, type Answer, type Reconciler } from '../answer.ts';
import type { CommitInfo } from '../git-port.ts';
import type { JobData } from '../job.ts';
import type { RepositoryAccess, Ports, RepositoryWork } from '../ports.ts';
import { channelsOf } from '../promotion/channels-of.ts';
import type { ProposedChannels } from '../promotion/proposed-channels.ts';
import { attributesAbove } from '../render/attributes-above.ts';
import { loadGuardrails, type LoadedGuardrails } from '../render/guardrails.ts';
import { createRenderCache, renderProposal, type RenderedPackage } from '../render/proposal-render.ts';
import type { RenderCommit } from '../render/render-commit.ts';
import { touchedPackages, type ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { openRegistered } from '../repository/registered.ts';
import { unreadableCheck } from '../repository/tell-unreadable.ts';
import { digestAt, loadApprovals } from '../review/approvals.ts';
import { leftBehind } from '../review/left-behind.ts';
import { proposalApproval, type ProposalApproval } from '../review/proposal-approval.ts';
import { beneathProposal } from '../review/unpublished-beneath.ts';
import { catchUserError } from '../text/why-refused.ts';
import { proposalChecks } from './checks.ts';
import { kptfileProblems } from './findings.ts';
import { groupBehind, pullOfQueueBranch } from './group-behind.ts';

/**
 * Answers a merge queue: the commit that it made of one or more proposals is rendered and judged like a proposal, by
 * the guardrails of the base, and the same checks are written to it. Approvals are counted for the content of the
 * proposal that the group is for; nothing is ever pushed to the queue's branch.
 */
export function createMergeGroupReconciler(ports: Ports): Reconciler<'merge-group'> {
  const cache = createRenderCache();
  const look = async (
    access: RepositoryAccess,
    target: JobData<'merge-group'>,
    signal?: AbortSignal,
  ): Promise<Answer> => {
    const { git, forge } = access;
    const found = await openRegistered(access, {}, signal);
    if (found.kind === 'none') return nothing(found.reason);
    const { facts, config } = found;
    if (target.baseRef !== `refs/heads/${config.branch}`) return nothing('other-branch');
    // A group that is gone was built anew, and has its own webhook.
    if ((await git.resolve(target.headSha, signal)) === null) return nothing('absent');
    const head = await git.commit(target.headSha, signal);
    const changes = await git.changedPaths(target.baseSha, head.oid, signal);
    const packages = await touchedPackages({
      access,
      registered: config.directory,
      changed: changes.map(({ path }) => path),
      commits: { mergeBase: target.baseSha, base: target.baseSha, head: head.oid },
      signal,
    });
    const guardrails = await loadGuardrails({ git, config, base: target.baseSha, now: ports.now(), signal });
    const rendered = await renderProposal({
      ports,
      access,
      snapshot: { packages, head },
      guardrails,
      cache,
      signal,
    });
    const { pull, approvedBy, approval } = await groupApproval(
      { ports, access, signal },
      { facts, config, head, packages },
      target,
    );
    const checks = proposalChecks({
      config,
      headSha: head.oid,
      digest: groupDigest(config.branch, packages, guardrails),
      mergeBase: target.baseSha,
      rendered,
      removed: packages.filter(({ trees }) => trees.head === null).map(({ path }) => path),
      commit: groupCommit(head, rendered),
      outside: await attributesAbove(
        access,
        config,
        {
          changed: changes.filter(({ path }) => !packages.some(({ directory }) => isBelow(directory, path))),
          mergeBase: target.baseSha,
          head: head.oid,
        },
        signal,
      ),
      kptfiles: await kptfileProblems(access, head.oid, { packages }, signal),
      conflicts: [],
      lost: false,
      behind: {
        packages: await groupBehind({ ports, access, signal }, target, packages),
        reason: 'It is ahead of this one in the merge queue.',
      },
      usedBy: [],
      leftBehind: await leftBehind(
        access,
        { packages, registered: config.directory, head: head.oid },
        signal,
      ),
      proposedConfig: null,
      powers: [],
      powerApproval: undefined,
      channels:
        pull === null
          ? undefined
          : await groupChannels(
              { ports, access, signal },
              config,
              { ...target, pull, otherFiles: changes },
              approvedBy,
            ),
      approval,
      fixable: new Set(),
    });
    await forge.putChecks(checks, signal);
    return DONE;
  };
  return async (target, signal) => {
    const access = await ports.open(target.repository, signal);
    return catchUserError(
      () => look(access, target, signal),
      async (why) => {
        await access.forge.putChecks([unreadableCheck(target.headSha, why)], signal);
        return DONE;
      },
    );
  };
}

/** Over what is merged, as each package is in the queue's commit. */
function groupDigest(
  branch: string,
  packages: ProposalSnapshot['packages'],
  { digest: guardrails }: LoadedGuardrails,
): string {
  return contentDigest({
    branch,
    packages: packages.map(({ directory, trees }) => ({ path: directory, renderedTree: trees.head })),
    otherFiles: [],
    guardrails,
    functions: {},
  });
}

/** The queue's commit, rendered or not: nothing can be pushed to it. */
function groupCommit(head: CommitInfo, rendered: readonly RenderedPackage[]): RenderCommit {
  const stale = rendered.flatMap((one) => [...one.changes.keys()]);
  if (stale.length === 0) return { state: 'rendered', head, pushed: false };
  const reason = `Merged after the changes ahead of it in the queue, the rendering differs in ${stale.slice(0, 5).join(', ')}, and nothing can be pushed to a merge queue.`;
  return { state: 'withheld', head, reason, patch: '', opaque: [] };
}

/**
 * The channel files of a group are judged as they will be merged, on top of what is ahead of it in the queue; whether an update brings
 * what was withdrawn is told by its own branch.
 */
async function groupChannels(
  { ports, access, signal }: RepositoryWork,
  config: ProposalSnapshot['config'],
  {
    baseSha,
    headSha,
    pull,
    otherFiles,
  }: Pick<JobData<'merge-group'>, 'baseSha' | 'headSha'> & {
    readonly pull: ProposalSnapshot['pull'];
    readonly otherFiles: readonly { readonly path: string }[];
  },
  approvedBy: readonly string[],
): Promise<ProposedChannels | undefined> {
  const commits = { base: baseSha, mergeBase: baseSha, head: { oid: headSha } };
  const snapshot = { ...commits, config, pull, otherFiles, branchHead: pull.headSha };
  return channelsOf(ports, access, { snapshot, approvedBy }, signal);
}

interface GroupApproval {
  /** The proposal that the group is for; null where the queue names none. */
  readonly pull: ProposalSnapshot['pull'] | null;
  readonly approvedBy: readonly string[];
  readonly approval: ProposalApproval;
}

/** The approvals of the proposal that a group is for; where nobody can tell which that is, they are missing. */
async function groupApproval(
  { ports, access, signal }: RepositoryWork,
  { facts, config, head, packages }: Pick<ProposalSnapshot, 'facts' | 'config' | 'head' | 'packages'>,
  { headRef, baseSha }: JobData<'merge-group'>,
): Promise<GroupApproval> {
  const number = pullOfQueueBranch(headRef);
  const pull = number === undefined ? null : await access.forge.getPull(number, signal);
  const digest = pull === null ? undefined : await digestAt(access, pull.headSha, signal);
  if (pull === null || digest === undefined) {
    const sentence =
      'Needs the approvals of a proposal that the merge queue does not name or that was not checked.';
    return { pull, approvedBy: [], approval: { state: { kind: 'missing', sentence, notes: [] } } };
  }
  const commits = { base: baseSha, mergeBase: baseSha, head };
  const base = (await access.git.resolve(`refs/heads/${config.branch}`, signal)) ?? baseSha;
  const snapshot = { facts, config, base, packages };
  const count = await loadApprovals({
    ports,
    access,
    snapshot: { facts, config, pull, ...commits },
    digest,
    known: { beneath: () => beneathProposal(ports, access, snapshot, signal) },
    signal,
  });
  const approval = await proposalApproval({ ports, access, signal }, { config, pull }, digest, count);
  return { pull, approvedBy: count.counted.map(({ login }) => login), approval };
}
