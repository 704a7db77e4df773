/** Every valid catalog of the corpus (`../shared/corpus/catalog`) comes back from packages, revisions and channels as it was. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { readFolder } from '../../src/cli/folder.ts';
import type { Catalog } from '../../src/fbc/catalog.ts';
import { readCatalog } from '../../src/fbc/read-catalog.ts';
import { unionCatalogs } from '../../src/fbc/union.ts';
import { validateCatalog } from '../../src/fbc/validate.ts';
import { catalogYaml } from '../../src/fbc/write-catalog.ts';
import { casesOf, type Case } from '../fbc/corpus-case.ts';
import { MemoryRepository } from './memory-repository.ts';

const known = casesOf([
  'fbc-validate',
  'fbc-graph',
  'fbc-graph-authored',
  'fbc-load',
  'fbc-write',
  'list-index',
  'mermaid',
  'resolve',
  'successors',
]);

/** Of a case that is no catalog in order: none. */
function catalogOf(one: Case): Catalog | undefined {
  const directory = join(one.directory, 'input');
  if (!existsSync(directory)) return undefined;
  try {
    const catalog = readCatalog(readFolder(directory));
    return validateCatalog(catalog).errors.length === 0 && catalog.packages.length > 0 ? catalog : undefined;
  } catch {
    return undefined;
  }
}

const valid = known.flatMap((one): [string, Catalog][] => {
  const catalog = catalogOf(one);
  return catalog === undefined ? [] : [[one.id, catalog]];
});

test.skipIf(known.length === 0)('there are such cases', () => expect(valid.length).toBeGreaterThan(20));

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
