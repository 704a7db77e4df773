/** Images and artefacts for the command line, which unpacks them itself. */
import { ARCHIVE_LIMITS, type ArchiveLimits } from '../archive/archive-limits.ts';
import { readLayers } from '../archive/read-layers.ts';
import {
  fetchArtifact,
  type ArtifactSource,
  type FetchOptions,
  type PulledArtifact,
} from './fetch-artifact.ts';
import type { Reference } from './reference.ts';

export interface PullOptions extends Omit<FetchOptions, 'read'> {
  readonly archive?: ArchiveLimits;
}

/** See `fetchArtifact`. */
export async function pullArtifact(
  client: ArtifactSource,
  reference: Reference,
  { archive = ARCHIVE_LIMITS, ...options }: PullOptions = {},
): Promise<PulledArtifact> {
  const read: FetchOptions['read'] = (layers, directory) =>
    Promise.resolve(readLayers(layers, archive, directory));
  return await fetchArtifact(client, reference, { ...options, read });
}
