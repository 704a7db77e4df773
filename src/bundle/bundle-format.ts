/** Which format a directory has. */
import type { PackageFiles } from '../package/package.ts';
import { kindOf, type Manifest } from './manifest.ts';
import { filesBelow, readManifests } from './read-manifests.ts';

export const BUNDLE_FORMATS = ['registry-v1', 'plain', 'helm'] as const;
export type BundleFormat = (typeof BUNDLE_FORMATS)[number];

/** A chart has a Chart.yaml, and registry+v1 has metadata or a CSV; what has neither is plain. */
export function formatOf(files: PackageFiles): BundleFormat {
  const paths = [...files.keys()];
  if (files.has('Chart.yaml')) return 'helm';
  if (paths.some((path) => path.startsWith('metadata/'))) return 'registry-v1';
  if (paths.some((path) => path.startsWith('manifests/'))) {
    const { manifests } = readManifests(filesBelow(files, 'manifests'));
    return manifests.some(({ manifest }) => isCsv(manifest)) ? 'registry-v1' : 'plain';
  }
  return paths.some((path) => /^[^/]+\/Chart\.yaml$/.test(path)) ? 'helm' : 'registry-v1';
}

function isCsv(manifest: Manifest): boolean {
  return kindOf(manifest) === 'ClusterServiceVersion';
}
