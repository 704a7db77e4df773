/** Pull requests against the registered branch: read, brought to what they should be, judged, summed up. */
import { PorticoError } from '../../error.ts';
import { DONE, nothing, PUT_OFF, type Answer, type Reconciler } from '../answer.ts';
import { AGGREGATE_CHECK } from '../check-names.ts';
import { createTrialMemory } from '../check/config-trial.ts';
import { refreshRestoredText } from '../draft/restored-text.ts';
import type { CheckInput } from '../forge/checks.ts';
import type { JobData } from '../job.ts';
import { remergeProposal, type Remerge } from '../merge/concurrent-draft.ts';
import type { RepositoryAccess, RepositoryRef, Ports } from '../ports.ts';
import { mergePromotion } from '../promotion/merge-promotion.ts';
import { rebuildChannels } from '../promotion/rebuild.ts';
import { loadGuardrails } from '../render/guardrails.ts';
import { createRenderCache, renderProposal } from '../render/proposal-render.ts';
import { pushRendered } from '../render/render-commit.ts';
import { dashboardNews } from '../repository/dashboard-news.ts';
import { loadProposal, type ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { tellUnreadable } from '../repository/tell-unreadable.ts';
import { checkConfigurationAlone, checkOffer } from '../review/proposed-config.ts';
import { keepNewest } from '../text/keep-newest.ts';
import { SUMMARY_MARKER } from '../text/summary-marker.ts';
import { catchUserError } from '../text/why-refused.ts';
import { tellPutOff } from '../update/tell-put-off.ts';
import { tellOpenUpdate } from '../update/tell-update-state.ts';
import { decideLook, planProposal } from './decision.ts';
import { loadFindings, type FindingsMemory } from './findings.ts';
import { groupsWith } from './queue-members.ts';
import { pushRemade } from './remade-sources.ts';
import { suggestFixes } from './suggest-fixes.ts';
import { sumUpClosed } from './sum-up-closed.ts';

export type ProposalReconciler = Reconciler<'proposal'>;

/**
 * Brings a pull request to the state it should be in: the branch holds the rendered packages, each check says what
 * holds, one comment sums it up. Run again, it writes nothing.
 */
export function createProposalReconciler(ports: Ports): ProposalReconciler {
  const cache = createRenderCache();
  const memory: FindingsMemory = {
    trials: ports.memories.of(createTrialMemory),
    mended: new Map(),
    sources: new Map(),
  };
  const listed = new Map<string, string>();
  const look = async (
    access: RepositoryAccess,
    target: JobData<'proposal'>,
    signal?: AbortSignal,
  ): Promise<Answer> => {
    const { number } = target;
    // Its own writes, and what waits for a lock, go without it.
    const looking = target.swept === true ? access : { ...access, forge: access.forge.lookingAt(number) };
    const loaded = await loadProposal(looking, number, {}, signal);
    if (loaded.kind === 'snapshot') await tellDashboard(ports, access.ref, loaded.snapshot.pull, listed);
    const decided = decideLook(loaded, target, ports.now().getTime());
    switch (decided.do) {
      case 'wait':
        throw new PorticoError('PULL_NOT_SHOWN', `the forge does not show #${number} yet`, {
          blame: 'forge',
        });
      case 'nothing':
        return nothing(decided.reason);
      case 'check-configuration':
        await checkConfigurationAlone({ ports, memory: memory.trials, signal }, access, number);
        return nothing('other-branch');
      case 'check-offer':
        await checkOffer({ ports, memory: memory.trials, signal }, access, decided.offer);
        return DONE;
      case 'sum-up':
        await sumUpClosed(ports, access, decided.snapshot, signal);
        return DONE;
      case 'pass-on':
        await ports.enqueue(decided.job);
        return DONE;
      case 'check':
        await check({ access, looking, target, read: decided.snapshot, signal });
        return DONE;
    }
  };
  const check = async ({
    access,
    looking,
    target,
    read,
    signal,
  }: {
    readonly access: RepositoryAccess;
    readonly looking: RepositoryAccess;
    readonly target: JobData<'proposal'>;
    readonly read: ProposalSnapshot;
    readonly signal: AbortSignal | undefined;
  }): Promise<void> => {
    const { forge, git } = access;
    // What it moved is looked at on its own.
    if (await rebuildChannels(ports, access, read, signal)) return;
    const { snapshot, remerge } = await merged(ports, access, read, signal);
    const { config, base } = snapshot;
    const guardrails = await loadGuardrails({ git, config, base, now: ports.now(), signal });
    const anew = target.again === undefined ? cache : createRenderCache();
    const rendered = await renderProposal({ ports, access, snapshot, guardrails, cache: anew, signal });
    // Its checks are written to the commit that is pushed here.
    const commit = await pushRendered({ ports, access, signal }, snapshot, rendered);
    const head = commit.head.oid;
    const made = { remerge, guardrails, rendered, commit };
    const { fixes, comments, ...found } = await loadFindings({
      ports,
      access: looking,
      snapshot,
      made,
      memory,
      again: target.again !== undefined,
      signal,
    });
    const now = { ...snapshot, head: commit.head };
    const { sources: remade = [] } = found.facts;
    // What is pushed here is looked at on its own.
    if (await pushRemade({ ports, access, snapshot: now, remade, signal })) return;
    const { checks, jobs, summary } = planProposal(found, target);
    await looking.forge.putChecks(checks, signal);
    await tellResult(ports, target, checks, listed);
    if (jobs.length > 0) await ports.enqueue(jobs);
    const sticky = { number: target.number, marker: SUMMARY_MARKER, body: summary };
    await forge.upsertStickyAmong(comments, sticky, signal);
    const { changes, open: conflicts } = found;
    const held = found.facts.hold?.text;
    await tellOpenUpdate({ ports, access, snapshot, head, changes, conflicts, held, signal });
    await refreshRestoredText({ ports, access, signal }, snapshot, head);
    await suggestFixes({ ports, access, signal }, snapshot, head, fixes);
    await mergePromotion(ports, access, { snapshot, checks }, signal);
  };
  return async (target, signal) => {
    const access = await ports.open(target.repository, signal);
    try {
      const answer = await catchUserError(
        () => look(access, target, signal),
        async (why) => {
          await tellUnreadable(access, target.number, why, signal);
          return DONE;
        },
      );
      // A merge queue asks once, and what it was told then may be true no more.
      const groups = await groupsWith(access, target.number, signal);
      if (groups.length > 0) await ports.enqueue(groups);
      return answer;
    } catch (error) {
      if (!(error instanceof PorticoError) || error.code !== 'CONTENT_LATER') throw error;
      await tellPutOff(access, target.number, signal);
      return PUT_OFF;
    }
  };
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

/** The dashboard shows whether a proposal passes. Updates are listed there by other jobs. */
async function tellResult(
  ports: Ports,
  { repository, number }: Pick<JobData<'proposal'>, 'repository' | 'number'>,
  checks: readonly CheckInput[],
  listed: Map<string, string>,
): Promise<void> {
  const place = `${repository.id}#${number} check`;
  const now = checks.find(({ name }) => name === AGGREGATE_CHECK)?.conclusion ?? '';
  if (listed.get(place) === now) return;
  await ports.enqueue(dashboardNews(ports, repository));
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
