/** Pure: what the documents of a repository may name, and what sets select from. */
import type { Catalog, CatalogRepository } from '../../catalog/catalog.ts';
import type { PackageRevision } from '../../package/variant/package-revision.ts';
import type {
  RepositoryDocument,
  ValidVariantSet,
  VariantUpstream,
} from '../../package/variant/variant-types.ts';
import { pathInRepository } from '../../revision/package-path.ts';
import { isControlledBy, isSameOwner, mayKnow } from '../repository/visibility.ts';
import type { SetWork } from './variant-expansion.ts';
import { inventoryOf, type Inventory } from './variant-inventory.ts';

/** What a repository's documents are read with. */
export interface Reading {
  readonly repositories: readonly RepositoryDocument[];
  readonly inventory: Inventory;
  readonly find: (name: string) => CatalogRepository | undefined;
}

export function readingOf(catalog: Catalog, control: CatalogRepository): Reading {
  const repositories = repositoriesOf(catalog, control);
  // For variants, one name is one repository in every namespace.
  const names = new Map(repositories.map((one) => [one.metadata.name, one]));
  return {
    repositories,
    inventory: inventoryOf(catalog, control),
    find: (name) => resolved(catalog, control, names, name),
  };
}

/** Sets of one repository that are worked out; each may make thousands of variants. */
export const MAX_SETS = 100;

/** Those of a repository's sets that are worked out: the first, in the order of files and lines. */
export function setsOf({ documents }: Pick<CatalogRepository, 'documents'>): readonly ValidVariantSet[] {
  const all = documents.flatMap((file) => file.documents);
  return all.flatMap((one) => (one.kind === 'set' ? [one.set] : [])).slice(0, MAX_SETS);
}

export function setWork(control: CatalogRepository, set: ValidVariantSet, reading: Reading): SetWork {
  const { repositories, inventory, find } = reading;
  const upstream = find(set.spec.upstream.repo);
  const packageRevisions = upstream === undefined ? [] : revisionsFor(upstream, set.spec.upstream);
  const named = set.spec.targets.flatMap((target) => (target.repositories ?? []).map(({ name }) => name));
  const names = new Map(
    named.flatMap((name) => {
      const known = find(name);
      return known === undefined ? [] : [[name, { name, labels: known.labels, annotations: {} }] as const];
    }),
  );
  return { control, set, names, repositories, objects: inventory.all, packageRevisions };
}

/**
 * Porch's `Repository` documents beside the variants. A registered repository of the owner that none of them names
 * stands for itself, if it obeys these documents and has topics or custom properties: a selector of everything would take
 * the rest by surprise.
 */
function repositoriesOf(catalog: Catalog, control: CatalogRepository): RepositoryDocument[] {
  const { documents } = control;
  const all = documents.flatMap((file) => file.documents);
  const written = all.flatMap((one) => (one.kind === 'repository' ? [one.repository] : []));
  const named = new Set(written.map(({ repo }) => catalog.byUrl(repo)?.ref.id));
  const others = catalog
    .all()
    .filter(
      (one) =>
        isSameOwner(one, control) &&
        isControlledBy(one, control) &&
        !named.has(one.ref.id) &&
        Object.keys(one.labels).length > 0,
    )
    .map(({ ref, labels, urls }): RepositoryDocument => ({
      kind: 'Repository',
      metadata: { name: ref.name, labels, annotations: {} },
      repo: urls[0] ?? '',
    }));
  return [...written, ...others];
}

/**
 * A name of a document: by Porch's `Repository` of that name, else as `owner/name` or the name of a repository of the
 * same owner. Nobody reaches another owner's repositories, nor those that may not be known where the document stands.
 */
function resolved(
  catalog: Catalog,
  control: CatalogRepository,
  names: ReadonlyMap<string, RepositoryDocument>,
  name: string,
): CatalogRepository | undefined {
  const document = names.get(name);
  const found =
    document === undefined
      ? catalog.byName(name.includes('/') ? name : `${control.ref.owner}/${name}`)
      : catalog.byUrl(document.repo);
  return found !== undefined && isSameOwner(found, control) && mayKnow(control, found) ? found : undefined;
}

/**
 * The published revisions that a document's upstream can mean, as Porch lists them, ahead of them the placeholder that
 * stands for the newest. Only these: thousands of documents may name a package with thousands of revisions.
 */
export function revisionsFor(
  from: CatalogRepository,
  { repo, package: path, revision, workspaceName }: VariantUpstream,
): PackageRevision[] {
  const names = from.revisions.get(pathInRepository(from.directory, path)) ?? [];
  const known = firstByWord(names);
  const meant = [workspaceName, revision].flatMap((word) =>
    word === undefined ? [] : (known.get(word) ?? []),
  );
  return [PLACEHOLDER, ...new Set(meant)].map((name) => revisionNamed(name, repo, path));
}

const PLACEHOLDER = 'main';

const words = new WeakMap<readonly string[], ReadonlyMap<string | number, string>>();

/** By name, and by number the first that has it. The lists of the index never change. */
function firstByWord(names: readonly string[]): ReadonlyMap<string | number, string> {
  const before = words.get(names);
  if (before !== undefined) return before;
  const known = new Map<string | number, string>();
  for (const name of names) {
    known.set(name, name);
    const number = numberOf(name);
    if (!known.has(number)) known.set(number, name);
  }
  words.set(names, known);
  return known;
}

function numberOf(name: string): number {
  const number = /^v?(\d+)$/.exec(name)?.[1];
  return number === undefined ? -1 : Number(number);
}

function revisionNamed(workspaceName: string, repository: string, path: string): PackageRevision {
  const name = [repository, ...path.split('/'), workspaceName].join('.');
  return {
    metadata: { name, labels: {}, annotations: {}, owners: [] },
    repository,
    package: path,
    revision: numberOf(workspaceName),
    workspaceName,
    lifecycle: 'Published' as const,
  };
}
