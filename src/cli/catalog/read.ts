import { PorticoError } from '../../error.ts';
import { isBundleDirectory } from '../../fbc/bundle-directory.ts';
import type { Catalog } from '../../fbc/catalog.ts';
import { CatalogMistake } from '../../fbc/mistake.ts';
import type { ModelPackage } from '../../fbc/model.ts';
import { readCatalog } from '../../fbc/read-catalog.ts';
import { validateCatalog } from '../../fbc/validate.ts';
import { verdictText } from '../../fbc/verdict-text.ts';
import { readFolder } from '../folder.ts';
import type { Call } from '../verb.ts';
import { bundlesIn } from './import-sources.ts';

/** The catalog in the directory that the first argument names. Throws `CATALOG_INVALID` and `CATALOG_OF_BUNDLES`. */
export function readCatalogOf(call: Call, typed = call.positionals[0] ?? '.'): Catalog {
  const files = readFolder(call.path(typed), { warn: call.terminal.warn });
  try {
    return readCatalog(files);
  } catch (error) {
    const holdsBundles = isBundleDirectory(files) || bundlesIn(files).size > 0;
    if (!(error instanceof CatalogMistake) || !holdsBundles) throw error;
    throw new PorticoError('CATALOG_OF_BUNDLES', `${typed} holds bundles and no catalog`, {
      blame: 'user',
      cause: error,
      hint: 'portico catalog import --mode makes a catalog of them, and portico bundle validate checks one.',
    });
  }
}

/** Its packages. Throws `CATALOG_INVALID` with everything that is wrong. */
export function packagesOf(catalog: Catalog): readonly ModelPackage[] {
  const { errors, packages } = validateCatalog(catalog);
  if (errors.length === 0) return [...packages.values()];
  throw new PorticoError('CATALOG_INVALID', `the catalog is not valid:\n${verdictText(errors, 50)}`, {
    blame: 'user',
    hint: 'portico catalog validate shows where each problem is.',
  });
}
