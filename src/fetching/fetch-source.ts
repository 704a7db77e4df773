/** Content of sources of every kind: what a lock pins, or what a place leads to now. */
import type { SourcePlace } from '../sources/source.ts';
import type { Content, FetchSource } from '../sources/sync.ts';
import { currentArchive, pinnedArchive } from './archive-content.ts';
import { chartContent } from './chart-content.ts';
import { gitContent } from './git-content.ts';
import type { ContentRequest, SourceHost } from './host.ts';
import { splitDigest } from './pin.ts';
import { registryContent } from './registry-content.ts';

export function createSourceFetch(host: SourceHost): FetchSource {
  return async ({ place, credentials, newRoot }, pinned, signal) => {
    switch (place.kind) {
      case 'http':
        return await httpContent({ host, place, credentials, pinned, signal });
      case 'git':
        return await gitContent(host, { place, directory: newRoot, credentials }, pinned, signal);
      case 'package':
        return await packageContent({ host, place, credentials, pinned, signal });
      case 'oci':
        return await registryContent({ host, place, credentials, pinned, signal });
      case 'helm': {
        const { repository, chart, version: semver } = place;
        if (!repository.startsWith(OCI))
          return await chartContent({ host, place, credentials, pinned, signal });
        const image = `${repository.slice(OCI.length).replace(/\/$/, '')}/${chart}`;
        return await registryContent({ host, place: { image, semver }, credentials, pinned, signal });
      }
    }
  };
}

const OCI = 'oci://';

async function httpContent({
  host,
  place,
  credentials,
  pinned,
  signal,
}: ContentRequest<Extract<SourcePlace, { kind: 'http' }>>): Promise<Content> {
  const url = new URL(place.url);
  const declared = place.sha256 === undefined ? undefined : `sha256:${place.sha256}`;
  const digest = pinned === undefined ? declared : splitDigest(pinned.resolved).digest;
  const found =
    digest === undefined
      ? await currentArchive(host, url, credentials, signal)
      : await pinnedArchive({ host, url, digest, credentials, signal });
  return { resolved: `${url.href}@${found.digest}`, files: found.files };
}

/** The directory of the package is the whole of the content. */
async function packageContent({
  host,
  place,
  credentials,
  pinned,
  signal,
}: ContentRequest<Extract<SourcePlace, { kind: 'package' }>>): Promise<Content> {
  const prefix = `${place.path}/`;
  const content = await gitContent(host, { place, directory: place.path, credentials }, pinned, signal);
  const below = (file: string): string => (file.startsWith(prefix) ? file.slice(prefix.length) : file);
  return {
    ...content,
    files: new Map([...content.files].map(([file, held]) => [below(file), held])),
    links: (content.links ?? []).map(below),
  };
}
