import { DONE, nothing, type Reconciler } from '../answer.ts';
import type { CommitInfo } from '../git-port.ts';
import type { JobData } from '../job.ts';
import { updateBranchJob } from '../jobs.ts';
import type { RepositoryAccess, Ports } from '../ports.ts';
import { loadGuardrails } from '../render/guardrails.ts';
import { createRenderCache, renderProposal, type RenderedPackage } from '../render/proposal-render.ts';
import type { RenderCommit } from '../render/render-commit.ts';
import { touchedPackages } from '../repository/proposal-snapshot.ts';
import { openRegistered } from '../repository/registered.ts';
import { unreadableCheck } from '../repository/tell-unreadable.ts';
import { leftBehind } from '../review/left-behind.ts';
import { asksApproval } from '../review/proposal-approval.ts';
import { loadChanges } from '../review/proposal-changes.ts';
import { readSealed } from '../seal/update-record.ts';
import { catchUserError } from '../text/why-refused.ts';
import { proposalChecks } from './checks.ts';
import { contentOf, kptfileProblems } from './findings.ts';
import { foldChecks } from './fold-checks.ts';
import { sourceFindings, type SourceMemory } from './source-findings.ts';

/**
 * Checks an update that is to come without a pull request: its commit is rendered and judged like a proposal, by the guardrails of
 * the commit that it was made for, and the same checks are written to it. Nothing is ever pushed here: what rendering would still
 * change fails, and a pull request brings it.
 */
export function createUpdateChecksReconciler(ports: Ports): Reconciler<'update-checks'> {
  const cache = createRenderCache();
  const memory: SourceMemory = new Map();
  const check = async (
    access: RepositoryAccess,
    head: CommitInfo,
    base: string,
    signal: AbortSignal | undefined,
  ): Promise<void> => {
    const found = await openRegistered(access, { isFetched: true }, signal);
    if (found.kind === 'none') return;
    const { config } = found;
    const { git, forge } = access;
    const changes = await git.changedPaths(base, head.oid, signal);
    const packages = await touchedPackages({
      access,
      registered: config.directory,
      changed: changes.map(({ path }) => path),
      commits: { mergeBase: base, base, head: head.oid },
      signal,
    });
    const snapshot = { config, base, mergeBase: base, head, packages, otherFiles: [], writable: true };
    const guardrails = await loadGuardrails({ git, config, base, now: ports.now(), signal });
    // What is in force now is another: the look at the branch makes the commit anew.
    if (guardrails.digest !== readSealed(head, ports.seals)?.direct?.rules) return;
    const rendered = await renderProposal({ ports, access, snapshot, guardrails, cache, signal });
    const commit = asItIs(head, rendered);
    const sources = { ports, access, snapshot, guardrails, head: head.oid, memory, again: false, signal };
    const checks = proposalChecks({
      config,
      headSha: head.oid,
      digest: await contentOf({ ports, access, snapshot, guardrails, rendered, commit, signal }),
      mergeBase: base,
      rendered,
      removed: packages.filter(({ trees }) => trees.head === null).map(({ path }) => path),
      usedBy: [],
      leftBehind: await leftBehind(
        access,
        { packages, registered: config.directory, head: head.oid },
        signal,
      ),
      commit,
      kptfiles: await kptfileProblems(access, head.oid, snapshot, signal),
      conflicts: [],
      lost: false,
      behind: { packages: [], reason: '' },
      sources: await sourceFindings(sources),
      powers: await loadChanges({ ports, access, signal }, snapshot, commit),
      approval: { state: NOBODY_ASKED },
    });
    const { requiredChecks: required } = await access.demands(config.branch, {}, signal);
    await forge.putChecks(foldChecks(checks, { required, asksApproval: asksApproval(config) }), signal);
  };
  return async ({ repository, branch }, signal) => {
    const access = await ports.open(repository, signal);
    const head = await directHead(ports, access, branch, signal);
    if (head === null) return nothing('absent');
    const [base = ''] = head.parents;
    await catchUserError(
      () => check(access, head, base, signal),
      (why) => access.forge.putChecks([unreadableCheck(head.oid, why)], signal).then(() => undefined),
    );
    await ports.enqueue(updateBranchJob(repository, branch));
    return DONE;
  };
}

const NOBODY_ASKED = {
  kind: 'not-asked',
  sentence: 'No approval is required: updates.pullRequest lets this update come without a pull request.',
  notes: [],
} as const;

/** What the branch holds, where Portico made it to come without a pull request. */
async function directHead(
  { seals }: Pick<Ports, 'seals'>,
  { git }: Pick<RepositoryAccess, 'git'>,
  branch: JobData<'update-checks'>['branch'],
  signal: AbortSignal | undefined,
): Promise<CommitInfo | null> {
  await git.fetch({}, signal);
  const oid = await git.resolve(`refs/heads/${branch}`, signal);
  const head = oid === null ? null : await git.commit(oid, signal);
  return head !== null && readSealed(head, seals)?.direct !== undefined ? head : null;
}

/** The commit, rendered or not: nothing can be pushed on top of it. */
function asItIs(head: CommitInfo, rendered: readonly RenderedPackage[]): RenderCommit {
  const stale = rendered.flatMap((one) => [...one.changes.keys()]);
  if (stale.length === 0) return { state: 'rendered', head, pushed: false };
  const reason = `Rendering it again changes ${stale.slice(0, 5).join(', ')}.`;
  return { state: 'withheld', head, reason, patch: '', opaque: [] };
}
