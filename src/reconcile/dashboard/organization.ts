/** One issue about all repositories of an owner, in the one that its configuration names: opt in there, opt out in each. */
import type { CatalogRepository } from '../../catalog/catalog.ts';
import { variantPlan } from '../downstream/variant-plan.ts';
import type { RepositoryAccess, Ports } from '../ports.ts';
import { keepIssue } from '../repository/kept-issue.ts';
import { openRegistered } from '../repository/registered.ts';
import { isNamedOn } from '../repository/visibility.ts';
import { newestLooks, type RolloutLook } from '../rollout/rollouts.ts';
import { withStanding } from './body.ts';
import { limitPart, waitingUpdates } from './limit-part.ts';
import { ORGANIZATION_TITLE, organizationBody } from './organization-body.ts';

/**
 * Brings it up to date. What it may say is decided by who can read it as it is now: only repositories that all of
 * those can read are named, and those that agreed to it.
 */
export async function keepOrganizationBoard(
  ports: Ports,
  access: RepositoryAccess,
  known: CatalogRepository,
  signal?: AbortSignal,
): Promise<void> {
  const found = await openRegistered(access, { isFetched: true }, signal);
  if (found.kind === 'none' || found.config.organization?.dashboard !== true) return;
  const board = { ...known, visibility: found.facts.visibility };
  const { installationId, owner } = known.ref;
  const all = ports.catalog
    .all()
    .filter(
      ({ ref }) => ref.installationId === installationId && ref.owner.toLowerCase() === owner.toLowerCase(),
    );
  const named = all.filter((one) => isNamedOn(one, board));
  const shown = new Set(named.map(({ ref }) => ref.id));
  const isShown = ({ ref }: CatalogRepository): boolean => shown.has(ref.id);
  const plan = variantPlan(ports.catalog);
  const waiting = named.reduce((sum, { ref }) => sum + waitingUpdates(ports.catalog, ref.id), 0);
  const seconds = waiting === 0 ? 0 : await ports.secondsUntilContentAllowed(installationId);
  const body = organizationBody({
    owner,
    repositories: named.map((repository) => ({
      repository,
      standings: ports.catalog.standings(repository.ref.id),
    })),
    // A number of others would be news to the public.
    others: board.visibility === 'public' ? undefined : all.length - named.length,
    variants: plan.planned
      .filter(({ control, upstream, downstream }) =>
        [control, upstream.repository, downstream.repository].every(isShown),
      )
      .map((planned) => withStanding(ports.catalog, planned)),
    stalled: plan.stalled.filter(({ control }) => isShown(control)),
    limit: limitPart(waiting, seconds, ports.now()),
    rollouts: await rolloutsOf(ports, named, isShown, signal),
  });
  await keepIssue(ports, access, { title: ORGANIZATION_TITLE, body, look: false }, signal);
}

/** Those that speak of nothing but repositories that are named. */
async function rolloutsOf(
  ports: Ports,
  named: readonly CatalogRepository[],
  isShown: (repository: CatalogRepository) => boolean,
  signal: AbortSignal | undefined,
): Promise<readonly RolloutLook[]> {
  const looks: RolloutLook[] = [];
  for (const { ref } of named.filter(({ documents }) => documents.length > 0)) {
    looks.push(...(await newestLooks(ports, ref.id, signal)));
  }
  return looks.filter(
    ({ governed, plan }) =>
      isShown(governed.upstream) &&
      plan.waves.every(({ members }) => members.every(({ repository }) => isShown(repository))),
  );
}
