import { contentDigest } from '../../revision/digest.ts';
import { DONE, nothing, type Answer, type Reconciler } from '../answer.ts';
import { AGGREGATE_CHECK } from '../check-names.ts';
import { configCheck, type ProposedConfig } from '../check/config-check.ts';
import { createTrialMemory, type TrialMemory } from '../check/config-trial.ts';
import { powerCheck, type PackagePower, type PowerApproval } from '../check/power-check.ts';
import type { CheckRun } from '../forge/checks.ts';
import type { CommitInfo } from '../git-port.ts';
import type { JobData } from '../job.ts';
import type { RepositoryAccess, Ports, RepositoryWork } from '../ports.ts';
import { channelsOf } from '../promotion/channels-of.ts';
import type { ProposedChannels } from '../promotion/proposed-channels.ts';
import { attributesAbove } from '../render/attributes-above.ts';
import { loadGuardrails, type LoadedGuardrails } from '../render/guardrails.ts';
import { createRenderCache, renderProposal, type RenderedPackage } from '../render/proposal-render.ts';
import type { RenderCommit } from '../render/render-commit.ts';
import { filesBeside, touchedPackages, type ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { openRegistered } from '../repository/registered.ts';
import { unreadableCheck } from '../repository/tell-unreadable.ts';
import { loadApprovals } from '../review/approvals.ts';
import { configApproval } from '../review/config-approval.ts';
import { leftBehind } from '../review/left-behind.ts';
import { powerApproval } from '../review/power-approval.ts';
import { proposalApproval, type ProposalApproval } from '../review/proposal-approval.ts';
import { loadChanges } from '../review/proposal-changes.ts';
import { proposedConfig } from '../review/proposed-config.ts';
import { beneathProposal } from '../review/unpublished-beneath.ts';
import { catchUserError } from '../text/why-refused.ts';
import { proposalChecks } from './checks.ts';
import { kptfileProblems } from './findings.ts';
import { groupBehind } from './group-behind.ts';
import { isMergeOf, isOnBranch, membersOf, type QueueMember } from './queue-members.ts';

/**
 * Answers a merge queue: the commit that it made of one or more proposals is rendered and judged like a proposal, by
 * the guardrails of the base, and the same checks are written to it. Approvals, privileges and configuration are judged for each
 * proposal on top of those before it, because GitHub may merge all of them by the checks of the last one. Nothing is ever pushed to
 * the queue's branch.
 */
export function createMergeGroupReconciler(ports: Ports): Reconciler<'merge-group'> {
  const cache = createRenderCache();
  const trials = ports.memories.of(createTrialMemory);
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
    if (await isOnBranch(git, target.headSha, signal)) return nothing('absent');
    const head = await git.commit(target.headSha, signal);
    const members = await membersOf(git, config.branch, target, signal);
    const { base: mergeBase = target.baseSha } = members?.[0] ?? {};
    const range = { base: mergeBase, head: head.oid };
    const { packages, otherFiles } = await changedBetween(access, config, range, signal);
    const guardrails = await loadGuardrails({ git, config, base: target.baseSha, now: ports.now(), signal });
    const work = { ports, access, signal };
    const judged: (JudgedMember | undefined)[] = [];
    for (const member of members ?? [])
      judged.push(await judgeMember(work, { facts, config, guardrails, trials }, member));
    const own = judged.at(-1);
    // Merged in the meantime: nothing is left to judge.
    if (own?.pull.state === 'closed') return nothing('absent');
    const rendered = await renderProposal({
      ports,
      access,
      snapshot: { packages, head },
      guardrails,
      cache,
      signal,
    });
    const checks = proposalChecks({
      config,
      headSha: head.oid,
      digest: groupDigest(config.branch, packages, guardrails),
      mergeBase,
      rendered,
      removed: packages.filter(({ trees }) => trees.head === null).map(({ path }) => path),
      commit: groupCommit(head, rendered),
      outside: await attributesAbove(
        access,
        config,
        { changed: otherFiles, mergeBase, head: head.oid },
        signal,
      ),
      kptfiles: await kptfileProblems(access, head.oid, { packages }, signal),
      conflicts: [],
      lost: false,
      behind: {
        packages: await groupBehind(work, target, packages),
        reason: 'It is ahead of this one in the merge queue.',
      },
      usedBy: [],
      leftBehind: await leftBehind(
        access,
        { packages, registered: config.directory, head: head.oid },
        signal,
      ),
      proposedConfig: own?.proposedConfig ?? null,
      powers: own?.powers ?? [],
      powerApproval: own?.powerApproval,
      channels:
        own === undefined
          ? undefined
          : await groupChannels(work, config, { ...target, ...own }, own.approvedBy),
      approval: groupApproval(judged),
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

/** A proposal of the group, judged on top of those before it. */
interface JudgedMember extends Pick<ProposalSnapshot, 'pull' | 'otherFiles'> {
  readonly approvedBy: readonly string[];
  readonly approval: ProposalApproval;
  readonly powers: readonly PackagePower[];
  readonly powerApproval: PowerApproval | undefined;
  readonly proposedConfig: ProposedConfig | null;
  /** What else keeps the proposal from being merged, in sentences; empty where nothing does. */
  readonly refused: string;
}

/**
 * Judges what one proposal brings. Its approvals are those of the content that was checked at its head, and its own check `portico`
 * must be green now: conflicts, sources and what else a group does not tell are judged there.
 */
async function judgeMember(
  { ports, access, signal }: RepositoryWork,
  {
    facts,
    config,
    guardrails,
    trials,
  }: Pick<ProposalSnapshot, 'facts' | 'config'> & {
    readonly guardrails: LoadedGuardrails;
    readonly trials: TrialMemory;
  },
  member: QueueMember,
): Promise<JudgedMember | undefined> {
  const { git, forge } = access;
  const pull = await forge.getPull(member.number, signal);
  if (pull === null) return undefined;
  const head = await git.commit(member.head, signal);
  if (!(await isMergeOf(git, { ...member, tree: head.tree }, pull.headSha, signal))) return undefined;
  const { packages, otherFiles } = await changedBetween(
    access,
    config,
    { base: member.base, head: head.oid },
    signal,
  );
  const commits = { base: member.base, mergeBase: member.base, head };
  const snapshot: ProposalSnapshot = {
    facts,
    pull,
    config,
    ...commits,
    packages,
    otherFiles,
    writable: false,
  };
  const runs = await forge.ourChecks(pull.headSha, signal);
  const own = runs.find(({ name }) => name === AGGREGATE_CHECK);
  const digest = own?.externalId || undefined;
  const base = (await git.resolve(`refs/heads/${config.branch}`, signal)) ?? member.base;
  const count = await loadApprovals({
    ports,
    access,
    snapshot: { facts, config, pull, ...commits },
    digest,
    known: {
      beneath: () => beneathProposal(ports, access, { ...commits, facts, config, base, packages }, signal),
    },
    signal,
  });
  const powers = await loadChanges({ ports, access, signal }, { ...snapshot, base }, groupCommit(head, []));
  const powerApproved = await powerApproval({ access, snapshot, powers, approvals: count, signal });
  const proposed = await proposedConfig({
    ports,
    access,
    registered: snapshot,
    inForce: guardrails,
    memory: trials,
    signal,
  });
  return {
    pull,
    otherFiles,
    approvedBy: count.counted.map(({ login }) => login),
    approval: await proposalApproval({ ports, access, signal }, { config, pull }, digest ?? '', count),
    powers,
    powerApproval: powerApproved,
    proposedConfig: proposed && {
      ...proposed,
      approval: await configApproval({
        access,
        snapshot,
        changes: proposed.changes,
        approvals: count,
        signal,
      }),
    },
    refused: refusalOf(pull, own),
  };
}

function refusalOf({ number, draft }: ProposalSnapshot['pull'], own: CheckRun | undefined): string {
  if (draft) return `#${number} is a draft: mark it as ready for review, then queue it again.`;
  if (own?.conclusion === 'success') return '';
  return `The check ${AGGREGATE_CHECK} of #${number} is not green: satisfy it, then queue the pull request again.`;
}

/** What is missing of the approvals of every proposal that the group brings; of those before the last one, privileges and configuration too. */
function groupApproval(judged: readonly (JudgedMember | undefined)[]): ProposalApproval {
  const own = judged.at(-1);
  const unknown = judged.length === 0 || judged.includes(undefined);
  const sentences = [
    ...(unknown ? [UNKNOWN] : []),
    ...judged.flatMap((one) => (one === undefined ? [] : missingOf(one, one === own))),
  ];
  if (own !== undefined && sentences.length === 0) return own.approval;
  return {
    state: { kind: 'missing', sentence: sentences.join(' '), notes: own?.approval.state.notes ?? [] },
  };
}

const UNKNOWN =
  'Needs the approvals of a proposal that the merge queue does not name or that was not checked.';

function missingOf({ approval, refused, ...member }: JudgedMember, isOwn: boolean): readonly string[] {
  const { pull, powers, powerApproval: power, proposedConfig: proposed } = member;
  const missing = [...(approval.state.kind === 'missing' ? [approval.state.sentence] : []), refused].filter(
    (sentence) => sentence !== '',
  );
  if (isOwn) return missing;
  const others = [powerCheck(powers, power), ...(proposed === null ? [] : [configCheck(proposed)])];
  const waits = others.some((check) => check !== undefined && WAITS.has(check.conclusion));
  const all = waits ? [...missing, 'Its privileges or its configuration are not approved.'] : missing;
  return all.length === 0
    ? []
    : [`#${pull.number}, which is ahead of it in the merge queue: ${all.join(' ')}`];
}

const WAITS: ReadonlySet<string> = new Set(['failure', 'action_required']);

/** The packages and other files that differ between two commits. */
async function changedBetween(
  access: RepositoryAccess,
  { directory }: ProposalSnapshot['config'],
  { base, head }: { readonly base: string; readonly head: string },
  signal: AbortSignal | undefined,
): Promise<Pick<ProposalSnapshot, 'packages' | 'otherFiles'>> {
  const changes = await access.git.changedPaths(base, head, signal);
  const packages = await touchedPackages({
    access,
    registered: directory,
    changed: changes.map(({ path }) => path),
    commits: { mergeBase: base, base, head },
    signal,
  });
  return { packages, otherFiles: filesBeside(changes, packages) };
}
