import { PorticoError } from '../../error.ts';
import type { Catalog } from '../../fbc/catalog.ts';
import type { ModelPackage } from '../../fbc/model.ts';
import { readCatalog } from '../../fbc/read-catalog.ts';
import { validateCatalog } from '../../fbc/validate.ts';
import { verdictText } from '../../fbc/verdict-text.ts';
import { readFolder } from '../folder.ts';
import type { Call } from '../verb.ts';

/** The catalog in the directory that the first argument names. */
export function readCatalogOf(call: Call, typed = call.positionals[0] ?? '.'): Catalog {
  return readCatalog(readFolder(call.path(typed), { warn: call.terminal.warn }));
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
