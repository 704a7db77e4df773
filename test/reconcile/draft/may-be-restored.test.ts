import { expect, test } from 'vitest';

import { createCatalog, type CatalogRepository } from '../../../src/catalog/catalog.ts';
import { mayBeRestored } from '../../../src/reconcile/draft/restoration.ts';
import { repositoryDirectory } from '../../../src/revision/package-path.ts';
import { bareRepository } from '../../catalog/bare-repository.ts';

const WITH_SOURCES = [
  { directory: repositoryDirectory('web'), tree: '', lock: null, hasSources: true as const },
];

test('a failure that is told right after a start is not passed by because nothing is indexed yet', () => {
  const catalog = createCatalog();
  catalog.expect([1, 2, 3]);
  const may = (id: number, more?: Partial<CatalogRepository>): boolean => {
    if (more !== undefined) catalog.put(bareRepository(id, `acme/r${id}`, more));
    return mayBeRestored({ catalog }, { installationId: 1, id, owner: 'acme', name: `r${id}` });
  };
  expect(may(1)).toBe(true);
  expect(may(1, { deployment: true, packages: WITH_SOURCES })).toBe(true);
  expect(may(2, { packages: WITH_SOURCES })).toBe(false);
  expect(may(3)).toBe(true);
  expect(may(3, { deployment: true })).toBe(false);
  // Whatever is not in the whole index is not registered.
  expect(catalog.isComplete()).toBe(true);
  expect(may(4)).toBe(false);
});
