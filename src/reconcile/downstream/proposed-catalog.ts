import type { Catalog, CatalogRepository } from '../../catalog/catalog.ts';
import type { RepositoryConfig } from '../../config/repository-config.ts';
import type { Ports } from '../ports.ts';
import type { RepositoryDocuments } from '../repository/variant-documents.ts';
import { expandElsewhere, expansionOf, workOut } from './variant-expansion.ts';
import { readingOf, setsOf, setWork } from './variant-reading.ts';

/** How long a look waits for the sets of a proposal. */
const PATIENCE_MS = 5_000;

interface Proposed {
  readonly config: Pick<RepositoryConfig, 'sharing' | 'controlledBy' | 'deployment'>;
  /** Undefined where they stay. */
  readonly documents: RepositoryDocuments | undefined;
}

/** The index with other documents of one repository. */
export interface ProposedCatalog {
  readonly catalog: Catalog;
  /** False if some set took too long to be worked out. */
  readonly isWhole: boolean;
}

/**
 * The index as it will be once a repository's configuration and documents are merged; its sets are worked out, where they are
 * elsewhere as well. Nothing of it is kept.
 */
export async function proposedCatalog(
  { catalog, content }: Pick<Ports, 'catalog' | 'content'>,
  known: CatalogRepository,
  proposed: Proposed,
): Promise<ProposedCatalog> {
  const now = proposedRepository(known, proposed);
  const swapped = <Found extends CatalogRepository | undefined>(one: Found): Found | CatalogRepository =>
    one?.ref.id === known.ref.id ? now : one;
  const next: Catalog = {
    ...catalog,
    get: (id) => swapped(catalog.get(id)),
    all: () => catalog.all().map(swapped),
    byUrl: (url) => swapped(catalog.byUrl(url)),
    byName: (name) => swapped(catalog.byName(name)),
    followers: (id, directory) =>
      catalog
        .followers(id, directory)
        .map((follower) => ({ ...follower, repository: swapped(follower.repository) })),
  };
  expandElsewhere(next);
  const works = next.all().flatMap((control) => {
    const sets = setsOf(control);
    if (sets.length === 0) return [];
    const reading = readingOf(next, control);
    return sets.map((set) => setWork(control, set, reading));
  });
  await workOut(next, works, (work) => content.expand(work), { patienceMs: PATIENCE_MS, late: () => {} });
  return { catalog: next, isWhole: works.every((work) => expansionOf(next, work) !== undefined) };
}

function proposedRepository(
  { sharing: _sharing, controlledBy: _controlledBy, ...known }: CatalogRepository,
  { config: { sharing, controlledBy, deployment }, documents }: Proposed,
): CatalogRepository {
  return {
    ...known,
    deployment,
    ...(sharing && { sharing }),
    ...(controlledBy && { controlledBy }),
    ...documents,
  };
}
