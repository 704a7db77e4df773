/** Reads what decides about an open proposal, once its branch holds the rendered packages. Nothing is written here. */
import type { KptfileProblem } from '../../package/kptfile-types.ts';
import { contentDigest } from '../../revision/digest.ts';
import type { RepositoryDirectory } from '../../revision/package-path.ts';
import type { TrialMemory } from '../check/config-trial.ts';
import { weakeningOf, type ConfigurationChange } from '../check/configuration-changes.ts';
import type { Comment } from '../forge/comments.ts';
import { overdueJob } from '../jobs.ts';
import { behindPackages, type Remerge } from '../merge/concurrent-draft.ts';
import { openConflicts } from '../merge/open-conflicts.ts';
import type { RepositoryAccess, RepositoryWork } from '../ports.ts';
import { channelsOf } from '../promotion/channels-of.ts';
import { lookWhenOpen } from '../promotion/proposed-channels.ts';
import { attributesAbove } from '../render/attributes-above.ts';
import type { LoadedGuardrails } from '../render/guardrails.ts';
import type { RenderedPackage } from '../render/proposal-render.ts';
import type { RenderCommit } from '../render/render-commit.ts';
import { readKptfileAt } from '../repository/kptfile-at.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { loadApprovals } from '../review/approvals.ts';
import { configApproval } from '../review/config-approval.ts';
import { configurationEffects } from '../review/configuration-effects.ts';
import { waivedPackages } from '../review/draft-history.ts';
import { removedPackages, usersOfRemoved } from '../review/known-users.ts';
import { leftBehind } from '../review/left-behind.ts';
import { leftOut } from '../review/left-out.ts';
import { powerApproval } from '../review/power-approval.ts';
import { proposalApproval } from '../review/proposal-approval.ts';
import { loadChanges } from '../review/proposal-changes.ts';
import { proposedConfig } from '../review/proposed-config.ts';
import { withAccepted } from '../review/same-change.ts';
import { beneathProposal } from '../review/unpublished-beneath.ts';
import { holdOn } from '../rollout/hold.ts';
import { isRenderCommit } from '../seal/bot-commit.ts';
import { readCommitRecord } from '../seal/commit-seal.ts';
import { loadFold } from './check-fold.ts';
import type { ProposalFindings } from './decision.ts';
import { loadFixes, type Fix, type FixMemory } from './fixes.ts';
import { sourceFindings, type SourceMemory } from './source-findings.ts';

/** What was found out once and holds for the same content. */
export interface FindingsMemory {
  readonly trials: TrialMemory;
  readonly mended: FixMemory;
  readonly sources: SourceMemory;
}

/** What the branch of a proposal holds by now, and how that was made. */
export interface MadeOfProposal {
  readonly remerge: Remerge;
  readonly guardrails: LoadedGuardrails;
  readonly rendered: readonly RenderedPackage[];
  readonly commit: RenderCommit;
}

/** Beside what is decided on: what a commit of ours could mend, and the comments there are. */
export async function loadFindings({
  ports,
  access,
  snapshot,
  made: { remerge, guardrails, rendered, commit },
  memory,
  again,
  signal,
}: RepositoryWork & {
  readonly snapshot: ProposalSnapshot;
  readonly made: MadeOfProposal;
  readonly memory: FindingsMemory;
  /** Somebody asked for checks once more. */
  readonly again: boolean;
}): Promise<ProposalFindings & { readonly fixes: readonly Fix[]; readonly comments: readonly Comment[] }> {
  const { config, packages } = snapshot;
  const head = commit.head.oid;
  const configuration = await proposedConfig({
    ports,
    access,
    registered: snapshot,
    inForce: guardrails,
    memory: memory.trials,
    signal,
  });
  const changed = configuration?.changes ?? [];
  const digest = await contentOf({
    ports,
    access,
    snapshot,
    guardrails,
    rendered,
    commit,
    configuration: changed,
    signal,
  });
  const comments = access.forge.listComments(snapshot.pull.number, signal);
  const known = { comments, beneath: () => beneathProposal(ports, access, snapshot, signal) };
  const [changes, counted] = await Promise.all([
    loadChanges({ ports, access, signal }, snapshot, commit),
    loadApprovals({ ports, access, snapshot, digest, known, signal }),
  ]);
  const seen = { ...snapshot, head: commit.head };
  const approvals = await withAccepted({ ports, access, snapshot: seen, count: counted, signal });
  const approval = await proposalApproval({ ports, access, signal }, snapshot, digest, approvals);
  const fixes = await loadFixes({
    ports,
    access,
    snapshot,
    rendered,
    guardrails,
    commit,
    memory: memory.mended,
    signal,
  });
  const open = await openConflicts({ ports, access, snapshot, head, signal });
  const approvedBy = approvals.counted.map(({ login }) => login);
  const channels = await channelsOf(ports, access, { snapshot, approvedBy }, signal);
  await lookWhenOpen(ports, access, snapshot.pull.number, channels ?? {});
  const hold = await holdOn(ports, access.git, { ...snapshot, head: commit.head }, { isLast: false, signal });
  if (hold?.again !== undefined)
    await ports.enqueue(overdueJob(access.ref, snapshot.pull.number, Math.ceil(hold.again)));
  const facts = {
    config,
    headSha: head,
    digest,
    mergeBase: snapshot.mergeBase,
    rendered,
    removed: removedPackages(snapshot).map(({ path }) => path),
    usedBy: await usersOfRemoved(ports, access, snapshot, signal),
    leftBehind: await leftBehind(access, { packages, registered: config.directory, head }, signal),
    commit,
    outside: await attributesAbove(
      access,
      config,
      { changed: snapshot.otherFiles, mergeBase: snapshot.mergeBase, head },
      signal,
    ),
    kptfiles: await kptfileProblems(access, head, snapshot, signal),
    ...open,
    behind: {
      packages: behindPackages(snapshot).map(({ path }) => path),
      reason: remerge.kind === 'withheld' ? remerge.reason : '',
    },
    waived: await waivedPackages({ ports, git: access.git, snapshot, head, signal }),
    proposedConfig: configuration && {
      ...configuration,
      effects: await configurationEffects({ ports, access, signal }, snapshot, configuration),
      approval: await configApproval({ access, snapshot, changes: changed, approvals, signal }),
    },
    sources: await sourceFindings({
      ports,
      access,
      snapshot,
      guardrails,
      head,
      memory: memory.sources,
      again,
      signal,
    }),
    channels,
    powers: changes,
    powerApproval: await powerApproval({ access, snapshot, powers: changes, approvals, signal }),
    approval,
    ...(hold && { hold }),
    fixable: new Set(snapshot.writable && commit.state === 'rendered' ? fixes.map(({ check }) => check) : []),
  };
  const fold = await loadFold(ports, access, { snapshot, approval, head: commit.head, again }, signal);
  const isPersons = snapshot.pull.author !== ports.app.botLogin;
  const isOurs =
    isRenderCommit(commit.head, ports.seals) || readCommitRecord(commit.head, ports.seals) !== null;
  const pushed = isPersons && isOurs ? head : null;
  const left = await leftOut(access, snapshot, { head, changes }, signal);
  return {
    snapshot,
    facts,
    changes,
    approvals,
    open,
    pushed,
    leftOut: left,
    fold,
    fixes,
    comments: await comments,
  };
}

/** The identity of what would be merged: every touched package as rendered, every other file, and what judged them. */
export async function contentOf({
  ports,
  access: { git },
  snapshot,
  guardrails,
  rendered,
  commit,
  configuration = [],
  signal,
}: RepositoryWork & {
  readonly snapshot: Pick<ProposalSnapshot, 'config' | 'packages' | 'otherFiles'>;
  /** What it changes of the configuration: an approval is for what that weakens, too. */
  readonly configuration?: readonly ConfigurationChange[];
  readonly guardrails: LoadedGuardrails;
  readonly rendered: readonly RenderedPackage[];
  readonly commit: RenderCommit;
}): Promise<string> {
  const packages = await Promise.all(
    snapshot.packages.map(async ({ directory, trees }) => ({
      path: directory,
      baseTree: trees.mergeBase,
      renderedTree: trees.head === null ? null : await git.treeId(commit.head.oid, directory, signal),
    })),
  );
  const functions = rendered.flatMap(({ runs }) =>
    runs.map((run) => [run.function, ports.runtimeVersion] as const),
  );
  const weakening = weakeningOf(configuration);
  return contentDigest({
    branch: snapshot.config.branch,
    packages,
    otherFiles: snapshot.otherFiles,
    guardrails: guardrails.digest,
    functions: Object.fromEntries(functions),
    ...(weakening.length > 0 && { weakening }),
  });
}

/** What is wrong with the Kptfiles of packages, by their directories. */
export async function kptfileProblems(
  { git }: Pick<RepositoryAccess, 'git'>,
  head: string,
  snapshot: Pick<ProposalSnapshot, 'packages'>,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<RepositoryDirectory, readonly KptfileProblem[]>> {
  const problems = new Map<RepositoryDirectory, readonly KptfileProblem[]>();
  for (const { directory, trees } of snapshot.packages) {
    if (trees.head === null) continue;
    const found = (await readKptfileAt(git, head, directory, signal)).problems;
    if (found.length > 0) problems.set(directory, found);
  }
  return problems;
}
