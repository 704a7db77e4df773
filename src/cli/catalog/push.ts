import { PorticoError } from '../../error.ts';
import { validateCatalog } from '../../fbc/validate.ts';
import { verdictText } from '../../fbc/verdict-text.ts';
import { catalogImageOf } from '../../oci/artifact.ts';
import { fact, referenceIn, sendArtifact } from '../push.ts';
import type { Call } from '../verb.ts';
import { filesOf } from './export.ts';
import { readCatalogOf } from './read.ts';

/**
 * `portico catalog push DIR HOST/REPOSITORY:TAG`: puts a catalog into a registry as the image that a ClusterCatalog names. The same catalog
 * has the same digest, whatever its files are called.
 */
export async function push(call: Call): Promise<number> {
  const reference = referenceIn(call.positionals[1] ?? '');
  const catalog = readCatalogOf(call);
  const { errors } = validateCatalog(catalog);
  if (errors.length > 0) {
    throw new PorticoError('CATALOG_INVALID', `the catalog is not valid:\n${verdictText(errors, 50)}`, {
      blame: 'user',
      hint: 'portico catalog validate shows where each problem is.',
    });
  }
  const files = filesOf(catalog);
  const artifact = await catalogImageOf(files, { ...fact(call, 'source'), ...fact(call, 'revision') });
  return sendArtifact(call, {
    reference,
    artifact,
    tags: { fixed: [], moving: [reference.tag] },
    files: files.size,
  });
}
