import type { Catalog, CatalogPackage, CatalogRepository } from '../../catalog/catalog.ts';
import type { ConfigProblem } from '../../config/config-problem.ts';
import type { RepositoryConfig } from '../../config/repository-config.ts';
import { packagePathOf, repositoryDirectory, type RepositoryDirectory } from '../../revision/package-path.ts';
import { configCheckAt } from '../check/config-check.ts';
import { upstreamsOf } from '../downstream/downstream-progress.ts';
import { isExpected } from '../downstream/not-shared.ts';
import { prepareVariants } from '../downstream/prepare-variants.ts';
import { variantDigest } from '../downstream/variant-content.ts';
import { variantPlan, type PlannedVariant, type VariantPlan } from '../downstream/variant-plan.ts';
import { withdrawnJobs } from '../downstream/withdrawn-jobs.ts';
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
import type { RepositoryAccess, RepositoryRef, Ports } from '../ports.ts';
import { promoteByItself } from '../promotion/auto-promotion.ts';
import { deriveChannelTags } from '../publication/channel-tags.ts';
import { allChannels } from '../repository/channel-files.ts';
import { dashboardNews } from '../repository/dashboard-news.ts';
import { formerNames, learnNames, MAX_ASKED } from '../repository/former-names.ts';
import { indexPackages } from '../repository/index-packages.ts';
import { indexedChannels } from '../repository/indexed-channels.ts';
import { ORGANIZATION_REPOSITORY } from '../repository/organization.ts';
import { outsideAddress, outsideAddresses } from '../repository/outside-upstream.ts';
import { loadRevisionRefs, revisionsByDirectory } from '../repository/package-revisions.ts';
import { openRegistered } from '../repository/registered.ts';
import { updateJobs, type PackagePlace } from '../repository/update-jobs.ts';
import {
  documentProblems,
  readDocuments,
  type RepositoryDocuments,
} from '../repository/variant-documents.ts';
import { patientLook } from '../repository/whole-index.ts';
import { rolloutConcerns } from '../rollout/rollouts.ts';
import { inTurns } from '../text/in-turns.ts';

export type RepositoryReconciler = (repository: RepositoryRef, signal?: AbortSignal) => Promise<void>;

/**
 * Indexes a repository, then asks for every downstream package to be looked at that it could concern: its own, and
 * those locked to its packages. This is the fan-out of a published revision.
 */
export function createRepositoryReconciler(ports: Ports): RepositoryReconciler {
  return patientLook(ports, async (repository, signal) => {
    const access = await ports.open(repository, signal);
    const found = await openRegistered(access, {}, signal);
    if (found.kind === 'none') {
      ports.catalog.remove(repository.id);
      return;
    }
    const { facts, config, head, configuration } = found;
    const { problems } = configuration;
    const packages = await indexPackages({
      git: access.git,
      below: config.directory,
      head,
      map: config.upstreams.map ?? [],
      known: ports.catalog.get(repository.id),
      signal,
    });
    const before = variantPlan(ports.catalog);
    const known = ports.catalog.get(repository.id);
    const top = await access.git.resolve(`refs/heads/${facts.defaultBranch}`, signal);
    const documents = await readDocuments({
      git: access.git,
      commit: top ?? head,
      inventory: config.inventory?.directory,
      known,
      signal,
    });
    await reportDocuments({ access, head: top ?? head, problems, documents, signal });
    const urls = [facts.cloneUrl, facts.htmlUrl];
    const host = new URL(facts.cloneUrl).host;
    const unasked = await learnNames(ports, namesIn(packages, documents), host, signal);
    if (unasked > 0) {
      const why = `Kptfiles and documents name more unknown repositories than are looked up at once (${MAX_ASKED}); the others are looked up in later sweeps`;
      ports.log.warn({ repository: facts.fullName, names: unasked }, why);
    }
    const refs = await loadRevisionRefs(access.git, signal);
    const revisions = revisionsByDirectory(refs);
    const place = { git: access.git, head, refs, registered: config.directory };
    const channels = await allChannels(ports, place, signal);
    const former = formerNames(ports, repository.id, urls);
    ports.catalog.put({
      ref: { ...repository, owner: facts.owner, name: facts.name },
      directory: config.directory,
      urls,
      ...(former.length > 0 && { formerUrls: former }),
      branch: config.branch,
      commit: head,
      packages,
      revisions,
      channelFiles: indexedChannels(config.directory, channels),
      visibility: facts.visibility,
      labels: facts.labels ?? {},
      deployment: config.deployment,
      automerge: config.updates.automerge !== 'none',
      updates: {
        ...(config.updates.groups && { groups: config.updates.groups }),
        ...(config.updates.priority && { priority: config.updates.priority }),
        follow: config.updates.follow,
        ...(config.updates.policy && { policy: config.updates.policy }),
      },
      ...(config.upstreams.map && { upstreamMap: config.upstreams.map }),
      ...documents,
      ...(config.organization && { organization: config.organization }),
      ...(config.sharing && { sharing: config.sharing }),
      ...(config.controlledBy && { controlledBy: config.controlledBy }),
      mistakes: problems.length,
    });
    await ports.enqueue(withdrawnJobs(ports.catalog, repository.id));
    await deriveChannelTags(ports, access, { place, channels }, signal);
    await promoteByItself(ports, access, { config, place, channels }, signal);
    const outside = { allow: config.upstreams.allow, own: new URL(facts.cloneUrl).origin };
    await prepareVariants(ports);
    const variants = variantsConcerned(ports, repository, before);
    const wanted = (repo: string): boolean =>
      config.updates.follow.kind !== 'none' ||
      outsideAddress(repo, outside) !== undefined ||
      isExpected({ facts, config }, repo);
    const removed = (known?.packages ?? [])
      .filter(({ lock, directory }) => lock !== null && packages.every((one) => one.directory !== directory))
      .map(({ directory }) =>
        variantJob(repository, packagePathOf(config.directory, directory) ?? directory),
      );
    const jobs = [
      ...updateJobs([...concerned(ports, repository, wanted), ...variants.places]),
      ...variants.gone,
      ...removed,
    ];
    const registry = config.oci === undefined ? [] : [registryJob(repository)];
    const later = rolloutConcerns(ports.catalog, repository) ? [rolloutJob(repository)] : [];
    // What fewer people may read now, or may be named to, is not named any longer than that takes.
    const hidden = known !== undefined && !isAsOpen(known, facts.visibility, config);
    const boards = hidden ? ports.catalog.boards(repository) : [];
    const inheritors = inheritorsOf(ports, known, { ...repository, ...facts }, config);
    const polls = outsideAddresses(ports.catalog, packages, outside).map((address) => pollJob(address));
    const notified = [repository, ...upstreamsWithNews(ports.catalog, known?.packages ?? [], packages)];
    const news = notified.map((ref) => dashboardNews(ports, ref));
    await ports.enqueue(inTurns([...jobs, ...registry, ...later, ...polls, ...news]));
    await ports.enqueue([
      ...boards.map(({ ref }) => organizationBoardJob(ref, 0)),
      ...inheritors,
      ...namedOtherwise(ports.catalog, known),
    ]);
  });
}

/** Where revisions say where they went: whose readers changed, or with whom it shares, may have to be named no longer. */
function namedOtherwise(catalog: Ports['catalog'], before: CatalogRepository | undefined): Job[] {
  const now = before && catalog.get(before.ref.id);
  if (before === undefined || now === undefined) return [];
  if (consentOf(before) === consentOf(now)) return [];
  const paths = now.packages.map(({ directory }) => packagePathOf(now.directory, directory) ?? directory);
  const own = [...now.revisions.keys()]
    .filter((directory) => catalog.followers(now.ref.id, directory).length > 0)
    .map((directory) => ({ repository: now.ref, directory }));
  return [...upstreamsOf(catalog, now.ref, paths), ...own].map((place) => downstreamJob(place, 0));
}

function consentOf({ visibility, sharing }: CatalogRepository): string {
  return JSON.stringify([visibility, sharing]);
}

/** Addresses by which Kptfiles and Porch's `Repository` documents name repositories. */
function namesIn(packages: readonly CatalogPackage[], { documents }: RepositoryDocuments): string[] {
  const locked = packages.flatMap(({ lock }) => (lock === null ? [] : [lock.repo]));
  const written = documents.flatMap((file) =>
    file.documents.flatMap((one) => (one.kind === 'repository' ? [one.repository.repo] : [])),
  );
  return [...locked, ...written];
}

/** What the defaults of an organisation agree to, all its repositories do: they are looked at when that changes. */
function inheritorsOf(
  { catalog }: Ports,
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
  { catalog }: Ports,
  { id }: RepositoryRef,
  wanted: (repo: string) => boolean,
): PackagePlace[] {
  const repository = catalog.get(id);
  if (repository === undefined) return [];
  const own = repository.packages
    .filter(
      ({ lock, hasSources }) =>
        hasSources === true ||
        (lock !== null && (catalog.byUrl(lock.repo) !== undefined || wanted(lock.repo))),
    )
    .map(({ directory }) => placeIn(repository, directory));
  const followers = catalog
    .followers(id)
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
  ports: Ports,
  { id }: RepositoryRef,
  before: VariantPlan,
): { readonly places: readonly PackagePlace[]; readonly gone: readonly Job[] } {
  const plan = variantPlan(ports.catalog);
  const says =
    holdsDocuments(ports.catalog.get(id)) || before.planned.some(({ control }) => control.ref.id === id);
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
  const left = ports.catalog.all().flatMap((repository) =>
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

/** Says on the default branch that documents there have mistakes, beside those of the configuration. */
async function reportDocuments({
  access: { forge },
  head,
  problems,
  documents,
  signal,
}: {
  readonly access: RepositoryAccess;
  readonly head: string;
  readonly problems: readonly ConfigProblem[];
  readonly documents: RepositoryDocuments;
  readonly signal: AbortSignal | undefined;
}): Promise<void> {
  const own = documentProblems(documents);
  if (own.length > 0) await forge.putCheck(configCheckAt(head, [...problems, ...own], true), signal);
}
