/** Pure: which downstreams a wave selects, by what the index holds of their repositories. */
import { type Catalog, type CatalogRepository } from '../../catalog/catalog.ts';
import { matchesGlob } from '../../config/glob.ts';
import type { WaveSelector } from '../../package/rollout/rollout.ts';
import type { InventoryObject } from '../../package/variant/variant-types.ts';
import { readingOf } from '../downstream/variant-reading.ts';

type Labels = Readonly<Record<string, string>>;

/** What the documents beside a rollout say of a repository. */
export interface Described {
  /** Labels of the `Repository` documents that name it. */
  readonly labels: Labels;
  /** Inventory objects that are named like it. */
  readonly objects: readonly Pick<InventoryObject, 'kind' | 'metadata'>[];
}

const NOTHING: Described = { labels: {}, objects: [] };

const known = new WeakMap<
  Catalog,
  { readonly version: number; readonly byControl: Map<number, ReadonlyMap<number, Described>> }
>();

/** By the id of the repository. Read once for all downstreams, until the index changes. */
export function descriptions(
  catalog: Catalog,
  control: CatalogRepository,
): (repository: Pick<CatalogRepository, 'ref'>) => Described {
  const before = known.get(catalog);
  const now =
    before?.version === catalog.version() ? before : { version: catalog.version(), byControl: new Map() };
  known.set(catalog, now);
  const described = now.byControl.get(control.ref.id) ?? describe(catalog, control);
  now.byControl.set(control.ref.id, described);
  return ({ ref }) => described.get(ref.id) ?? NOTHING;
}

function describe(catalog: Catalog, control: CatalogRepository): ReadonlyMap<number, Described> {
  const { repositories, inventory } = readingOf(catalog, control);
  const documents = new Map<number, { readonly name: string; readonly labels: Labels }[]>();
  for (const { metadata, repo } of repositories) {
    const id = catalog.byUrl(repo)?.ref.id;
    if (id !== undefined) documents.set(id, [...(documents.get(id) ?? []), metadata]);
  }
  const objects = Map.groupBy(inventory.all, ({ metadata }) => metadata.name);
  return new Map(
    catalog.all().map(({ ref }): [number, Described] => {
      const written = documents.get(ref.id) ?? [];
      const names = new Set([ref.name, ...written.map(({ name }) => name)]);
      return [
        ref.id,
        {
          labels: Object.assign({}, ...written.map(({ labels }) => labels)) as Labels,
          objects: [...names].flatMap((name) => objects.get(name) ?? []),
        },
      ];
    }),
  );
}

/** A downstream as selectors see it. */
export interface Selected {
  readonly repository: CatalogRepository;
  /** Below the registered directory. */
  readonly path: string;
  readonly hidden: boolean;
  readonly described?: Described;
}

/** What is hidden is in the last wave: a selector that it fitted would tell that it is there, or hand a gate to a stranger. */
export function selects(
  selector: WaveSelector,
  { repository, path, hidden, described = NOTHING }: Selected,
): boolean {
  if (hidden) return false;
  const { repositories, packages, topics, properties = {}, labels = {}, inventory, deployment } = selector;
  const own = repository.labels;
  return (
    (repositories === undefined || repositories.some((glob) => isNamed(repository, glob))) &&
    (packages === undefined || matchesGlob(path, packages)) &&
    (topics === undefined || topics.some((topic) => valueOf(own, topic) === '')) &&
    hasAll(own, properties) &&
    hasAll(described.labels, labels) &&
    (inventory === undefined ||
      described.objects.some(
        ({ kind, metadata }) => kind === inventory.kind && hasAll(metadata.labels, inventory.labels),
      )) &&
    (deployment === undefined || deployment === (repository.deployment === true))
  );
}

function hasAll(labels: Labels, wanted: Labels): boolean {
  return Object.entries(wanted).every(([name, value]) => valueOf(labels, name) === value);
}

function valueOf(labels: Labels, name: string): string | undefined {
  return Object.hasOwn(labels, name) ? labels[name] : undefined;
}

/** By `owner/name`, or, as in the other documents, by the name alone. */
function isNamed({ ref: { owner, name } }: CatalogRepository, glob: string): boolean {
  return matchesGlob(glob.includes('/') ? `${owner}/${name}` : name, [glob]);
}
