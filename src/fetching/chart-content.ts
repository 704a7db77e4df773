/** Charts of Helm repositories, over http and in registries. */
import { PorticoError } from '../error.ts';
import type { SourcePlace } from '../sources/source.ts';
import type { Content } from '../sources/sync.ts';
import { currentArchive, pinnedArchive } from './archive-content.ts';
import { download, type Download } from './download.ts';
import { MAX_INDEX_BYTES } from './helm-index.ts';
import { askerOf, authorizationFor, type ContentRequest, type SourceHost } from './host.ts';
import { checkedChart, refuseInside } from './pin-checks.ts';
import { splitDigest } from './pin.ts';

type ChartPlace = Extract<SourcePlace, { kind: 'helm' }>;

/** Throws `SOURCE_NO_VERSION`, `SOURCE_INDEX`, and what archives do. */
export async function chartContent({
  host,
  place,
  credentials,
  pinned,
  signal,
}: ContentRequest<ChartPlace>): Promise<Content> {
  if (pinned !== undefined) {
    const { digest } = splitDigest(pinned.resolved);
    const { version: locked = place.version } = pinned;
    const known = await chartVersion(host, { ...place, version: locked }, credentials, signal);
    const url = checkedChart(place.chart, pinned, known);
    refuseInside(host.inside, new URL(place.repository), url);
    const { files } = await pinnedArchive({
      host,
      url,
      digest,
      credentials: credentialsAt(place, credentials, url),
      signal,
    });
    return {
      resolved: pinned.resolved,
      files,
      ...(pinned.version !== undefined && { version: pinned.version }),
    };
  }
  const { version, url, digest } = await chartVersion(host, place, credentials, signal);
  refuseInside(host.inside, new URL(place.repository), url);
  const own = credentialsAt(place, credentials, url);
  const found =
    digest === undefined
      ? await currentArchive(host, url, own, signal)
      : await pinnedArchive({ host, url, digest, credentials: own, signal });
  return { resolved: `${url.href}@${found.digest}`, version, files: found.files };
}

/** What the place leads to now, by its digest; the archive is fetched where the repository does not say its digest. */
export async function resolveChart(
  host: SourceHost,
  place: ChartPlace,
  credentials: string | undefined,
  signal: AbortSignal,
): Promise<{ readonly resolved: string; readonly version: string }> {
  const { version, url, digest } = await chartVersion(host, place, credentials, signal);
  refuseInside(host.inside, new URL(place.repository), url);
  const own = credentialsAt(place, credentials, url);
  const known = digest ?? (await currentArchive(host, url, own, signal)).digest;
  return { resolved: `${url.href}@${known}`, version };
}

/** The version that the place means now. The index is read once for each chart and range of it. */
async function chartVersion(
  host: SourceHost,
  { repository, chart, version: range }: ChartPlace,
  credentials: string | undefined,
  signal: AbortSignal,
): Promise<{ readonly version: string; readonly url: URL; readonly digest?: string }> {
  const base = repository.endsWith('/') ? repository : `${repository}/`;
  const index = new URL('index.yaml', base);
  const key = `index ${askerOf(host, credentials, index)} ${index.href}`;
  const authorization = authorizationFor(host, credentials, index);
  const load = async (etag: string | undefined, stop: AbortSignal): Promise<Download | 'unchanged'> =>
    await download(index, {
      fetch: host.fetch,
      authorization,
      etag,
      mostBytes: MAX_INDEX_BYTES,
      signal: stop,
    });
  // What was read on the way to the digest is not fetched once more. Only its digest is remembered for long: indexes are large.
  const fresh: Uint8Array[] = [];
  const digest = await host.cache.learn<string>(
    key,
    async (before, stop) => {
      const found = await load(before?.etag, stop);
      if (found === 'unchanged' && before !== undefined) return before;
      if (found === 'unchanged')
        throw new PorticoError('SOURCE_UNREACHABLE', `${index.host} gave no content`, { blame: 'forge' });
      fresh.push(found.bytes);
      return { value: found.digest, ...(found.etag !== undefined && { etag: found.etag }) };
    },
    signal,
  );
  const again = async (stop: AbortSignal): Promise<Uint8Array> => {
    const found = await load(undefined, stop);
    return found === 'unchanged' ? new Uint8Array() : found.bytes;
  };
  const bytes = async (stop: AbortSignal): Promise<Uint8Array> =>
    await host.cache.content(
      `${key} ${digest}`,
      async (s) => fresh[0] ?? (await again(s)),
      sizeOfBytes,
      stop,
    );
  const choice = await host.cache.content(
    `${key} ${digest} ${JSON.stringify([chart, range])}`,
    async (stop) => await host.reader.chart(await bytes(stop), { chart, range, repository }, stop),
    (one) => JSON.stringify(one).length + 200,
    signal,
  );
  const found = 'chosen' in choice ? choice.chosen : undefined;
  const [address = ''] = found?.urls ?? [];
  if (found === undefined || !URL.canParse(address, base)) {
    throw noVersion(repository, chart, range, 'known' in choice ? choice.known : []);
  }
  return {
    version: found.version,
    url: new URL(address, base),
    ...(found.digest !== undefined && { digest: found.digest }),
  };
}

function sizeOfBytes(bytes: Uint8Array): number {
  return bytes.length;
}

/** Archives may lie elsewhere than the index; what is for the repository is for nobody else. */
function credentialsAt(
  { repository }: ChartPlace,
  credentials: string | undefined,
  url: URL,
): string | undefined {
  return url.origin === new URL(repository).origin ? credentials : undefined;
}

function noVersion(
  repository: string,
  chart: string,
  range: string,
  versions: readonly string[],
): PorticoError {
  const known = versions.join(', ');
  return new PorticoError('SOURCE_NO_VERSION', `${repository} has no ${chart} in ${range}`, {
    blame: 'user',
    hint: known === '' ? 'It has no chart of that name.' : `Its versions begin with: ${known}.`,
  });
}
