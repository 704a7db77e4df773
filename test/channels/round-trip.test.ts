/** Every valid catalog of the corpus (`../shared/corpus/catalog`) comes back from packages, revisions and channels as it was. */
import { expect, test } from 'vitest';

import { unionCatalogs } from '../../src/fbc/union.ts';
import { catalogYaml } from '../../src/fbc/write-catalog.ts';
import { MemoryRepository } from './memory-repository.ts';
import { validCatalogs } from './valid-catalogs.ts';

const valid = validCatalogs();

test.skipIf(valid.length === 0)('there are such cases', () => expect(valid.length).toBeGreaterThan(20));

test.skipIf(valid.length === 0).each(valid)('%s', (_id, catalog) => {
  const repository = new MemoryRepository();
  expect(repository.import([catalog])).toBeUndefined();
  const { catalog: plain } = unionCatalogs([catalog]);
  expect(repository.export()).toBe(catalogYaml(plain!));
  const texts = repository.texts;
  // What is there already changes nothing.
  expect(repository.import([catalog])).toBeUndefined();
  expect(repository.import([catalog], { replaceChannels: true })).toBeUndefined();
  expect(repository.texts).toBe(texts);
});
