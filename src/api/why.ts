/** Why nothing happens, for a caller who may read the repositories that the answer is about. */
import type { Catalog, CatalogRepository } from '../catalog/catalog.ts';
import type { Why, WhySubject } from '../command/why.ts';
import type { RepositoryRef } from '../reconcile/ports.ts';
import { unknownRepository } from './page.ts';
import type { Sight } from './sight.ts';

/** Who gathers the answer. */
export interface WhySource {
  delivery(
    id: string,
  ): Promise<{ readonly why: Why; readonly repositories: readonly RepositoryRef[] } | null>;
  repository(
    home: CatalogRepository,
    part: { readonly number?: number; readonly package?: string },
    signal: AbortSignal,
  ): Promise<Why>;
}

/** Null where there is no such webhook or repository, or the caller may not read one that it is about. */
export async function readWhy(
  { catalog, why }: { readonly catalog: Pick<Catalog, 'byName'>; readonly why: WhySource },
  subject: WhySubject,
  sight: Sight,
  signal: AbortSignal,
): Promise<Why | null> {
  if ('delivery' in subject) {
    await sight.sees([], signal);
    const found = await why.delivery(subject.delivery);
    if (found === null) return null;
    const seen = await sight.sees(
      found.repositories.map((ref) => ({ ref })),
      signal,
    );
    return found.repositories.every(({ id }) => seen.has(id)) ? found.why : null;
  }
  const { repository, ...part } = subject;
  const home = catalog.byName(repository);
  // The forge is asked in any case, so that an answer takes as long for a repository that is hidden.
  const seen = await sight.sees([home ?? unknownRepository(repository)], signal);
  return home !== undefined && seen.has(home.ref.id) ? why.repository(home, part, signal) : null;
}
