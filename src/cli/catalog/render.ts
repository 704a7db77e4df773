import { isBundleDirectory, readBundleDirectory } from '../../fbc/bundle-directory.ts';
import type { Catalog } from '../../fbc/catalog.ts';
import { readCatalog } from '../../fbc/read-catalog.ts';
import { catalogDocuments, catalogJson, catalogYaml } from '../../fbc/write-catalog.ts';
import { EXIT, usageError } from '../exit-code.ts';
import { readFolder } from '../folder.ts';
import type { Call } from '../verb.ts';

/** `portico catalog render DIR`: a catalog or a bundle directory as one catalog in canonical form. */
export async function render(call: Call): Promise<number> {
  const files = readFolder(call.path(call.positionals[0] ?? '.'), { warn: call.terminal.warn });
  if (!isBundleDirectory(files)) return writeCatalog(call, readCatalog(files));
  const bundles = [readBundleDirectory(files)];
  return writeCatalog(call, { packages: [], channels: [], bundles, deprecations: [], others: [] });
}

/** Writes the catalog to stdout: YAML unless `-o json`; with `--json` the documents as one list. */
export function writeCatalog(call: Call, catalog: Catalog): number {
  const { terminal } = call;
  const format = call.text('output') ?? 'yaml';
  if (format !== 'yaml' && format !== 'json') {
    throw usageError(`--output cannot be ${format} here`, 'It is one of yaml, json.');
  }
  if (terminal.json) terminal.document({ documents: catalogDocuments(catalog) });
  else terminal.write(format === 'json' ? catalogJson(catalog) : catalogYaml(catalog));
  return EXIT.ok;
}
