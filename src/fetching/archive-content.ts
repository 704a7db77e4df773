/** Archives at addresses: their files, once the bytes are those of the digest. */
import { ARCHIVE_LIMITS } from '../archive/archive-limits.ts';
import { PorticoError } from '../error.ts';
import type { PackageFiles } from '../package/package.ts';
import { download, type Download } from './download.ts';
import { askerOf, authorizationFor, bytesOf, type SourceHost } from './host.ts';

export interface FetchedArchive {
  /** `sha256:…` over the archive. */
  readonly digest: string;
  readonly files: PackageFiles;
}

/** The archive with that digest. Throws `SOURCE_CHANGED` where the address has other bytes now, and `ARCHIVE_…`. */
export async function pinnedArchive({
  host,
  url,
  digest,
  credentials,
  signal,
}: {
  readonly host: SourceHost;
  readonly url: URL;
  readonly digest: string;
  readonly credentials: string | undefined;
  readonly signal: AbortSignal;
}): Promise<FetchedArchive> {
  return await host.cache.content(
    `archive ${askerOf(host, credentials, url)} ${url.href} ${digest}`,
    async (stop) => {
      const found = await downloadArchive({ host, url, credentials, etag: undefined, signal: stop });
      if (found === 'unchanged' || found.digest !== digest) {
        const is = found === 'unchanged' ? 'nothing new' : found.digest;
        throw new PorticoError(
          'SOURCE_CHANGED',
          `${url.href} has the digest ${is}, and ${digest} is wanted`,
          {
            blame: 'user',
            hint: 'Nothing was used. Ask the publisher why it changed, then resolve it again with --update.',
          },
        );
      }
      return { digest, files: await unpack(host, url, found.bytes, stop) };
    },
    sizeOf,
    signal,
  );
}

/** The archive that is there now, asked for once in an interval for all who have it. */
export async function currentArchive(
  host: SourceHost,
  url: URL,
  credentials: string | undefined,
  signal: AbortSignal,
): Promise<FetchedArchive> {
  // What was unpacked on the way to the digest is not fetched once more.
  const fresh: FetchedArchive[] = [];
  const key = `archive ${askerOf(host, credentials, url)} ${url.href}`;
  const digest = await host.cache.learn<string>(
    key,
    async (before, stop) => {
      const found = await downloadArchive({ host, url, credentials, etag: before?.etag, signal: stop });
      if (found === 'unchanged' && before !== undefined) return before;
      if (found === 'unchanged')
        throw new PorticoError('SOURCE_UNREACHABLE', `${url.host} gave no content`, { blame: 'forge' });
      fresh.push({ digest: found.digest, files: await unpack(host, url, found.bytes, stop) });
      return { value: found.digest, ...(found.etag !== undefined && { etag: found.etag }) };
    },
    signal,
  );
  const [known] = fresh;
  if (known === undefined) return await pinnedArchive({ host, url, digest, credentials, signal });
  return await host.cache.content(`${key} ${digest}`, () => Promise.resolve(known), sizeOf, signal);
}

async function downloadArchive({
  host,
  url,
  credentials,
  etag,
  signal,
}: {
  readonly host: SourceHost;
  readonly url: URL;
  readonly credentials: string | undefined;
  readonly etag: string | undefined;
  readonly signal: AbortSignal;
}): Promise<Download | 'unchanged'> {
  const authorization = authorizationFor(host, credentials, url);
  const { archiveBytes: mostBytes } = ARCHIVE_LIMITS;
  return await download(url, { fetch: host.fetch, authorization, etag, mostBytes, signal });
}

async function unpack(
  { reader }: SourceHost,
  url: URL,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<PackageFiles> {
  const read = await reader.archive(bytes, signal);
  if ('files' in read) return read.files;
  throw new PorticoError(read.refused.code, `${url.origin}${url.pathname}: ${read.refused.message}`, {
    blame: 'user',
    hint: 'Nothing was unpacked. An archive (tar, gzipped tar or zip) may hold only files and directories.',
  });
}

function sizeOf({ files }: FetchedArchive): number {
  return bytesOf(files);
}
