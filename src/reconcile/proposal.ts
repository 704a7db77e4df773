import type { PackageDiff } from '../package/diff/diff-types.ts';
import { diffPackages } from '../package/diff/diff.ts';
import type { KptfileProblem } from '../package/kptfile.ts';
import type { PackageFiles } from '../package/package.ts';
import { contentDigest } from '../revision/digest.ts';
import { loadApprovals } from './approvals.ts';
import { behindPackages, remergeProposal, type Remerge } from './concurrent-draft.ts';
import { CONFIGURATION_FILE, readConfiguration } from './configuration.ts';
import { waivedPackages } from './draft-history.ts';
import { loadGuardrails, type LoadedGuardrails } from './guardrails.ts';
import { readKptfileAt } from './kptfile-at.ts';
import { removedPackages, usersOfRemoved } from './known-users.ts';
import { openConflicts } from './open-conflicts.ts';
import { loadRevisionRefs, newestRevision, refPath, upcomingRevision } from './package-revisions.ts';
import type { Access, RepositoryRef, World } from './ports.ts';
import { proposalChecks } from './proposal-checks.ts';
import { createRenderCache, renderProposal, type RenderedPackage } from './proposal-render.ts';
import { loadProposal, type ProposalSnapshot } from './proposal-snapshot.ts';
import { publishedOf } from './published-proposal.ts';
import { pushRendered, type RenderCommit } from './render-commit.ts';
import { publishedSummary, SUMMARY_MARKER, summaryOf } from './summary.ts';

export interface ProposalTarget {
  readonly repository: RepositoryRef;
  readonly number: number;
}

export type ProposalReconciler = (target: ProposalTarget, signal?: AbortSignal) => Promise<void>;

/**
 * Brings a pull request to the state it should be in: the branch holds the rendered packages, each check says what
 * holds, one comment sums it up. Run again, it writes nothing.
 */
export function createProposalReconciler(world: World): ProposalReconciler {
  const cache = createRenderCache();
  return async ({ repository, number }, signal) => {
    const access = await world.open(repository, signal);
    const loaded = await loadProposal(access, number, {}, signal);
    if (loaded.kind === 'none') {
      world.log.debug({ pull: number, reason: loaded.reason }, 'nothing to do for this pull request');
      return;
    }
    if (loaded.snapshot.pull.state === 'closed') {
      if (loaded.snapshot.pull.merged) await sumUpPublished(access, loaded.snapshot, signal);
      return;
    }
    const { snapshot, remerge } = await merged(world, access, loaded.snapshot, signal);
    const guardrails = await loadGuardrails(access.git, snapshot.config, snapshot.base, signal);
    const rendered = await renderProposal(world, access, snapshot, guardrails, cache, signal);
    const commit = await pushRendered(world, access, snapshot, rendered, signal);
    const digest = await contentOf(world, access, snapshot, guardrails, rendered, commit, signal);
    const checks = proposalChecks({
      config: snapshot.config,
      headSha: commit.head.oid,
      digest,
      rendered,
      removed: removedPackages(snapshot).map(({ path }) => path),
      usedBy: await usersOfRemoved(world, access, snapshot, signal),
      commit,
      kptfiles: await kptfileProblems(access, commit.head.oid, snapshot, signal),
      ...(await openConflicts(world, access, snapshot, commit.head.oid, signal)),
      behind: {
        packages: behindPackages(snapshot).map(({ path }) => path),
        reason: remerge.kind === 'withheld' ? remerge.reason : '',
      },
      waived: await waivedPackages(world, access.git, snapshot, commit.head.oid, signal),
      ...(await configProblemsOf(access, snapshot, signal)),
    });
    for (const check of checks) await access.forge.putCheck(check, signal);
    const approvals = await loadApprovals(world, access, snapshot, digest, signal);
    const body = summaryOf({
      pull: snapshot.pull,
      digest,
      packages: await summarised(access, snapshot, commit, signal),
      checks,
      approvals,
      renderPushed: commit.state === 'rendered' && commit.pushed,
    });
    await access.forge.upsertSticky(number, SUMMARY_MARKER, body, signal);
  };
}

/** The proposal with what the registered branch has of its packages, where that could be brought. */
async function merged(
  world: World,
  access: Access,
  snapshot: ProposalSnapshot,
  signal: AbortSignal | undefined,
): Promise<{ readonly snapshot: ProposalSnapshot; readonly remerge: Remerge }> {
  const remerge = await remergeProposal(world, access, snapshot, signal);
  if (remerge.kind !== 'pushed') return { snapshot, remerge };
  const loaded = await loadProposal(access, snapshot.pull.number, {}, signal);
  // Closed, or the base moved once more: the webhook of that asks for another look.
  return { snapshot: loaded.kind === 'snapshot' ? loaded.snapshot : snapshot, remerge };
}

/** The identity of what would be merged: every touched package as rendered, every other file, and what judged them. */
async function contentOf(
  world: World,
  { git }: Access,
  snapshot: ProposalSnapshot,
  guardrails: LoadedGuardrails,
  rendered: readonly RenderedPackage[],
  commit: RenderCommit,
  signal: AbortSignal | undefined,
): Promise<string> {
  const packages = await Promise.all(
    snapshot.packages.map(async ({ directory, trees }) => ({
      path: refPath(directory),
      renderedTree: trees.head === null ? null : await git.treeId(commit.head.oid, directory, signal),
    })),
  );
  const functions = rendered.flatMap(({ runs }) =>
    runs.map((run) => [run.function, world.runtimeVersion] as const),
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
  { git }: Access,
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

async function configProblemsOf(
  { git }: Access,
  { otherFiles, head, facts }: ProposalSnapshot,
  signal: AbortSignal | undefined,
): Promise<{
  readonly configProblems?: NonNullable<Awaited<ReturnType<typeof readConfiguration>>>['problems'];
}> {
  if (!otherFiles.some(({ path }) => path === CONFIGURATION_FILE)) return {};
  const proposed = await readConfiguration(git, head.oid, facts.defaultBranch, signal);
  return { configProblems: proposed?.problems ?? [] };
}

async function summarised(
  { git }: Access,
  snapshot: ProposalSnapshot,
  commit: RenderCommit,
  signal: AbortSignal | undefined,
): Promise<{ path: string; newest: string | undefined; next: string | null; diff: PackageDiff | null }[]> {
  const refs = await loadRevisionRefs(git, signal);
  return Promise.all(
    snapshot.packages.map(async ({ path, directory, trees }) => {
      const before = await packageAt(
        git,
        trees.mergeBase === null ? null : snapshot.mergeBase,
        directory,
        signal,
      );
      const after = await packageAt(git, trees.head === null ? null : commit.head.oid, directory, signal);
      return {
        path,
        newest: newestRevision(refs, directory)?.name,
        next: trees.head === null ? null : upcomingRevision(refs, directory, snapshot.config),
        diff: diffPackages(before, after),
      };
    }),
  );
}

async function packageAt(
  git: Access['git'],
  commit: string | null,
  directory: string,
  signal: AbortSignal | undefined,
): Promise<PackageFiles> {
  if (commit === null) return new Map();
  return (await git.readPackage(commit, directory, {}, signal))?.files ?? new Map();
}

async function sumUpPublished(
  access: Access,
  snapshot: ProposalSnapshot,
  signal: AbortSignal | undefined,
): Promise<void> {
  const published = await publishedOf(access, snapshot, signal);
  if (published === null) return;
  await access.forge.upsertSticky(snapshot.pull.number, SUMMARY_MARKER, publishedSummary(published), signal);
}
