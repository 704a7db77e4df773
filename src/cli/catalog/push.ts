import { catalogImageOf } from '../../oci/artifact.ts';
import { fact, referenceIn, sendArtifact } from '../push.ts';
import type { Call } from '../verb.ts';
import { bundleImagesOf } from './bundle-images.ts';
import { exportedCatalog, filesOf, holdsChannels } from './export.ts';
import { packagesOf, readCatalogOf } from './read.ts';

/**
 * `portico catalog push DIR HOST/REPOSITORY:TAG`: puts a catalog, or that of a clone with channels, into a registry as the image that a
 * ClusterCatalog names. The same catalog has the same digest, whatever its files are called. Throws `CATALOG_INVALID`.
 */
export async function push(call: Call): Promise<number> {
  const reference = referenceIn(call.positionals[1] ?? '');
  const folder = call.path(call.positionals[0] ?? '.');
  const images = bundleImagesOf(call);
  const catalog = holdsChannels(folder) ? await exportedCatalog(call, folder, images) : readCatalogOf(call);
  packagesOf(catalog);
  await images?.push();
  const files = filesOf(catalog);
  const artifact = await catalogImageOf(files, { ...fact(call, 'source'), ...fact(call, 'revision') });
  return sendArtifact(call, {
    reference,
    artifact,
    tags: { fixed: [], moving: [reference.tag] },
    files: files.size,
  });
}
