/** Which update pull requests in other repositories a bulk command is about, as the index knows them. Nothing is asked of the forge. */
import { repositoryName } from '../../catalog/catalog.ts';
import type { Catalog, CatalogRepository } from '../../catalog/catalog.ts';
import type { FleetScope } from '../../command/bulk-request.ts';
import { packagePathOf, pathInRepository } from '../../revision/package-path.ts';
import { variantPlan } from '../downstream/variant-plan.ts';
import type { Ports, RepositoryAccess, RepositoryWork } from '../ports.ts';
import { isSameOwner, mayFlow, mayKnow, type Party } from '../repository/visibility.ts';
import { needWholeIndex } from '../repository/whole-index.ts';
import { isLeaving } from '../rollout/rolled-back.ts';
import { newestLooks } from '../rollout/rollouts.ts';
import type { StepOutcome } from '../step-outcome.ts';
import { code } from '../text/markdown-blocks.ts';
import { governedHere } from './rollout-command.ts';

/** An open update pull request, with the packages for which it is meant. */
export interface FleetTarget {
  readonly repository: CatalogRepository;
  readonly pull: number;
  /** Below the registered directory of that repository. */
  readonly paths: ReadonlySet<string>;
}

/** A package for which an update may be open. */
interface Place {
  readonly repository: CatalogRepository;
  readonly path: string;
  /** Only an update to this revision is meant; absent: to any. */
  readonly revision?: string;
  /** A way back from any withdrawn revision is meant as well. */
  readonly leaving?: true;
}

/**
 * True where an issue of `here` may name a repository and act on it for somebody who has the rights there: of the same account,
 * because people of several are told apart by nothing, and only where readers of `here` may know it.
 */
export function isInReach(here: CatalogRepository, one: CatalogRepository): boolean {
  return one.ref.id !== here.ref.id && isSameOwner(one, here) && mayKnow(here, one);
}

/**
 * Pure: a reason as an issue of `here` may tell it: it may quote checks and paths, which are content of the other repository,
 * while only its name may be known here.
 */
export function reasonTold(
  here: Party,
  one: Party,
  why: string,
  otherwise = 'Not now: /portico explain in the pull request says why.',
): string {
  return mayFlow(one, here) ? why : otherwise;
}

/**
 * The pull requests of a scope, by repository and number; or why the scope means none.
 *
 * @throws PorticoError INDEX_INCOMPLETE, upon which the job is done later
 */
export async function fleetTargets(
  ports: Ports,
  access: RepositoryAccess,
  scope: FleetScope,
  signal?: AbortSignal,
): Promise<readonly FleetTarget[] | StepOutcome> {
  // Right after a start not all are known: nobody is to take a part of a fleet for all of it.
  needWholeIndex(ports);
  const here = ports.catalog.get(access.ref.id);
  if (here === undefined) {
    const hint = 'Try again in a few minutes.';
    return { kind: 'refused', message: 'This repository has not been indexed yet.', hint };
  }
  const places = await placesOf({ ports, access, here, scope, signal });
  return 'kind' in places ? places : openUpdates(ports.catalog, here, places);
}

interface Asking extends RepositoryWork {
  readonly here: CatalogRepository;
  readonly scope: FleetScope;
}

async function placesOf({
  ports,
  access,
  here,
  scope,
  signal,
}: Asking): Promise<readonly Place[] | StepOutcome> {
  const { catalog } = ports;
  if (scope.of === 'revision') return ofRevision(catalog, here, scope);
  if (scope.of === 'variants') {
    return variantPlan(catalog)
      .planned.filter(({ control }) => control.ref.id === here.ref.id)
      .map(({ downstream: { repository, path } }) => ({ repository, path }));
  }
  const { rollout: name, wave } = scope;
  const governed = governedHere(ports, access, name);
  if ('kind' in governed) return governed;
  const looks = (await newestLooks(ports, here.ref.id, signal)).filter(
    (look) => look.governed.rollout.name === name,
  );
  const waves = looks.flatMap(({ plan, revision }) => plan.waves.map((one) => ({ ...one, revision })));
  if (wave !== undefined && !waves.some((one) => one.name === wave)) {
    const names = [...new Set(waves.map((one) => code(one.name)))].join(', ');
    return {
      kind: 'refused',
      message: `The rollout has no wave ${code(wave)}.`,
      hint: `Its waves: ${names}.`,
    };
  }
  return waves
    .filter((one) => wave === undefined || one.name === wave)
    .flatMap(({ members, revision }) =>
      members
        .filter(({ hidden }) => !hidden)
        .map(({ repository, path }) => ({ repository, path, revision, leaving: true }) as const),
    );
}

function ofRevision(
  catalog: Catalog,
  here: CatalogRepository,
  { package: path, revision }: Extract<FleetScope, { of: 'revision' }>,
): readonly Place[] | StepOutcome {
  const directory = pathInRepository(here.directory, path);
  if (here.revisions.get(directory)?.includes(revision) !== true) {
    const hint = 'Name a package of this repository, and a revision of it that is published.';
    return { kind: 'refused', message: `${code(`${path}@${revision}`)} is not published here.`, hint };
  }
  const locked = catalog.followers(here.ref.id, directory).map(({ repository, package: found }) => ({
    repository,
    path: packagePathOf(repository.directory, found.directory) ?? found.directory,
  }));
  const planned = variantPlan(catalog)
    .planned.filter(
      ({ upstream }) => upstream.repository.ref.id === here.ref.id && upstream.directory === directory,
    )
    .map(({ downstream: { repository, path: at } }) => ({ repository, path: at }));
  return [...locked, ...planned].map((place) => ({ ...place, revision }));
}

/** Several packages may share a pull request. */
function openUpdates(catalog: Catalog, here: CatalogRepository, places: readonly Place[]): FleetTarget[] {
  const found = new Map<string, { repository: CatalogRepository; pull: number; paths: Set<string> }>();
  for (const { repository, path, revision, leaving = false } of places) {
    if (!isInReach(here, repository)) continue;
    const standing = catalog.standings(repository.ref.id).get(path);
    // What a rollout holds is planned too: the answer names the reason.
    const isOpen = standing?.reason === 'proposed' || standing?.reason.startsWith('wave-') === true;
    if (standing?.pull === undefined || !isOpen) continue;
    if (revision !== undefined && standing.to !== revision && !(leaving && isLeaving(standing))) continue;
    const { pull } = standing;
    const key = `${repository.ref.id}#${pull}`;
    const target = found.get(key) ?? { repository, pull, paths: new Set<string>() };
    target.paths.add(path);
    found.set(key, target);
  }
  return [...found.values()].toSorted((a, b) => {
    const [one, two] = [repositoryName(a.repository), repositoryName(b.repository)];
    return one === two ? a.pull - b.pull : one < two ? -1 : 1;
  });
}
