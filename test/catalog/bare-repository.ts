import type { CatalogRepository } from '../../src/catalog/catalog.ts';
import { repositoryDirectory } from '../../src/revision/package-path.ts';

/** A repository of the index with nothing in it; what a test is about it says in `more`. */
export function bareRepository(
  id: number,
  fullName: string,
  more: Partial<CatalogRepository> = {},
): CatalogRepository {
  const [owner = '', name = ''] = fullName.split('/');
  return {
    ref: { installationId: 1, id, owner, name },
    directory: repositoryDirectory('.'),
    urls: [`https://forge.example/${fullName}.git`],
    commit: 'a'.repeat(40),
    packages: [],
    revisions: new Map(),
    visibility: 'private',
    labels: {},
    automerge: false,
    documents: [],
    inventory: [],
    ...more,
  };
}
