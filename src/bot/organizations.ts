/** Where an organisation keeps its defaults, and what other repositories there are: looked up once in a while, because every job asks. */

import type { RepositoryRef } from '../reconcile/ports.ts';
import { ORGANIZATION_REPOSITORY } from '../reconcile/repository/organization.ts';

export interface Organizations {
  /** The repository with an organisation's defaults; null where there is none, and for that repository itself. */
  organizationRepositoryOf(ref: RepositoryRef): Promise<RepositoryRef | null>;
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
  const known = new Map<
    number,
    { readonly at: number; readonly all: Promise<ReadonlyMap<string, RepositoryRef>> }
  >();

  const allOrganizations = (installationId: number): Promise<ReadonlyMap<string, RepositoryRef>> => {
    const before = known.get(installationId);
    if (before !== undefined && now() - before.at < ageMs) return before.all;
    const all = list(installationId).then(
      (found) => new Map(found.map((one) => [fullName(one.owner, one.name), one])),
    );
    known.set(installationId, { at: now(), all });
    // A question that failed is no answer.
    all.catch(() => known.delete(installationId));
    return all;
  };

  return {
    async organizationRepositoryOf(ref) {
      if (ref.name === ORGANIZATION_REPOSITORY) return null;
      const all = await allOrganizations(ref.installationId);
      return all.get(fullName(ref.owner, ORGANIZATION_REPOSITORY)) ?? null;
    },
    async find(installationId, name) {
      const all = await allOrganizations(installationId);
      return all.get(name.toLowerCase()) ?? null;
    },
    forget: () => known.clear(),
  };
}

function fullName(owner: string, name: string): string {
  return `${owner}/${name}`.toLowerCase();
}
