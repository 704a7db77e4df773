/** Pure: who is to look again once a repository was read into the index. */
import type { Catalog, CatalogPackage, CatalogRepository } from '../../catalog/catalog.ts';
import type { RepositoryConfig } from '../../config/repository-config.ts';
import { packagePathOf, repositoryDirectory, type RepositoryDirectory } from '../../revision/package-path.ts';
import { upstreamsOf } from '../downstream/downstream-progress.ts';
import { isExpected } from '../downstream/not-shared.ts';
import { variantDigest } from '../downstream/variant-content.ts';
import { variantPlan, type PlannedVariant, type VariantPlan } from '../downstream/variant-plan.ts';
import type { Job } from '../job.ts';
import {
  downstreamJob,
  organizationBoardJob,
  pollJob,
  registryJob,
  repositoryJob,
  rolloutJob,
  variantGoneJob,
  variantJob,
} from '../jobs.ts';
import type { RepositoryRef, Ports } from '../ports.ts';
import { dashboardNews } from '../repository/dashboard-news.ts';
import { ORGANIZATION_REPOSITORY } from '../repository/organization.ts';
import {
  credentialFor,
  outsideAddress,
  outsideAddresses,
  outsideOf,
} from '../repository/outside-upstream.ts';
import type { Registered } from '../repository/registered.ts';
import { updateJobs, type PackagePlace } from '../repository/update-jobs.ts';
import { rolloutConcerns } from '../rollout/rollouts.ts';
import { inTurns } from '../text/in-turns.ts';

/** A repository that was read, and what was known until then. */
export interface Indexed {
  readonly found: Pick<Registered, 'facts' | 'config'>;
  /** As the index had it; undefined for a new one. */
  readonly known: CatalogRepository | undefined;
  readonly before: VariantPlan;
  readonly now: CatalogRepository;
}

/** Packages that may have an update, in turns, then whoever shows or inherits what has changed. */
export function jobsAfterIndexing(
  ports: Pick<Ports, 'catalog' | 'dashboardSeconds'>,
  { found, known, before, now }: Indexed,
): readonly Job[] {
  const { catalog } = ports;
  const { facts, config } = found;
  const { ref: repository, packages } = now;
  const outside = outsideOf(found);
  const variants = variantsConcerned(catalog, repository, before);
  const wanted = (repo: string): boolean =>
    config.updates.follow.kind !== 'none' ||
    outsideAddress(repo, outside) !== undefined ||
    isExpected({ facts, config }, repo);
  const removed = (known?.packages ?? [])
    .filter(({ lock, directory }) => lock !== null && packages.every((one) => one.directory !== directory))
    .map(({ directory }) => variantJob(repository, packagePathOf(config.directory, directory) ?? directory));
  const notified = [repository, ...upstreamsWithNews(catalog, known?.packages ?? [], packages)];
  // What fewer people may read now, or may be named to, is not named any longer than that takes.
  const hidden = known !== undefined && !isAsOpen(known, facts.visibility, config);
  return [
    ...inTurns([
      ...updateJobs([...concerned(catalog, now, wanted), ...variants.places]),
      ...variants.gone,
      ...removed,
      ...(config.oci === undefined ? [] : [registryJob(repository)]),
      ...(rolloutConcerns(catalog, repository) ? [rolloutJob(repository)] : []),
      ...outsideAddresses(catalog, packages, outside).map((address) =>
        pollJob(address, { credential: credentialFor(outside, address) }),
      ),
      ...notified.map((ref) => dashboardNews(ports, ref)),
    ]),
    ...(hidden ? catalog.boards(repository).map(({ ref }) => organizationBoardJob(ref, 0)) : []),
    ...inheritorsOf(catalog, known, repository, config),
    ...namedOtherwise(catalog, known, now),
  ];
}

/** Where revisions say where they went: whose readers changed, or with whom it shares, may have to be named no longer. */
function namedOtherwise(
  catalog: Catalog,
  before: CatalogRepository | undefined,
  now: CatalogRepository,
): Job[] {
  if (before === undefined || consentOf(before) === consentOf(now)) return [];
  const paths = now.packages.map(({ directory }) => packagePathOf(now.directory, directory) ?? directory);
  const own = [...now.revisions.keys()]
    .filter((directory) => catalog.followers(now.ref.id, directory).length > 0)
    .map((directory) => ({ repository: now.ref, directory }));
  return [...upstreamsOf(catalog, now.ref, paths), ...own].map((place) => downstreamJob(place, 0));
}

function consentOf({ visibility, sharing }: CatalogRepository): string {
  return JSON.stringify([visibility, sharing]);
}

/** What the defaults of an organisation agree to, all its repositories do: they are looked at when that changes. */
function inheritorsOf(
  catalog: Catalog,
  known: CatalogRepository | undefined,
  { id, owner, name }: RepositoryRef,
  { sharing, controlledBy }: RepositoryConfig,
): Job[] {
  if (name !== ORGANIZATION_REPOSITORY || known === undefined) return [];
  const before = JSON.stringify([known.sharing, known.controlledBy]);
  if (before === JSON.stringify([sharing, controlledBy])) return [];
  return catalog
    .all()
    .filter(({ ref }) => ref.id !== id && ref.owner.toLowerCase() === owner.toLowerCase())
    .map(({ ref }) => repositoryJob(ref));
}

/** Repositories whose dashboards tell who is made from their packages, and from what: as far as that changed. */
function upstreamsWithNews(
  catalog: Catalog,
  before: readonly CatalogPackage[],
  now: readonly CatalogPackage[],
): readonly RepositoryRef[] {
  const [old, current] = [new Set(before.map(lockText)), new Set(now.map(lockText))];
  const changed = [...before, ...now].filter((one) => !old.has(lockText(one)) || !current.has(lockText(one)));
  const refs = changed.flatMap(({ lock }) => (lock === null ? [] : (catalog.byUrl(lock.repo)?.ref ?? [])));
  return [...new Map(refs.map((ref) => [ref.id, ref])).values()];
}

function lockText({ directory, lock }: CatalogPackage): string {
  return JSON.stringify([directory, lock]);
}

function isAsOpen(
  { visibility, organization }: CatalogRepository,
  now: CatalogRepository['visibility'],
  config: RepositoryConfig,
): boolean {
  return visibility === now && organization?.listed === config.organization?.listed;
}

/** The packages whose update pull request may have to change now; `wanted` are upstreams that the index does not hold. */
function concerned(
  catalog: Catalog,
  repository: CatalogRepository,
  wanted: (repo: string) => boolean,
): PackagePlace[] {
  const own = repository.packages
    .filter(
      ({ lock, hasSources }) =>
        hasSources === true ||
        (lock !== null && (catalog.byUrl(lock.repo) !== undefined || wanted(lock.repo))),
    )
    .map(({ directory }) => placeIn(repository, directory));
  const followers = catalog
    .followers(repository.ref.id)
    .map((follower) => placeIn(follower.repository, repositoryDirectory(follower.package.directory)));
  return [...own, ...followers];
}

function placeIn(repository: CatalogRepository, directory: RepositoryDirectory): PackagePlace {
  return { repository, path: packagePathOf(repository.directory, directory) ?? directory };
}

/**
 * The variants that this repository has a part in: as upstream, downstream, or with its documents. What the plan had
 * before and has no more is let go of, and so is a package whose mark no variant answers to.
 */
function variantsConcerned(
  catalog: Catalog,
  { id }: RepositoryRef,
  before: VariantPlan,
): { readonly places: readonly PackagePlace[]; readonly gone: readonly Job[] } {
  const plan = variantPlan(catalog);
  const says = holdsDocuments(catalog.get(id)) || before.planned.some(({ control }) => control.ref.id === id);
  const now = plan.planned
    .filter(
      (one) =>
        [one.control, one.upstream.repository, one.downstream.repository].some(({ ref }) => ref.id === id) ||
        (says && isNews(one, before.byUid(one.uid))),
    )
    .map(({ downstream }): PackagePlace => ({ repository: downstream.repository, path: downstream.path }));
  // A document that is not obeyed any more leaves an open pull request behind, perhaps of a package that is not there.
  const lost = before.planned
    .filter(({ uid }) => plan.byUid(uid) === undefined)
    .map(({ downstream }): PackagePlace => ({ repository: downstream.repository, path: downstream.path }));
  const gone = before.planned
    .filter(({ uid, downstream }) => plan.isGone(uid, downstream.repository.ref.id, downstream.path))
    .map(({ uid, downstream }) => variantGoneJob(downstream.repository.ref, downstream.path, uid));
  const left = catalog.all().flatMap((repository) =>
    repository.packages.flatMap(({ directory, variant }) => {
      const place = placeIn(repository, directory);
      if (variant === undefined || plan.at(repository.ref.id, place.path) !== undefined) return [];
      return repository.ref.id === id || variant.uid.startsWith(`${id}/`) ? [place] : [];
    }),
  );
  return { places: [...now, ...lost, ...left], gone };
}

function holdsDocuments(repository: CatalogRepository | undefined): boolean {
  return repository !== undefined && repository.documents.length + repository.inventory.length > 0;
}

function isNews(now: PlannedVariant, before: PlannedVariant | undefined): boolean {
  return before === undefined || variantDigest(now) !== variantDigest(before);
}
