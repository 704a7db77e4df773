/** One page of a collection: walks the repositories that the caller may read, in compareText, until it is full. */
import { fullName } from '../catalog/catalog.ts';
import type { Catalog, CatalogRepository } from '../catalog/catalog.ts';
import { compareText } from '../text/compare-text.ts';
import type { Collection } from './routes.ts';
import type { RowSource } from './rows.ts';
import { MAX_ASKED, type Sight } from './sight.ts';

export interface PageQuestion {
  readonly source: RowSource;
  readonly collection: Collection;
  readonly sight: Sight;
  /** `owner/name`, or the owner alone; absent: all. */
  readonly scope: { readonly repository?: string | undefined; readonly owner?: string | undefined };
  /** Field → the value that it must have. */
  readonly filters: ReadonlyMap<string, string>;
  readonly limit: number;
  readonly after: Position | undefined;
  readonly signal: AbortSignal;
}

/** The last row of the page before: the caller has seen both parts. */
export interface Position {
  readonly repository: string;
  readonly key: string;
}

export interface Page {
  readonly items: readonly object[];
  readonly next: Position | undefined;
}

/** Null where the repository that was asked for is not there, or may not be read: nobody is told which. */
export async function readPage(question: PageQuestion): Promise<Page | null> {
  const { source, sight, scope, after, signal } = question;
  if (scope.repository !== undefined) {
    const home = source.catalog.byName(scope.repository);
    // The forge is asked in any case, so that an answer takes as long for a repository that is hidden.
    const seen = await sight.sees([home ?? unknownRepository(scope.repository)], signal);
    if (home === undefined || !seen.has(home.ref.id)) return null;
  } else {
    // A token that is none is refused, also where nothing is registered.
    await sight.sees([], signal);
  }
  const homes = sorted(source.catalog).filter(
    (home) =>
      (scope.repository === undefined || fullName(home) === scope.repository.toLowerCase()) &&
      (scope.owner === undefined || home.ref.owner.toLowerCase() === scope.owner.toLowerCase()) &&
      (after === undefined || fullName(home) >= after.repository),
  );
  const found: Found[] = [];
  for (let from = 0; from < homes.length && found.length <= question.limit; from += MAX_ASKED) {
    const part = homes.slice(from, from + MAX_ASKED);
    const seen = await sight.sees(part, signal);
    for (const home of part) {
      if (found.length > question.limit) break;
      if (seen.has(home.ref.id)) found.push(...(await rowsIn(question, home)));
    }
  }
  const shown = found.slice(0, question.limit);
  const last = found.length > shown.length ? shown.at(-1) : undefined;
  return { items: shown.map(({ row }) => row), next: last?.position };
}

interface Found {
  readonly row: object;
  readonly position: Position;
}

async function rowsIn(
  { source, collection, sight, filters, after, signal }: PageQuestion,
  home: CatalogRepository,
): Promise<readonly Found[]> {
  const repository = fullName(home);
  const candidates = await collection.rows(source, home, signal);
  signal.throwIfAborted();
  const wanted = candidates.filter(
    ({ key, row }) =>
      (after === undefined || repository > after.repository || key > after.key) &&
      [...filters].every(([field, value]) => (row as Readonly<Record<string, unknown>>)[field] === value),
  );
  const named = new Map(wanted.flatMap(({ names }) => names.map((one) => [one.ref.id, one] as const)));
  const seen = named.size === 0 ? new Set<number>() : await sight.sees([...named.values()], signal);
  return wanted
    .filter(({ names }) => names.every(({ ref }) => seen.has(ref.id)))
    .toSorted((a, b) => compareText(a.key, b.key))
    .map(({ key, row }) => ({ row, position: { repository, key } }));
}

const orders = new WeakMap<
  Catalog,
  { readonly version: number; readonly homes: readonly CatalogRepository[] }
>();

/** By name; anew after each change of the index. */
function sorted(catalog: Catalog): readonly CatalogRepository[] {
  const known = orders.get(catalog);
  if (known?.version === catalog.version()) return known.homes;
  const homes = catalog.all().toSorted((a, b) => compareText(fullName(a), fullName(b)));
  orders.set(catalog, { version: catalog.version(), homes });
  return homes;
}

/** Stands for a repository that is not registered, so that the forge is asked about it like about others. */
export function unknownRepository(fullName: string): Pick<CatalogRepository, 'ref'> {
  const [owner = '', name = ''] = fullName.split('/');
  // No repository has that number.
  return { ref: { installationId: 0, id: -1, owner, name } };
}
