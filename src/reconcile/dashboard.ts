/** One issue for each registered repository that shows what Portico knows of it, written only when that changed. */
import { authorize } from '../command/authorize.ts';
import { update } from '../command/update.ts';
import type { RepositoryConfig } from '../config/repository-config.ts';
import { PorticoError } from '../error.ts';
import { loadCaller } from './caller.ts';
import { loadConfiguration } from './configuration.ts';
import { DASHBOARD_TITLE, dashboardBody, tickedPackages } from './dashboard-body.ts';
import { variantJob } from './jobs.ts';
import { limitPart, waitingUpdates } from './limit-part.ts';
import type { Access, RepositoryRef, World } from './ports.ts';
import { rolloutPart } from './rollout-body.ts';
import { stalledRollouts } from './rollout-governs.ts';
import { knownLooks } from './rollouts.ts';
import { documentProblems } from './variant-documents.ts';
import { variantPlan } from './variant-plan.ts';

export interface DashboardTarget {
  readonly repository: RepositoryRef;
  /** Who edited this issue. */
  readonly edited?: { readonly number: number; readonly login: string; readonly isBot: boolean };
}

export type DashboardReconciler = (target: DashboardTarget, signal?: AbortSignal) => Promise<void>;

interface Written {
  readonly number: number;
  readonly body: string;
}

/** Brings the dashboard up to date, and does what somebody ticked there. */
export function createDashboardReconciler(world: World): DashboardReconciler {
  const written = new Map<number, Written>();
  return async ({ repository, edited }, signal) => {
    const known = world.catalog.get(repository.id);
    if (known === undefined) return;
    const access = await world.open(repository, signal);
    const facts = await access.forge.get(signal);
    const configuration = await loadConfiguration(access.git, facts.defaultBranch, signal);
    if (configuration.state !== 'registered' || facts.archived) return;
    if (configuration.config.dashboard === false) return;
    const before = written.get(repository.id);
    if (edited !== undefined) {
      // An issue of somebody else may be edited as he likes.
      const own = before ?? (await findIssue(world, access, signal));
      if (edited.isBot || own?.number !== edited.number) return;
      await doTicked(world, access, configuration.config, edited, signal);
    }
    const waiting = waitingUpdates(world.catalog, repository.id);
    const seconds = waiting === 0 ? 0 : await world.untilContent(repository.installationId);
    const plan = variantPlan(world.catalog);
    const body = dashboardBody({
      repository: known,
      standings: world.catalog.standings(repository.id),
      variants: plan.planned
        .filter(({ control }) => control.ref.id === repository.id)
        .map((planned) => ({
          planned,
          standing: world.catalog
            .standings(planned.downstream.repository.ref.id)
            .get(planned.downstream.path),
        })),
      stalled: [...plan.stalled, ...stalledRollouts(world.catalog)].filter(
        ({ control }) => control.ref.id === repository.id,
      ),
      limit: limitPart(waiting, seconds, world.now()),
      rollouts: rolloutPart(knownLooks(world.catalog, repository.id)),
      problems: [...configuration.problems, ...documentProblems(known)],
    });
    if (body === null || (edited === undefined && before?.body === body)) return;
    const number = await putOrNot(world, access, body, signal);
    if (number !== null) written.set(repository.id, { number, body });
  };
}

const NO_ISSUES: readonly string[] = ['FORGE_NOT_FOUND', 'FORGE_FORBIDDEN'];

/** A repository without issues has no dashboard, and that is no failure. */
async function putOrNot(
  world: World,
  access: Access,
  body: string,
  signal: AbortSignal | undefined,
): Promise<number | null> {
  try {
    return await put(world, access, body, signal);
  } catch (error) {
    if (!(error instanceof PorticoError) || !NO_ISSUES.includes(error.code)) throw error;
    world.log.info({ repository: `${access.ref.owner}/${access.ref.name}` }, 'no dashboard: issues are off');
    return null;
  }
}

/** The number of the issue that holds the body now; null where a person closed it. */
async function put(
  world: World,
  access: Access,
  body: string,
  signal: AbortSignal | undefined,
): Promise<number | null> {
  const found = await findIssue(world, access, signal);
  if (found === undefined) {
    return (await access.forge.createIssue({ title: DASHBOARD_TITLE, body }, signal)).number;
  }
  if (found.state === 'closed') return null;
  if (found.body !== body) await access.forge.updateIssue(found.number, { body }, signal);
  return found.number;
}

async function findIssue(
  world: World,
  { forge }: Access,
  signal: AbortSignal | undefined,
): Promise<
  { readonly number: number; readonly state: 'open' | 'closed'; readonly body: string } | undefined
> {
  const ours = await forge.listIssues({ state: 'all', creator: world.app.botLogin }, signal);
  const boards = ours.filter(({ title }) => title === DASHBOARD_TITLE);
  // The first one there was; two processes that start at once may have made two.
  return boards.toSorted((a, b) => a.number - b.number)[0];
}

/** Asks for the updates that were ticked, if whoever edited the issue may. */
async function doTicked(
  world: World,
  access: Access,
  config: RepositoryConfig,
  { number, login, isBot }: NonNullable<DashboardTarget['edited']>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const issue = await findIssue(world, access, signal);
  const ticked = issue === undefined ? [] : tickedPackages(issue.body);
  if (ticked.length === 0) return;
  const caller = await loadCaller(access, config, { login, isAuthor: false, isBot }, signal);
  const answer = authorize(config, update, caller);
  if (answer.kind !== 'allowed') {
    if (answer.kind !== 'ignore') {
      const marker = '<!-- portico:ticked -->';
      await access.forge.upsertSticky(number, marker, `Not done. ${answer.message} ${answer.hint}`, signal);
    }
    return;
  }
  const standings = world.catalog.standings(access.ref.id);
  for (const path of ticked) {
    const to = standings.get(path)?.to;
    if (to !== undefined) await world.enqueue(variantJob(access.ref, path, { to, askedIn: number }));
  }
}
