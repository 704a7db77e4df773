import { expect, test } from 'vitest';

import { unionCatalogs } from '../../src/fbc/union.ts';
import { catalogYaml } from '../../src/fbc/write-catalog.ts';
import { MemoryRepository } from './memory-repository.ts';
import { validCatalogs } from './valid-catalogs.ts';

const valid = validCatalogs();

test('the golden cases have more than 20 valid catalogs', () => expect(valid.length).toBeGreaterThan(20));

test.each(valid)('packages, revisions and channels give back the catalog %s', (_name, catalog) => {
  const repository = new MemoryRepository();
  expect(repository.import([catalog])).toBeUndefined();
  const { catalog: plain } = unionCatalogs([catalog]);
  expect(repository.export()).toBe(catalogYaml(plain!));
  const texts = repository.texts;
  // A second import changes nothing.
  expect(repository.import([catalog])).toBeUndefined();
  expect(repository.import([catalog], { replaceChannels: true })).toBeUndefined();
  expect(repository.texts).toBe(texts);
});
