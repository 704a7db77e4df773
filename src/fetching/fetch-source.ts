/** Content of sources of every kind: what a lock pins, or what a place leads to now. */
import type { FetchedSource, SourcePlace } from '../sources/source.ts';
import type { Content, FetchSource } from '../sources/sync.ts';
import { currentArchive, pinnedArchive } from './archive-content.ts';
import { chartContent, resolveChart } from './chart-content.ts';
import { gitContent, resolveCommit } from './git-content.ts';
import type { ContentRequest, SourceHost } from './host.ts';
import { splitDigest, type Pin } from './pin.ts';
import { registryContent, resolveImage, type ImagePlace } from './registry-content.ts';

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
        return await registryContent({
          host,
          place: { ...place, directory: newRoot },
          credentials,
          pinned,
          signal,
        });
      case 'helm': {
        if (!place.repository.startsWith(OCI))
          return await chartContent({ host, place, credentials, pinned, signal });
        return await registryContent({ host, place: imageOf(place), credentials, pinned, signal });
      }
    }
  };
}

const OCI = 'oci://';

/** What a place leads to now, as a lock has it: content is fetched only where nothing else tells. */
export type ResolveSource = (
  source: Pick<FetchedSource, 'place' | 'credentials'>,
  signal: AbortSignal,
) => Promise<Pin>;

/** Throws what fetching throws. */
export function createSourceResolve(host: SourceHost): ResolveSource {
  return async ({ place, credentials }, signal) => {
    switch (place.kind) {
      case 'http': {
        const url = new URL(place.url);
        const digest =
          place.sha256 === undefined
            ? (await currentArchive(host, url, credentials, signal)).digest
            : `sha256:${place.sha256}`;
        return { resolved: `${url.href}@${digest}` };
      }
      case 'git':
      case 'package': {
        const { commit, version } = await resolveCommit(host, { place, credentials }, signal);
        return { resolved: `${place.repo}@${commit}`, ...(version !== undefined && { version }) };
      }
      case 'oci':
        return await resolveImage(host, place, credentials, signal);
      case 'helm':
        return place.repository.startsWith(OCI)
          ? await resolveImage(host, imageOf(place), credentials, signal)
          : await resolveChart(host, place, credentials, signal);
    }
  };
}

/** A chart in a registry. */
function imageOf({ repository, chart, version }: Extract<SourcePlace, { kind: 'helm' }>): ImagePlace {
  return { image: `${repository.slice(OCI.length).replace(/\/$/, '')}/${chart}`, semver: version };
}

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
