/** Where an organisation keeps its defaults, and what other repositories there are: looked up once in a while, because every job asks. */
import { ORGANIZATION_REPOSITORY } from './reconcile/organization.ts';
import type { RepositoryRef } from './reconcile/ports.ts';

export interface Organizations {
  /** The repository with an organisation's defaults; null where there is none, and for that repository itself. */
  homeOf(ref: RepositoryRef): Promise<RepositoryRef | null>;
  /** The repository `owner/name` of an installation, in whatever case; null where there is none. */
  find(installationId: number, name: string): Promise<RepositoryRef | null>;
  /** What was looked up is asked for again. */
  forget(): void;
}

/** `list` gives the repositories of an installation; `ageMs` is how long an answer is good. */
export function createOrganizations(
  list: (installationId: number) => Promise<readonly RepositoryRef[]>,
  now: () => number,
  ageMs: number,
): Organizations {
  const known = new Map<number, { readonly at: number; readonly all: Promise<readonly RepositoryRef[]> }>();

  const allIn = (installationId: number): Promise<readonly RepositoryRef[]> => {
    const found = known.get(installationId);
    if (found !== undefined && now() - found.at < ageMs) return found.all;
    const all = list(installationId);
    known.set(installationId, { at: now(), all });
    // A question that failed is no answer.
    all.catch(() => known.delete(installationId));
    return all;
  };

  return {
    async homeOf(ref) {
      if (ref.name === ORGANIZATION_REPOSITORY) return null;
      const all = await allIn(ref.installationId);
      return all.find((one) => isNamed(one, `${ref.owner}/${ORGANIZATION_REPOSITORY}`)) ?? null;
    },
    async find(installationId, name) {
      const all = await allIn(installationId);
      return all.find((one) => isNamed(one, name)) ?? null;
    },
    forget: () => known.clear(),
  };
}

function isNamed({ owner, name }: RepositoryRef, wanted: string): boolean {
  return `${owner}/${name}`.toLowerCase() === wanted.toLowerCase();
}
