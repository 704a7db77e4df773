import { PorticoError } from '../../src/error.ts';
import type { Catalog } from '../../src/fbc/catalog.ts';
import { readCatalog } from '../../src/fbc/read-catalog.ts';
import { validateCatalog } from '../../src/fbc/validate.ts';
import type { PackageFiles } from '../../src/package/package.ts';
import { catalogCases, packageFilesIn } from '../corpus/catalogs/cases.ts';

/** Returns the valid catalogs among the golden cases, by the name of the case. */
export function validCatalogs(): [string, Catalog][] {
  return catalogCases('validate', 'render', 'list', 'graph', 'resolve', 'successors').flatMap(
    (one): [string, Catalog][] => {
      const catalog = catalogOf(packageFilesIn(one));
      return catalog === undefined ? [] : [[one.name, catalog]];
    },
  );
}

function catalogOf(files: PackageFiles): Catalog | undefined {
  try {
    const catalog = readCatalog(files);
    return validateCatalog(catalog).errors.length === 0 && catalog.packages.length > 0 ? catalog : undefined;
  } catch (error) {
    if (error instanceof PorticoError) return undefined;
    throw error;
  }
}
