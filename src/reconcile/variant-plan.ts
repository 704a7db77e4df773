/** Pure: which variants all documents of all repositories ask for, and where. */
import type { Catalog, CatalogRepository } from '../catalog/catalog.ts';
import { decideVariant } from '../package/variant/decide.ts';
import { expandSet } from '../package/variant/expand.ts';
import type { PackageRevision } from '../package/variant/package-revision.ts';
import {
  namespaceOf,
  type InventoryObject,
  type RepositoryDocument,
  type ValidVariant,
  type ValidVariantSet,
} from '../package/variant/variant-types.ts';
import { packagePathOf, pathInRepository } from '../revision/package-path.ts';
import { packagePathProblem } from '../revision/ref-name.ts';
import { doesNotObey, notInventory, notKnown } from './control.ts';
import { inventoryOf, type Inventory } from './variant-inventory.ts';
import { isControlledBy, isSameOwner, mayFlow, mayKnow } from './visibility.ts';

/** A package of a registered repository, there or to be made. */
export interface VariantPlace {
  readonly repository: CatalogRepository;
  /** Below the registered directory. */
  readonly path: string;
  /** From the top of the repository; '.' is the top. */
  readonly directory: string;
}

/** Where a document stands. */
interface Source {
  readonly control: CatalogRepository;
  readonly file: string;
  readonly line: number;
  readonly namespace: string;
  readonly name: string;
  /** The set that generated it. */
  readonly set?: string;
}

export interface PlannedVariant extends Source {
  /** Stable over renames of repositories. */
  readonly uid: string;
  readonly variant: ValidVariant;
  readonly upstream: VariantPlace;
  readonly downstream: VariantPlace;
  /** The revision that it asks for; undefined: the newest. */
  readonly revision: string | undefined;
  /** Objects of its control repository's inventories. */
  readonly inventory: readonly InventoryObject[];
}

/** A document, or one downstream of a set, that nothing can be made of. */
export interface StalledVariant extends Source {
  readonly reason: 'ValidationError' | 'UpstreamNotFound' | 'UnexpectedError';
  readonly message: string;
}

export interface VariantPlan {
  readonly planned: readonly PlannedVariant[];
  readonly stalled: readonly StalledVariant[];
  at(repository: number, path: string): PlannedVariant | undefined;
  /** True when a mark's variant is certainly gone from its control repository, or keeps another package now. */
  isGone(uid: string, repository: number, path: string): boolean;
  byUid(uid: string): PlannedVariant | undefined;
}

const plans = new WeakMap<Catalog, { readonly version: number; readonly plan: VariantPlan }>();

/** The plan for what the index holds now; made anew only after it changed. */
export function variantPlan(catalog: Catalog): VariantPlan {
  const known = plans.get(catalog);
  if (known?.version === catalog.version()) return known.plan;
  const plan = makePlan(catalog);
  plans.set(catalog, { version: catalog.version(), plan });
  return plan;
}

function makePlan(catalog: Catalog): VariantPlan {
  const planned: PlannedVariant[] = [];
  const stalled: StalledVariant[] = [];
  const certain = new Set<number>();
  const places = new Map<string, PlannedVariant>();
  const uids = new Map<string, PlannedVariant>();
  for (const control of catalog.all()) {
    if (control.documents.length === 0) {
      certain.add(control.ref.id);
      continue;
    }
    const before = stalled.length;
    for (const one of documentsOf(catalog, control, stalled)) {
      const place = placeKey(one.downstream.repository.ref.id, one.downstream.path);
      const twin = places.get(place) ?? uids.get(one.uid);
      if (twin !== undefined) {
        const message = mayFlow(twin.control, control)
          ? `${twin.file} has ${twin.namespace}/${twin.name}, which keeps that package or has that name`
          : 'another variant keeps that package';
        stalled.push({ ...sourceOf(one), reason: 'ValidationError', message });
        continue;
      }
      places.set(place, one);
      uids.set(one.uid, one);
      planned.push(one);
    }
    if (stalled.length === before) certain.add(control.ref.id);
  }
  return {
    planned,
    stalled,
    at: (repository, path) => places.get(placeKey(repository, path)),
    byUid: (uid) => uids.get(uid),
    isGone(uid, repository, path) {
      const own = uids.get(uid);
      if (own !== undefined) {
        return own.downstream.repository.ref.id !== repository || own.downstream.path !== path;
      }
      // A document that cannot be read now may ask for it still, and so may one whose inventory is not read yet.
      return catalog.isComplete() && certain.has(controlOf(uid));
    },
  };
}

/** The id of the repository in which the document of a variant stands. */
export function controlOf(uid: string): number {
  return Number(uid.split('/')[0]);
}

function placeKey(repository: number, path: string): string {
  return `${repository}:${path}`;
}

function sourceOf({ control, file, line, namespace, name, set }: Source): Source {
  return { control, file, line, namespace, name, ...(set !== undefined && { set }) };
}

/** The variants of one control repository; what stalls is added to `stalled`. */
function documentsOf(
  catalog: Catalog,
  control: CatalogRepository,
  stalled: StalledVariant[],
): PlannedVariant[] {
  const repositories = repositoriesOf(catalog, control);
  // For variants, one name is one repository in every namespace.
  const names = new Map(repositories.map((one) => [one.metadata.name, one]));
  const inventory = inventoryOf(catalog, control);
  const find = (name: string): CatalogRepository | undefined => resolved(catalog, control, names, name);
  const planned: PlannedVariant[] = [];
  const add = (source: Source, variant: ValidVariant, selectsObjects = false): void => {
    const uid = `${control.ref.id}/${source.namespace}/${source.name}`;
    const own = { ...variant, metadata: { ...variant.metadata, uid, namespace: source.namespace } };
    const made = placed(source, own, find, inventory, selectsObjects);
    if ('reason' in made) stalled.push(made);
    else planned.push({ ...made, uid });
  };
  for (const { file, documents, problems } of control.documents) {
    for (const { line, message } of problems) {
      stalled.push({ control, file, line, namespace: '', name: file, reason: 'ValidationError', message });
    }
    for (const document of documents) {
      if (document.kind === 'refused') {
        const { name, namespace = 'default', problems: wrong } = document;
        const message = wrong.map((one) => `line ${one.line}: ${one.message}`).join('; ');
        const line = wrong[0]?.line ?? document.line;
        stalled.push({ control, file, line, namespace, name, reason: 'ValidationError', message });
      } else if (document.kind === 'variant') {
        const { metadata } = document.variant;
        const source = { control, file, line: document.line, namespace: namespaceOf(metadata) };
        add({ ...source, name: metadata.name }, document.variant);
      } else if (document.kind === 'set') {
        const source = { control, file, line: document.line, namespace: namespaceOf(document.set.metadata) };
        const { metadata, spec } = document.set;
        const selectsObjects = spec.targets.some(({ objectSelector }) => objectSelector !== undefined);
        expanded(document.set, source, repositories, inventory.all, find, stalled).forEach((variant) =>
          add({ ...source, name: variant.metadata.name, set: metadata.name }, variant, selectsObjects),
        );
      }
    }
  }
  return planned;
}

function expanded(
  set: ValidVariantSet,
  source: Omit<Source, 'name'>,
  repositories: readonly RepositoryDocument[],
  inventory: readonly InventoryObject[],
  find: (name: string) => CatalogRepository | undefined,
  stalled: StalledVariant[],
): readonly ValidVariant[] {
  const upstream = find(set.spec.upstream.repo);
  const packageRevisions =
    upstream === undefined ? [] : revisionsOf(upstream, set.spec.upstream.repo, set.spec.upstream.package);
  const { variants, problems } = expandSet(set, {
    repositories,
    undocumented: (repository) => {
      const known = find(repository);
      return known && { name: repository, labels: known.labels, annotations: {} };
    },
    objects: inventory,
    packageRevisions,
  });
  const { name } = set.metadata;
  stalled.push(...problems.map(({ reason, message }) => ({ ...source, name, reason, message })));
  return variants;
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

/** The published revisions of a package as Porch lists them, and the placeholder that stands for the newest. */
function revisionsOf(upstream: CatalogRepository, repository: string, path: string): PackageRevision[] {
  const directory = pathInRepository(upstream.directory, path);
  const names = upstream.revisions.get(directory) ?? [];
  return ['main', ...names].map((workspaceName) => {
    const number = /^v?(\d+)$/.exec(workspaceName)?.[1];
    const name = [repository, ...path.split('/'), workspaceName].join('.');
    return {
      metadata: { name, labels: {}, annotations: {}, owners: [] },
      repository,
      package: path,
      revision: number === undefined ? -1 : Number(number),
      workspaceName,
      lifecycle: 'Published' as const,
    };
  });
}

function placed(
  source: Source,
  variant: ValidVariant,
  find: (name: string) => CatalogRepository | undefined,
  inventory: Inventory,
  selectsObjects: boolean,
): Omit<PlannedVariant, 'uid'> | StalledVariant {
  const { upstream, downstream } = variant.spec;
  const stalled = (reason: StalledVariant['reason'], message: string): StalledVariant => ({
    ...sourceOf(source),
    reason,
    message,
  });
  const from = find(upstream.repo);
  const to = find(downstream.repo);
  if (from === undefined || to === undefined) {
    const missing = from === undefined ? upstream.repo : downstream.repo;
    return stalled('UnexpectedError', notKnown(missing, source.control));
  }
  if (!isControlledBy(to, source.control)) return stalled('ValidationError', doesNotObey(to, source.control));
  const objects = inventory.for(to);
  // A set writes what it selects into names and templates.
  if (selectsObjects && objects !== inventory.all) return stalled('ValidationError', notInventory(to));
  const problem = packagePathProblem(downstream.package);
  if (downstream.package === '.' || problem !== undefined) {
    const why = problem?.message ?? 'it names the whole repository';
    return stalled('ValidationError', `spec.downstream.package cannot be a package: ${why}`);
  }
  const decision = decideVariant(variant, revisionsOf(from, upstream.repo, upstream.package));
  if (!decision.ok) return stalled('UpstreamNotFound', decision.message);
  const { workspaceName } = decision.upstream;
  return {
    ...sourceOf(source),
    variant,
    upstream: placeOf(from, upstream.package),
    downstream: placeOf(to, downstream.package),
    revision: workspaceName === 'main' ? undefined : workspaceName,
    inventory: objects,
  };
}

function placeOf(repository: CatalogRepository, path: string): VariantPlace {
  const directory = pathInRepository(repository.directory, path);
  return { repository, path: packagePathOf(repository.directory, directory) ?? path, directory };
}
