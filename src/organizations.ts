/** Where an organisation keeps its defaults: looked up once in a while, because every job asks. */
import { ORGANIZATION_REPOSITORY } from './reconcile/organization.ts';
import type { RepositoryRef } from './reconcile/ports.ts';

export interface Organizations {
  /** The repository with an organisation's defaults; null where there is none, and for that repository itself. */
  homeOf(ref: RepositoryRef): Promise<RepositoryRef | null>;
  /** What was looked up is asked for again. */
  forget(): void;
}

/** `list` gives the repositories of an installation; `ageMs` is how long an answer is good. */
export function createOrganizations(
  list: (installationId: number) => Promise<readonly RepositoryRef[]>,
  now: () => number,
  ageMs: number,
): Organizations {
  const known = new Map<number, { readonly at: number; readonly homes: Promise<RepositoryRef[]> }>();

  const homesIn = (installationId: number): Promise<RepositoryRef[]> => {
    const found = known.get(installationId);
    if (found !== undefined && now() - found.at < ageMs) return found.homes;
    const homes = list(installationId).then((all) =>
      all.filter(({ name }) => name === ORGANIZATION_REPOSITORY),
    );
    known.set(installationId, { at: now(), homes });
    // A question that failed is no answer.
    homes.catch(() => known.delete(installationId));
    return homes;
  };

  return {
    async homeOf(ref) {
      if (ref.name === ORGANIZATION_REPOSITORY) return null;
      const owner = ref.owner.toLowerCase();
      const homes = await homesIn(ref.installationId);
      return homes.find((home) => home.owner.toLowerCase() === owner) ?? null;
    },
    forget: () => known.clear(),
  };
}
