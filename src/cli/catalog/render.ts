import { existsSync } from 'node:fs';

import { imageBundle, isBundleDirectory, readBundleDirectory } from '../../fbc/bundle-directory.ts';
import { catalogOfOne } from '../../fbc/bundle-record.ts';
import type { Catalog } from '../../fbc/catalog.ts';
import { readCatalog } from '../../fbc/read-catalog.ts';
import { catalogDocuments, catalogJson, catalogYaml } from '../../fbc/write-catalog.ts';
import type { PackageFiles } from '../../package/package.ts';
import { EXIT, usageError } from '../exit-code.ts';
import { readFolder } from '../folder.ts';
import type { Call } from '../verb.ts';
import { openImages } from './image-files.ts';

/** `portico catalog render DIR|IMAGE`: a catalog, a bundle directory or an image as one catalog in canonical form. */
export async function render(call: Call): Promise<number> {
  const [typed = '.'] = call.positionals;
  const isImage = typed.includes('@') && !existsSync(call.path(typed));
  if (!isImage)
    return writeCatalog(call, catalogIn(readFolder(call.path(typed), { warn: call.terminal.warn })));
  const { files, labels } = await openImages(call)(typed);
  const configs = labels[CATALOG_LABEL];
  if (configs !== undefined) return writeCatalog(call, readCatalog(below(files, configs)));
  return writeCatalog(call, catalogOfOne(imageBundle(files, typed)));
}

/** Says where an image has its catalog. */
const CATALOG_LABEL = 'operators.operatorframework.io.index.configs.v1';

function catalogIn(files: PackageFiles): Catalog {
  return isBundleDirectory(files) ? catalogOfOne(readBundleDirectory(files)) : readCatalog(files);
}

function below(files: PackageFiles, typed: string): PackageFiles {
  const prefix = `${typed.replace(/^\/+/, '').replace(/(?<!\/)\/+$/, '')}/`;
  return new Map(
    [...files].flatMap(([path, file]) =>
      path.startsWith(prefix) ? [[path.slice(prefix.length), file] as const] : [],
    ),
  );
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
