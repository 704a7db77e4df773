/**
 * The index of all registered repositories: which packages and revisions they hold, which upstream each package is
 * locked to, which variant documents and inventory objects they have, and what came of the last look at each package.
 * It is a cache of what is in git: lose it, and the next sweep builds it again.
 */

import type { PackageChannels } from '../channels/package-channels.ts';
import type { Follow } from '../channels/plan.ts';
import type { Rollout } from '../package/rollout/rollout.ts';
import type { MappedAddress } from '../package/upstream-map.ts';
import type { DocumentProblem, ReadDocument } from '../package/variant/read-document.ts';
import { repositoryDirectory, type RepositoryDirectory } from '../revision/package-path.ts';
import { createLastLooks, type LastLooks } from './last-looks.ts';
import { repositoryPlace } from './repository-place.ts';

/** What a Kptfile's `upstreamLock` says, commit ids as written (kpt may have written a tag object's). */
export interface UpstreamLock {
  readonly repo: string;
  /** As written: `/`, `/app` or `app`. */
  readonly directory: string;
  readonly ref: string;
  readonly commit: string;
}

/** A package says in its Kptfile which variant it belongs to. */
export interface VariantMark {
  readonly uid: string;
  /** It stays when the variant goes. */
  readonly orphan: boolean;
}

export interface CatalogPackage {
  /** From the top of the repository, '.' for the root. */
  readonly directory: RepositoryDirectory;
  readonly tree: string;
  readonly lock: UpstreamLock | null;
  readonly variant?: VariantMark;
  /** It takes content from elsewhere, which may have newer versions. */
  readonly hasSources?: boolean;
  /** It may hold an operator's bundle, which names its place in channels. */
  readonly holdsBundle?: boolean;
  /** The channel of its upstream that its Kptfile names. */
  readonly channel?: string;
}

/** A file with variant documents or inventory objects. */
export interface CatalogDocuments {
  /** From the top of the repository. */
  readonly file: string;
  /** Identity of the content. */
  readonly id: string;
  readonly documents: readonly ReadDocument[];
  /** Rollouts among them; 1-based lines. */
  readonly rollouts?: readonly { readonly line: number; readonly rollout: Rollout }[];
  readonly problems: readonly DocumentProblem[];
  /** What is told of documents that nothing here reads. */
  readonly notes?: readonly DocumentProblem[];
}

/** The channel file of a package. */
export interface CatalogChannels {
  /** From the top of the repository. */
  readonly file: string;
  /** What is in force of it; absent where nothing is, and channels offer nothing. */
  readonly document?: PackageChannels;
  /** How many mistakes its newest version has. */
  readonly mistakes: number;
}

/** A branch on which a package, or a group of them, is being changed. */
export interface CatalogDraft {
  readonly kind: 'draft' | 'update' | 'proposed' | 'deletion-proposed';
  /** From the top of the repository, '.' for the root; of an update of a group its name. */
  readonly directory: string;
  /** Without `refs/heads/`. */
  readonly branch: string;
  readonly commit: string;
  /** What it changed has been on the registered branch since: it was merged by squashing or rebasing. */
  readonly merged?: boolean;
}

export interface CatalogRepository {
  readonly ref: {
    readonly installationId: number;
    readonly id: number;
    readonly owner: string;
    readonly name: string;
  };
  /** The registered directory, '.' for the top. */
  readonly directory: RepositoryDirectory;
  /** Addresses by which a Kptfile may name this repository. */
  readonly urls: readonly string[];
  /** Those of the names that it had before: they count until another repository takes one. */
  readonly formerUrls?: readonly string[];
  /** The registered branch. */
  readonly branch?: string;
  /** Head of the registered branch that `packages` was read from. */
  readonly commit: string;
  readonly packages: readonly CatalogPackage[];
  /** Directory of a package → its published revisions, oldest first. */
  readonly revisions: ReadonlyMap<RepositoryDirectory, readonly string[]>;
  /** Directory of a package → channel → the revision that it leads to; only read from clones, for people to see. */
  readonly channels?: ReadonlyMap<RepositoryDirectory, ReadonlyMap<string, string>>;
  /** Directory of a package → its channel file. */
  readonly channelFiles?: ReadonlyMap<RepositoryDirectory, CatalogChannels>;
  /** Branches of drafts and updates; only read from clones. */
  readonly drafts?: readonly CatalogDraft[];
  readonly visibility: 'public' | 'internal' | 'private';
  /** What selectors see of it where no document of Porch's names it. */
  readonly labels: Readonly<Record<string, string>>;
  /** Published packages are ready to be deployed. */
  readonly deployment?: boolean;
  /** Updates here may merge themselves. */
  readonly automerge: boolean;
  /** Repositories whose variants may merge themselves, too. */
  readonly automergeFrom?: readonly string[];
  /** Which updates come together, and which first: globs over package paths. */
  readonly updates?: {
    readonly groups?: readonly { readonly name: string; readonly packages: readonly string[] }[];
    readonly priority?: readonly string[];
    readonly follow?: Follow;
    /** `SelfCertified` goes to the head of a channel, whether an edge leads there or not. */
    readonly policy?: 'SelfCertified';
    /** Whoever is at a withdrawn revision stays there until the head is higher. */
    readonly onWithdrawn?: 'ignore';
  };
  /** Where addresses that locks name are now. */
  readonly upstreamMap?: readonly MappedAddress[];
  /** Variant documents beside the configuration. */
  readonly documents: readonly CatalogDocuments[];
  /** Objects that variants select and inject. */
  readonly inventory: readonly CatalogDocuments[];
  readonly organization?: {
    /** It keeps an issue about all repositories of its owner. */
    readonly dashboard?: boolean;
    /** Whether such an issue may name it; absent: where everybody who reads that can read this repository. */
    readonly listed?: boolean;
  };
  /** With whom its base configuration agrees to share content. */
  readonly sharing?: {
    readonly to: readonly string[];
    readonly from: readonly string[];
    readonly within?: true;
  };
  /** Repositories whose documents it obeys. */
  readonly controlledBy?: readonly string[];
  /** How many mistakes its configuration has, those of documents left out. */
  readonly mistakes?: number;
}

export interface Follower {
  readonly repository: CatalogRepository;
  readonly package: CatalogPackage;
}

export interface Catalog extends Omit<LastLooks, 'forget'> {
  put(repository: CatalogRepository): void;
  /** What an earlier process found: it is there, and was not seen since this one began. */
  load(repository: CatalogRepository): void;
  /** It was looked at and is as it is here, or cannot be read: nobody waits for it. */
  confirm(id: number): void;
  /** Another process has found that it is gone; what was told of it goes one by one. */
  unload(id: number): void;
  remove(id: number): void;
  get(id: number): CatalogRepository | undefined;
  /** The oldest first, in whatever order they were read: which of two documents comes first must not change. */
  all(): readonly CatalogRepository[];
  /** The registered repository that a Kptfile's `repo` names. */
  byUrl(url: string): CatalogRepository | undefined;
  /** The registered repository `owner/name`. */
  byName(name: string): CatalogRepository | undefined;
  /** Packages locked to a package of this repository; to any of them where no directory is given. */
  followers(id: number, directory?: RepositoryDirectory): readonly Follower[];
  /** There are these repositories, registered or not. */
  expect(ids: Iterable<number>): void;
  /** It was put or removed since this process began, or another process has seen it. */
  isSeen(id: number): boolean;
  /** Every repository that is expected was put or removed since this process began: what is not here is nowhere. */
  isComplete(): boolean;
  /** Of every repository that is expected it is known how it was last, by this process or an earlier one: none is missing. */
  isWhole(): boolean;
  /** Changes with everything that is put and removed. */
  version(): number;
  /** Repositories of this owner that keep an issue about all of them. */
  boards(ref: Pick<CatalogRepository['ref'], 'installationId' | 'owner'>): readonly CatalogRepository[];
}

/** An empty index, held in memory. */
export function createCatalog(): Catalog {
  const repositories = new Map<number, CatalogRepository>();
  const byPlace = new Map<string, number>();
  const byFormerPlace = new Map<string, number>();
  const byFullName = new Map<string, number>();
  const idAt = (place: string): number => byPlace.get(place) ?? byFormerPlace.get(place) ?? -1;
  const followersOf = new Map<string, Set<number>>();
  const looks = createLastLooks();
  const boards = new Set<number>();
  const seen = new Set<number>();
  const told = new Set<number>();
  let expected: readonly number[] | undefined;
  let version = 0;
  let ordered: readonly CatalogRepository[] | undefined;

  const forget = (id: number): void => {
    const known = repositories.get(id);
    if (known === undefined) return;
    version += 1;
    ordered = undefined;
    repositories.delete(id);
    boards.delete(id);
    if (byFullName.get(fullName(known)) === id) byFullName.delete(fullName(known));
    const release = (of: Map<string, number>, urls: readonly string[] = []): void => {
      for (const place of urls.map(repositoryPlace)) if (of.get(place) === id) of.delete(place);
    };
    release(byPlace, known.urls);
    release(byFormerPlace, known.formerUrls);
    for (const place of lockedPlaces(known)) followersOf.get(place)?.delete(id);
  };

  const load = (repository: CatalogRepository): void => {
    told.add(repository.ref.id);
    const before = repositories.get(repository.ref.id);
    const counted = version;
    forget(repository.ref.id);
    version = before !== undefined && identity(before) === identity(repository) ? counted : counted + 1;
    repositories.set(repository.ref.id, repository);
    ordered = undefined;
    if (repository.organization?.dashboard === true) boards.add(repository.ref.id);
    byFullName.set(fullName(repository), repository.ref.id);
    for (const url of repository.urls) byPlace.set(repositoryPlace(url), repository.ref.id);
    for (const url of repository.formerUrls ?? []) byFormerPlace.set(repositoryPlace(url), repository.ref.id);
    for (const place of lockedPlaces(repository)) {
      const ids = followersOf.get(place) ?? new Set<number>();
      followersOf.set(place, ids.add(repository.ref.id));
    }
  };

  return {
    ...looks,
    put(repository) {
      seen.add(repository.ref.id);
      load(repository);
    },
    load,
    confirm(id) {
      seen.add(id);
    },
    unload(id) {
      told.add(id);
      forget(id);
    },
    remove(id) {
      seen.add(id);
      forget(id);
      looks.forget(id);
    },
    get: (id) => repositories.get(id),
    all: () => (ordered ??= [...repositories.values()].sort((a, b) => a.ref.id - b.ref.id)),
    byUrl: (url) => repositories.get(idAt(repositoryPlace(url))),
    byName: (name) => repositories.get(byFullName.get(name.toLowerCase()) ?? -1),
    followers(id, directory) {
      const upstream = repositories.get(id);
      if (upstream === undefined) return [];
      const all = [...upstream.urls, ...(upstream.formerUrls ?? [])].map(repositoryPlace);
      const places = new Set(all.filter((place) => idAt(place) === id));
      const ids = new Set([...places].flatMap((place) => [...(followersOf.get(place) ?? [])]));
      return [...ids].flatMap((follower) => {
        const repository = repositories.get(follower);
        if (repository === undefined) return [];
        return repository.packages
          .filter(({ lock }) => lock !== null && places.has(repositoryPlace(lock.repo)))
          .filter(
            ({ lock }) => directory === undefined || repositoryDirectory(lock?.directory ?? '') === directory,
          )
          .map((found) => ({ repository, package: found }));
      });
    },
    expect(ids) {
      expected = [...ids];
    },
    isSeen: (id) => seen.has(id),
    isWhole: () => expected?.every((id) => told.has(id) || seen.has(id)) ?? false,
    isComplete: () => expected?.every((id) => seen.has(id)) ?? false,
    version: () => version,
    boards: ({ installationId, owner }) =>
      [...boards].flatMap((id) => {
        const one = repositories.get(id);
        const same = one?.ref.installationId === installationId && isSameName(one.ref.owner, owner);
        return one !== undefined && same ? [one] : [];
      }),
  };
}

/** Everything that a plan could be made of, as text. */
function identity({
  ref,
  directory,
  urls,
  formerUrls,
  commit,
  revisions,
  visibility,
  labels,
  documents,
  inventory,
  sharing,
  controlledBy,
}: CatalogRepository): string {
  const ids = [documents, inventory].map((files) => files.map(({ file, id }) => [file, id]));
  const consent = [visibility, sharing, controlledBy];
  return JSON.stringify([ref, directory, urls, formerUrls, commit, [...revisions], consent, labels, ids]);
}

function isSameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** `owner/name` in lower case: names of the forge do not differ by case. */
export function fullName({ ref }: Pick<CatalogRepository, 'ref'>): string {
  return `${ref.owner}/${ref.name}`.toLowerCase();
}

function lockedPlaces(repository: CatalogRepository): Set<string> {
  return new Set(
    repository.packages.flatMap(({ lock }) => (lock === null ? [] : [repositoryPlace(lock.repo)])),
  );
}

/** `owner/name`. */
export function repositoryName({ ref }: Pick<CatalogRepository, 'ref'>): string {
  return `${ref.owner}/${ref.name}`;
}
