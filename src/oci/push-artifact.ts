/** An artefact into a registry: content first, names last, so that an interrupted push leaves nothing that has a name. */
import type { Artifact } from './artifact.ts';
import type { Reference } from './reference.ts';
import type { RegistryClient } from './registry-client.ts';

export interface TagsToPush {
  /** Never lead to anything else once they are there: revisions. */
  readonly fixed: readonly string[];
  /** Lead to whatever was put there last: channels. */
  readonly moving: readonly string[];
}

export interface PushedTag {
  readonly tag: string;
  readonly outcome: 'created' | 'moved' | 'unchanged';
  /** What a moved tag led to before. */
  readonly from?: string;
}

export type PushOutcome =
  | { readonly digest: string; readonly uploaded: number; readonly tags: readonly PushedTag[] }
  /** A fixed tag leads to something else, and nothing was changed, unless somebody else put it there meanwhile. */
  | { readonly refused: { readonly tag: string; readonly held: string; readonly wanted: string } };

/**
 * Pushes an artefact and names it. What is there already is not sent again, so that it may run any number of times; a fixed
 * tag that leads to another digest is a refusal with both. Throws `REGISTRY_…`, `HOST_…` and `ADDRESS_REFUSED`.
 */
export async function pushArtifact({
  client,
  reference: { registry, repository },
  artifact,
  tags,
  signal,
}: {
  readonly client: RegistryClient;
  readonly reference: Pick<Reference, 'registry' | 'repository'>;
  readonly artifact: Artifact;
  readonly tags: TagsToPush;
  readonly signal?: AbortSignal | undefined;
}): Promise<PushOutcome> {
  const { digest } = artifact;
  const held = new Map<string, string | undefined>();
  for (const tag of [...tags.fixed, ...tags.moving]) {
    if (held.has(tag)) continue;
    const found = await client.resolve({ registry, repository, tag }, signal);
    held.set(tag, found);
    if (tags.fixed.includes(tag) && found !== undefined && found !== digest) {
      return { refused: { tag, held: found, wanted: digest } };
    }
  }
  const missing = [...held].filter(([, found]) => found !== digest).map(([tag]) => tag);
  let uploaded = 0;
  if (missing.length > 0) {
    for (const { bytes } of artifact.blobs) {
      if ((await client.upload({ registry, repository }, bytes, signal)) === 'uploaded') uploaded += 1;
    }
  }
  for (const tag of missing) {
    const reference = { registry, repository, tag };
    await client.putManifest(reference, { mediaType: artifact.mediaType, bytes: artifact.manifest }, signal);
    // Registries have no way to put a tag only where it is not there: whoever was between is seen now.
    const now = tags.fixed.includes(tag) ? await client.resolve(reference, signal) : digest;
    if (now !== digest) return { refused: { tag, held: now ?? 'nothing', wanted: digest } };
  }
  return { digest, uploaded, tags: [...held].map(([tag, found]) => pushedTag(tag, found, digest)) };
}

function pushedTag(tag: string, found: string | undefined, digest: string): PushedTag {
  if (found === digest) return { tag, outcome: 'unchanged' };
  return found === undefined ? { tag, outcome: 'created' } : { tag, outcome: 'moved', from: found };
}
