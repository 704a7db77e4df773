/** Pure: which variants all documents of all repositories ask for, and where. */
import { repositoryName, type Catalog, type CatalogRepository } from '../../catalog/catalog.ts';
import { decideVariant } from '../../package/variant/decide.ts';
import { namespaceOf, type InventoryObject, type ValidVariant } from '../../package/variant/variant-types.ts';
import { packagePathOf, pathInRepository, type RepositoryDirectory } from '../../revision/package-path.ts';
import { packagePathProblem } from '../../revision/ref-name.ts';
import { doesNotObey, notInventory, notKnown } from '../repository/control.ts';
import { isControlledBy, mayFlow } from '../repository/visibility.ts';
import { controlOf, createClaims, type Claims } from './variant-claims.ts';
import { expansionOf, type SetWork } from './variant-expansion.ts';
import type { Inventory } from './variant-inventory.ts';
import { MAX_SETS, readingOf, revisionsFor, setsOf, setWork } from './variant-reading.ts';

/** A package of a registered repository, there or to be made. */
export interface VariantPlace {
  readonly repository: CatalogRepository;
  /** Below the registered directory. */
  readonly path: string;
  /** From the top of the repository; '.' is the top. */
  readonly directory: RepositoryDirectory;
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
  /** True when a mark's variant asks for this package, or may: its document cannot be read, or not all repositories are indexed yet. */
  isClaimed(uid: string, repository: number, path: string): boolean;
  /** True when a mark's variant is certainly gone from its control repository, or keeps another package now. */
  isGone(uid: string, repository: number, path: string): boolean;
  byUid(uid: string): PlannedVariant | undefined;
}

/** The plan is made anew the next time. */
export function forgetPlan(catalog: Catalog): void {
  plans.delete(catalog);
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
  const claims = createClaims();
  const places = new Map<string, PlannedVariant>();
  const uids = new Map<string, PlannedVariant>();
  const asked = catalog.all().flatMap((control) => documentsOf(catalog, control, stalled, claims));
  // A package stays with the variant that its mark names, even if another variant asks for it.
  for (const one of asked) {
    if (!isMarkedWith(one) || uids.has(one.uid)) continue;
    places.set(placeOfVariant(one), one);
    uids.set(one.uid, one);
  }
  for (const one of asked) {
    const place = placeOfVariant(one);
    const twin = places.get(place) ?? uids.get(one.uid);
    if (twin !== undefined && twin !== one) {
      const message = twinMessage(one, twin);
      stalled.push({ ...sourceOf(one), reason: 'ValidationError', message });
      claims.variant(one.control.ref.id, one.name);
      continue;
    }
    places.set(place, one);
    uids.set(one.uid, one);
    planned.push(one);
  }
  const isClaimed = (uid: string, repository: number, path: string): boolean => {
    const own = uids.get(uid);
    if (own === undefined) return !catalog.isComplete() || claims.include(uid);
    return own.downstream.repository.ref.id === repository && own.downstream.path === path;
  };
  return {
    planned,
    stalled,
    at: (repository, path) => places.get(placeKey(repository, path)),
    byUid: (uid) => uids.get(uid),
    isClaimed,
    isGone: (uid, repository, path) =>
      !isClaimed(uid, repository, path) && (uids.has(uid) || catalog.get(controlOf(uid)) !== undefined),
  };
}

/** Why a variant gives way to one before it, without telling of a document that the reader may not know. */
function twinMessage(one: PlannedVariant, twin: PlannedVariant): string {
  if (!mayFlow(twin.control, one.control)) return 'another variant owns that package';
  const { repository, path } = twin.downstream;
  const place = `${repositoryName(repository)}:${path}`;
  const document = `${twin.set === undefined ? '' : `the set ${twin.set} in `}${twin.file}`;
  if (repository.ref.id === one.downstream.repository.ref.id && path === one.downstream.path) {
    return `${place} already belongs to ${twin.namespace}/${twin.name} (${document}); a package can have only one variant`;
  }
  return `${document} also declares ${twin.namespace}/${twin.name}, for ${place}; rename one of them`;
}

/** Whether the downstream's own file says that the package belongs to the variant. */
function isMarkedWith({ uid, downstream: { repository, directory } }: PlannedVariant): boolean {
  return marksOf(repository).get(directory) === uid;
}

const marks = new WeakMap<CatalogRepository, ReadonlyMap<string, string>>();

/** Made once for each state of a repository: many variants may ask for packages in one. */
function marksOf(repository: CatalogRepository): ReadonlyMap<string, string> {
  const known =
    marks.get(repository) ??
    new Map(
      repository.packages.flatMap(({ directory, variant }) => (variant ? [[directory, variant.uid]] : [])),
    );
  marks.set(repository, known);
  return known;
}

function placeOfVariant({ downstream: { repository, path } }: PlannedVariant): string {
  return placeKey(repository.ref.id, path);
}

function placeKey(repository: number, path: string): string {
  return `${repository}:${path}`;
}

function sourceOf({ control, file, line, namespace, name, set }: Source): Source {
  return { control, file, line, namespace, name, ...(set !== undefined && { set }) };
}

/** The variants of one control repository; what stalls is added to `stalled`, and what it may ask for to `claims`. */
function documentsOf(
  catalog: Catalog,
  control: CatalogRepository,
  stalled: StalledVariant[],
  claims: Claims,
): PlannedVariant[] {
  const reading = readingOf(catalog, control);
  const { find, inventory } = reading;
  const planned: PlannedVariant[] = [];
  const workedOut = new Set(setsOf(control));
  const add = (source: Source, variant: ValidVariant, selectsObjects = false): void => {
    const uid = `${control.ref.id}/${source.namespace}/${source.name}`;
    const own = { ...variant, metadata: { ...variant.metadata, uid, namespace: source.namespace } };
    const made = placed({ source, variant: own, find, inventory, selectsObjects });
    if ('reason' in made) {
      stalled.push(made);
      claims.variant(control.ref.id, source.name);
    } else planned.push({ ...made, uid });
  };
  for (const { file, documents, problems } of control.documents) {
    for (const { line, message } of problems) {
      stalled.push({ control, file, line, namespace: '', name: file, reason: 'ValidationError', message });
      claims.file(control.ref.id);
    }
    for (const document of documents) {
      if (document.kind === 'refused') {
        const { name, namespace = 'default', problems: wrong } = document;
        const message = wrong.map((one) => `line ${one.line}: ${one.message}`).join('; ');
        const line = wrong[0]?.line ?? document.line;
        stalled.push({ control, file, line, namespace, name, reason: 'ValidationError', message });
        if (name === '') claims.file(control.ref.id);
        else if (document.document === 'PackageVariant') claims.variant(control.ref.id, name);
        else claims.set(control.ref.id, name);
      } else if (document.kind === 'variant') {
        const { metadata } = document.variant;
        const source = { control, file, line: document.line, namespace: namespaceOf(metadata) };
        add({ ...source, name: metadata.name }, document.variant);
      } else if (document.kind === 'set') {
        const source = { control, file, line: document.line, namespace: namespaceOf(document.set.metadata) };
        const { metadata, spec } = document.set;
        if (!workedOut.has(document.set)) {
          const message = `the repository has more than ${MAX_SETS} sets, so this one is not processed and its existing variants stay as they are; combine sets that make variants of the same upstream`;
          stalled.push({ ...source, name: metadata.name, reason: 'UnexpectedError', message });
          claims.set(control.ref.id, metadata.name);
          continue;
        }
        const selectsObjects = spec.targets.some(({ objectSelector }) => objectSelector !== undefined);
        if (selectsObjects && !inventory.isWhole) claims.set(control.ref.id, metadata.name);
        const work = setWork(control, document.set, reading);
        expanded({ catalog, work, source, stalled, claims }).forEach((variant) =>
          add({ ...source, name: variant.metadata.name, set: metadata.name }, variant, selectsObjects),
        );
      }
    }
  }
  return planned;
}

function expanded({
  catalog,
  work,
  source,
  stalled,
  claims,
}: {
  readonly catalog: Catalog;
  readonly work: SetWork;
  readonly source: Omit<Source, 'name'>;
  readonly stalled: StalledVariant[];
  readonly claims: Claims;
}): readonly ValidVariant[] {
  const { name } = work.set.metadata;
  const control = source.control.ref.id;
  const expansion = expansionOf(catalog, work);
  if (expansion === undefined) {
    const message = 'its variants are being computed';
    stalled.push({ ...source, name, reason: 'UnexpectedError', message });
    claims.set(control, name);
    return [];
  }
  const { variants, problems } = expansion;
  for (const { reason, message, variant, unknownRepository } of problems) {
    const known = unknownRepository === undefined ? message : notKnown(unknownRepository, source.control);
    stalled.push({ ...source, name, reason, message: known });
    if (variant !== undefined) claims.variant(control, variant);
    // Which package it would make is not known, but where: all others of the set are let go of as ever.
    else if (unknownRepository !== undefined) claims.set(control, `${name}-${unknownRepository}`);
    else claims.set(control, name);
  }
  return variants;
}

function placed({
  source,
  variant,
  find,
  inventory,
  selectsObjects,
}: {
  readonly source: Source;
  readonly variant: ValidVariant;
  readonly find: (name: string) => CatalogRepository | undefined;
  readonly inventory: Inventory;
  readonly selectsObjects: boolean;
}): Omit<PlannedVariant, 'uid'> | StalledVariant {
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
  const decision = decideVariant(variant, revisionsFor(from, upstream));
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
