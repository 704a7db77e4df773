/**
 * The variants that sets generate. Their templates and selectors are anybody's text, so the server has them worked out
 * elsewhere, and remembers what came of each set and of all that it selects from.
 */
import type { Catalog, CatalogRepository } from '../../catalog/catalog.ts';
import { PorticoError } from '../../error.ts';
import { expandSet, type Expansion } from '../../package/variant/expand.ts';
import { digestOf } from '../../revision/digest.ts';
import type { ExpandWork } from '../content-port.ts';
import { keepNewest } from '../text/keep-newest.ts';

/** A set, what it selects from, and the repository in which it stands. */
export interface SetWork extends ExpandWork {
  readonly control: CatalogRepository;
}

interface Worked {
  /** By everything that they come from. */
  readonly byKey: Map<string, Expansion>;
  /** The newest of each set, by where it stands and its name: holds until a newer is known. */
  readonly bySet: Map<string, Expansion>;
  /** Those that are under way. */
  readonly pending: Map<string, Promise<void>>;
}

/** Expansions of sets that are remembered. */
const MAX_KEPT = 2_000;

/** Catalogs whose sets are worked out elsewhere. */
const elsewhere = new WeakMap<Catalog, Worked>();

/** From now on the sets of this catalog are worked out elsewhere. */
export function expandElsewhere(catalog: Catalog): void {
  elsewhere.set(catalog, { byKey: new Map(), bySet: new Map(), pending: new Map() });
}

/**
 * What a set generates, as far as it is known. Where sets are worked out elsewhere: the newest that is known; undefined
 * as long as nothing is.
 */
export function expansionOf(catalog: Catalog, work: SetWork): Expansion | undefined {
  const worked = elsewhere.get(catalog);
  if (worked === undefined) return expandedHere(work);
  return worked.byKey.get(keyOf(work)) ?? worked.bySet.get(placeOf(work));
}

function expandedHere({ set, names, repositories, objects, packageRevisions }: ExpandWork): Expansion {
  return expandSet(set, {
    repositories,
    objects,
    packageRevisions,
    undocumented: (name) => names.get(name),
  });
}

export type Expand = (work: ExpandWork) => Promise<Expansion>;

/**
 * Has what is not known yet worked out; false where all is known. `late` is called for what took longer than
 * `patienceMs`, when it is known.
 */
export async function workOut(
  catalog: Catalog,
  works: readonly SetWork[],
  expand: Expand,
  { patienceMs, late }: { readonly patienceMs: number; readonly late: (control: CatalogRepository) => void },
): Promise<boolean> {
  const worked = elsewhere.get(catalog);
  if (worked === undefined) return false;
  const { byKey, bySet, pending } = worked;
  const missing = works
    .map((work) => ({ work, key: keyOf(work) }))
    .filter(({ key, work }) => {
      const known = byKey.get(key);
      if (known !== undefined) bySet.set(placeOf(work), known);
      return known === undefined;
    });
  if (missing.length === 0) return false;
  let isLate = false;
  const workOne = async (work: SetWork, key: string): Promise<void> => {
    const expansion = await expandOne(expand, work);
    keepNewest(byKey, key, expansion, MAX_KEPT);
    keepNewest(bySet, placeOf(work), expansion, MAX_KEPT);
    if (isLate) late(work.control);
  };
  const all = missing.map(({ work, key }) => {
    const own = pending.get(key) ?? workOne(work, key);
    pending.set(key, own);
    return own.finally(() => pending.delete(key));
  });
  const patience = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    isLate = true;
    patience.resolve();
  }, patienceMs);
  const done = Promise.all(all);
  // Whoever does not wait any more is told of a failure by the next who asks.
  done.catch(() => {});
  try {
    await Promise.race([done, patience.promise]);
  } finally {
    clearTimeout(timer);
  }
  return true;
}

/** A set that meets a limit makes nothing, and says why; a machine that cannot work is an error. */
async function expandOne(
  expand: Expand,
  { set, names, repositories, objects, packageRevisions }: SetWork,
): Promise<Expansion> {
  try {
    return await expand({ set, names, repositories, objects, packageRevisions });
  } catch (error) {
    if (!(error instanceof PorticoError) || error.blame !== 'user') throw error;
    const message = `${error.message}. ${error.hint ?? ''}`.trim();
    return { variants: [], problems: [{ reason: 'UnexpectedError', message, path: [] }] };
  }
}

const numbers = new WeakMap<object, number>();
let lastNumber = 0;

/** Documents that were read are the same objects until they change. */
function numberOf(value: object): number {
  const known = numbers.get(value) ?? (lastNumber += 1);
  numbers.set(value, known);
  return known;
}

/** A digest, because hundreds of sets may select from thousands of repositories. */
function keyOf({ control, set, names, repositories, objects, packageRevisions }: SetWork): string {
  return digestOf('portico set 1', [
    control.ref.id,
    numberOf(set),
    [...names],
    selectionDigest(repositories, () => repositories.map(({ metadata, repo }) => [metadata, repo])),
    selectionDigest(objects, () => objects.map(numberOf)),
    packageRevisions.map(({ metadata }) => metadata.name),
  ]);
}

const selections = new WeakMap<object, string>();

/** All sets of a repository select from the same lists. */
function selectionDigest(list: object, content: () => readonly unknown[]): string {
  const digest = selections.get(list) ?? digestOf('portico selection 1', [JSON.stringify(content())]);
  selections.set(list, digest);
  return digest;
}

function placeOf({ control, set }: SetWork): string {
  return `${control.ref.id}/${set.metadata.namespace ?? ''}/${set.metadata.name}`;
}
