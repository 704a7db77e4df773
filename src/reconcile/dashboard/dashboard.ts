/** One issue for each registered repository that shows what Portico knows of it, written only when that changed. */
import { authorize } from '../../command/authorize.ts';
import { update } from '../../command/update.ts';
import { exemptionState } from '../../config/exemptions.ts';
import type { RepositoryConfig } from '../../config/repository-config.ts';
import { DONE, nothing, type Reconciler } from '../answer.ts';
import { variantPlan } from '../downstream/variant-plan.ts';
import type { JobData } from '../job.ts';
import { organizationBoardJob, variantJob } from '../jobs.ts';
import type { Ports, RepositoryWork } from '../ports.ts';
import { loadCaller } from '../repository/caller.ts';
import { DASHBOARD_TITLE } from '../repository/dashboard-news.ts';
import { findIssue, keepIssue } from '../repository/kept-issue.ts';
import { openRegistered } from '../repository/registered.ts';
import { documentProblems } from '../repository/variant-documents.ts';
import { mayKnow } from '../repository/visibility.ts';
import { rolloutPart } from '../rollout/body.ts';
import { newestLooks } from '../rollout/rollouts.ts';
import { stalledRollouts } from '../rollout/scope.ts';
import { unsealedRefs } from '../seal/sealed-ref.ts';
import { dashboardBody, tickedPackages, withStanding } from './body.ts';
import { directUpdatesPart, loadDirectUpdates } from './direct-updates.ts';
import { loadDashboardFacts } from './facts.ts';
import { limitPart, waitingUpdates } from './limit-part.ts';
import { keepOrganizationBoard } from './organization.ts';
import { changedPastProposals, publishedUnapproved } from './past-proposals.ts';
import { tellExempted } from './tell-exempted.ts';

/** Brings the dashboard up to date, and does what somebody ticked there. */
export function createDashboardReconciler(ports: Ports): Reconciler<'dashboard'> {
  return async ({ repository, edited, organization }, signal) => {
    const known = ports.catalog.get(repository.id);
    if (known === undefined) return nothing('not-registered');
    const access = await ports.open(repository, signal);
    if (organization === true) {
      await keepOrganizationBoard(ports, access, known, signal);
      return DONE;
    }
    // News of one repository is news of its organisation.
    const boards = ports.catalog.boards(known.ref);
    await ports.enqueue(boards.map(({ ref }) => organizationBoardJob(ref)));
    const found = await openRegistered(access, { isFetched: true }, signal);
    if (found.kind === 'none') return nothing(found.reason);
    const { config, facts, configuration } = found;
    const exemptions = (config.exemptions ?? []).map((exemption) => ({
      exemption,
      state: exemptionState(exemption, ports.now()),
    }));
    await tellExempted(ports, access, { repository: { ...known, ...facts }, exemptions }, signal);
    if (config.dashboard === false) return nothing('not-asked-for');
    if (edited !== undefined) {
      // An issue of somebody else may be edited as he likes.
      const before = ports.catalog.kept(repository.id, DASHBOARD_TITLE);
      const own = before ?? (await findIssue(ports, access, DASHBOARD_TITLE, signal));
      if (edited.isBot || own?.number !== edited.number) return nothing('not-asked-for');
      await doTicked({ ports, access, signal }, config, edited);
    }
    const waiting = waitingUpdates(ports.catalog, repository.id);
    const seconds = waiting === 0 ? 0 : await ports.secondsUntilContentAllowed(repository.installationId);
    const plan = variantPlan(ports.catalog);
    const body = dashboardBody({
      repository: known,
      ...(await loadDashboardFacts({ ports, access, signal }, config, known)),
      standings: ports.catalog.standings(repository.id),
      changed:
        config.publish.directPushes === 'publish'
          ? new Set()
          : await changedPastProposals(access.git, known, signal),
      unapproved: await publishedUnapproved(access.git, known, signal),
      variants: plan.planned
        .filter(({ control }) => control.ref.id === repository.id)
        .filter(({ downstream }) => mayKnow({ ...known, ...facts }, downstream.repository))
        .map((planned) => withStanding(ports.catalog, planned)),
      stalled: [...plan.stalled, ...stalledRollouts(ports.catalog)].filter(
        ({ control }) => control.ref.id === repository.id,
      ),
      direct: directUpdatesPart(
        facts.htmlUrl,
        await loadDirectUpdates(ports, access, { directory: config.directory, commit: found.head }, signal),
      ),
      limit: limitPart(waiting, seconds, ports.now()),
      rollouts: rolloutPart(await newestLooks(ports, repository.id, signal)),
      exemptions,
      problems: [...configuration.problems, ...documentProblems(known)],
      unsealed: await unsealedRefs(ports, access, signal),
    });
    if (body === null) return nothing('not-asked-for');
    const look = edited !== undefined;
    await keepIssue(ports, access, { title: DASHBOARD_TITLE, body, look }, signal);
    return DONE;
  };
}

/** Asks for the updates that were ticked, if whoever edited the issue may. */
async function doTicked(
  { ports, access, signal }: RepositoryWork,
  config: RepositoryConfig,
  { number, login, id, isBot }: NonNullable<JobData<'dashboard'>['edited']>,
): Promise<void> {
  const issue = await findIssue(ports, access, DASHBOARD_TITLE, signal);
  const ticked = issue === null ? [] : tickedPackages(issue.body);
  if (ticked.length === 0) return;
  const caller = await loadCaller(access, config, { login, id, isAuthor: false, isBot }, signal);
  const answer = authorize(config, update, caller);
  if (answer.kind !== 'allowed') {
    if (answer.kind !== 'ignore') {
      const marker = '<!-- portico:ticked -->';
      await access.forge.upsertSticky(number, marker, `Not done. ${answer.message} ${answer.hint}`, signal);
    }
    return;
  }
  const standings = ports.catalog.standings(access.ref.id);
  for (const path of ticked) {
    const to = standings.get(path)?.to;
    if (to !== undefined)
      await ports.enqueue(
        variantJob(access.ref, path, { to, askedIn: number, askedBy: login, askedById: id }),
      );
  }
}
