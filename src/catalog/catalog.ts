/**
 * The index of all registered repositories: which packages they hold and which upstream each package is locked to.
 * It is a cache of what is in git: lose it, and the next sweep builds it again.
 */

/** What a Kptfile's `upstreamLock` says, commit ids as written (kpt may have written a tag object's). */
export interface UpstreamLock {
  readonly repo: string;
  readonly directory: string;
  readonly ref: string;
  readonly commit: string;
}

export interface CatalogPackage {
  /** From the top of the repository, '.' for the root. */
  readonly directory: string;
  readonly tree: string;
  readonly lock: UpstreamLock | null;
}

export interface CatalogRepository {
  readonly ref: {
    readonly installationId: number;
    readonly id: number;
    readonly owner: string;
    readonly name: string;
  };
  /** The registered directory, '.' for the top. */
  readonly directory: string;
  /** Addresses by which a Kptfile may name this repository. */
  readonly urls: readonly string[];
  /** Head of the registered branch that `packages` was read from. */
  readonly commit: string;
  readonly packages: readonly CatalogPackage[];
}

export interface Follower {
  readonly repository: CatalogRepository;
  readonly package: CatalogPackage;
}

export interface Catalog {
  put(repository: CatalogRepository): void;
  remove(id: number): void;
  get(id: number): CatalogRepository | undefined;
  all(): readonly CatalogRepository[];
  /** The registered repository that a Kptfile's `repo` names. */
  byUrl(url: string): CatalogRepository | undefined;
  /** Packages locked to a package of this repository; to any of them where no directory is given. */
  followers(id: number, directory?: string): readonly Follower[];
}

/** An empty index, held in memory. */
export function createCatalog(): Catalog {
  const repositories = new Map<number, CatalogRepository>();
  const byPlace = new Map<string, number>();
  const followersOf = new Map<string, Set<number>>();

  const forget = (id: number): void => {
    const known = repositories.get(id);
    if (known === undefined) return;
    repositories.delete(id);
    for (const url of known.urls) byPlace.delete(repositoryPlace(url));
    for (const place of lockedPlaces(known)) followersOf.get(place)?.delete(id);
  };

  return {
    put(repository) {
      forget(repository.ref.id);
      repositories.set(repository.ref.id, repository);
      for (const url of repository.urls) byPlace.set(repositoryPlace(url), repository.ref.id);
      for (const place of lockedPlaces(repository)) {
        const ids = followersOf.get(place) ?? new Set<number>();
        followersOf.set(place, ids.add(repository.ref.id));
      }
    },
    remove: forget,
    get: (id) => repositories.get(id),
    all: () => [...repositories.values()],
    byUrl: (url) => repositories.get(byPlace.get(repositoryPlace(url)) ?? -1),
    followers(id, directory) {
      const upstream = repositories.get(id);
      if (upstream === undefined) return [];
      const places = new Set(upstream.urls.map(repositoryPlace));
      const ids = new Set([...places].flatMap((place) => [...(followersOf.get(place) ?? [])]));
      return [...ids].flatMap((follower) => {
        const repository = repositories.get(follower);
        if (repository === undefined) return [];
        return repository.packages
          .filter(({ lock }) => lock !== null && places.has(repositoryPlace(lock.repo)))
          .filter(
            ({ lock }) => directory === undefined || plainDirectory(lock?.directory ?? '') === directory,
          )
          .map((found) => ({ repository, package: found }));
      });
    },
  };
}

/**
 * `host/owner/name` in lower case: `https://host/owner/name.git`, `git@host:owner/name` and a trailing slash all
 * name one place. A port stays part of the host.
 */
function repositoryPlace(url: string): string {
  return url
    .trim()
    .toLowerCase()
    .replace(/^[a-z+]+:\/\//, '')
    .replace(/^[^@/]*@/, '')
    .replace(/^([^/:]+):(?!\d+\/)/, '$1/')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '');
}

/** A Kptfile's `directory` (`/`, `/app/`, `app`) as the catalog writes it: `.` or `app`. */
export function plainDirectory(directory: string): string {
  const plain = directory.replace(/^\.?\/+|\/+$/g, '');
  return plain === '' || plain === '.' ? '.' : plain;
}

function lockedPlaces(repository: CatalogRepository): Set<string> {
  return new Set(
    repository.packages.flatMap(({ lock }) => (lock === null ? [] : [repositoryPlace(lock.repo)])),
  );
}
