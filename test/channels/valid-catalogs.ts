import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { readFolder } from '../../src/cli/folder.ts';
import { PorticoError } from '../../src/error.ts';
import type { Catalog } from '../../src/fbc/catalog.ts';
import { readCatalog } from '../../src/fbc/read-catalog.ts';
import { validateCatalog } from '../../src/fbc/validate.ts';
import { casesOf, type Case } from '../fbc/corpus-case.ts';

const FAMILIES = [
  'fbc-validate',
  'fbc-graph',
  'fbc-graph-authored',
  'fbc-load',
  'fbc-write',
  'list-index',
  'mermaid',
  'resolve',
  'successors',
];

/** Every case of the corpus whose input is a catalog in order, by its id; none where the corpus is not there. */
export function validCatalogs(): [string, Catalog][] {
  return casesOf(FAMILIES).flatMap((one): [string, Catalog][] => {
    const catalog = catalogOf(one);
    return catalog === undefined ? [] : [[one.id, catalog]];
  });
}

function catalogOf(one: Case): Catalog | undefined {
  const directory = join(one.directory, 'input');
  if (!existsSync(directory)) return undefined;
  try {
    const catalog = readCatalog(readFolder(directory));
    return validateCatalog(catalog).errors.length === 0 && catalog.packages.length > 0 ? catalog : undefined;
  } catch (error) {
    if (error instanceof PorticoError) return undefined;
    throw error;
  }
}
