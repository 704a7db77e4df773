/** Charts of Helm repositories, over http and in registries. */
import { PorticoError } from '../error.ts';
import { chooseVersion } from '../sources/choose-version.ts';
import type { SourcePlace } from '../sources/source.ts';
import type { Content } from '../sources/sync.ts';
import { currentArchive, pinnedArchive } from './archive-content.ts';
import { download } from './download.ts';
import { chartVersions, MAX_INDEX_BYTES, type ChartVersion } from './helm-index.ts';
import { authorizationFor, type ContentRequest, type SourceHost } from './host.ts';
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

/** The version that the place means now. */
async function chartVersion(
  host: SourceHost,
  { repository, chart, version }: ChartPlace,
  credentials: string | undefined,
  signal: AbortSignal,
): Promise<{ readonly version: string; readonly url: URL; readonly digest?: string }> {
  const base = repository.endsWith('/') ? repository : `${repository}/`;
  const index = new URL('index.yaml', base);
  const read = await host.cache.learn<ReadIndex>(
    `index ${credentials ?? ''} ${index.href}`,
    async (before, stop) => {
      const authorization = authorizationFor(host, credentials, index);
      const etag = before?.etag;
      const request = { fetch: host.fetch, authorization, etag, mostBytes: MAX_INDEX_BYTES, signal: stop };
      const found = await download(index, request);
      if (found === 'unchanged' && before !== undefined) return before;
      const text = found === 'unchanged' ? '' : Buffer.from(found.bytes).toString('utf8');
      const value = readIndex(text, repository);
      return { value, ...(found !== 'unchanged' && found.etag !== undefined && { etag: found.etag }) };
    },
    signal,
  );
  const versions = read(chart);
  const chosen = chooseVersion(
    versions.map((one) => one.version),
    version,
  );
  const found = versions.find((one) => one.version === chosen);
  const [address = ''] = found?.urls ?? [];
  if (found === undefined || !URL.canParse(address, base))
    throw noVersion(repository, chart, version, versions);
  const { digest } = found;
  return { version: found.version, url: new URL(address, base), ...(digest !== undefined && { digest }) };
}

type ReadIndex = (chart: string) => readonly ChartVersion[];

/** Each chart is looked up once. */
function readIndex(text: string, repository: string): ReadIndex {
  const known = new Map<string, readonly ChartVersion[]>();
  return (chart) => {
    const versions = known.get(chart) ?? chartVersions(text, chart, repository);
    known.set(chart, versions);
    return versions;
  };
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
  versions: readonly ChartVersion[],
): PorticoError {
  const known = versions
    .slice(0, 10)
    .map(({ version }) => version)
    .join(', ');
  return new PorticoError('SOURCE_NO_VERSION', `${repository} has no ${chart} in ${range}`, {
    blame: 'user',
    hint: known === '' ? 'It has no chart of that name.' : `Its versions begin with: ${known}.`,
  });
}
