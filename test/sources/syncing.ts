import { createCredentials, type CredentialFor } from '../../src/fetching/credentials.ts';
import { createSourceFetch } from '../../src/fetching/fetch-source.ts';
import type { SourceHost } from '../../src/fetching/host.ts';
import { createRegistry } from '../../src/fetching/oci-registry.ts';
import { READ_HERE } from '../../src/fetching/read-here.ts';
import { createSourceCache, type SourceCache } from '../../src/fetching/source-cache.ts';
import { parseInsideHost } from '../../src/network/inside-host.ts';
import { createOutsideFetch } from '../../src/network/outside-fetch.ts';
import type { PackageFiles } from '../../src/package/package.ts';
import { processorsSchema, type Processor } from '../../src/processors/processor-spec.ts';
import { readSources } from '../../src/sources/read-sources.ts';
import type { SourcesDocument } from '../../src/sources/source.ts';
import { syncSources, type RunProcessors, type Sync } from '../../src/sources/sync.ts';

export type Texts = Readonly<Record<string, string>>;

export function filesOf(texts: Texts): PackageFiles {
  return new Map(
    Object.entries(texts).map(([path, text]) => [path, { mode: '100644', bytes: Buffer.from(text) }]),
  );
}

function textsOf(files: PackageFiles): Record<string, string> {
  const texts = [...files].map(([path, { bytes }]) => [path, Buffer.from(bytes).toString('utf8')] as const);
  return Object.fromEntries(texts.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** A host on which these hosts may be reached, without TLS. */
export function sourceHost(
  hosts: readonly string[],
  options: {
    readonly cache?: SourceCache;
    readonly credentialFor?: CredentialFor;
    readonly silentMs?: number;
  } = {},
): SourceHost {
  const inside = hosts.flatMap((host) => parseInsideHost(`http://${host}`) ?? []);
  const fetch = createOutsideFetch({
    inside,
    ...(options.silentMs !== undefined && { silentMs: options.silentMs }),
  });
  return {
    fetch,
    inside,
    cache: options.cache ?? createSourceCache(),
    registry: createRegistry({ fetch, inside, reader: READ_HERE }),
    reader: READ_HERE,
    credentialFor:
      options.credentialFor ?? createCredentials({ file: undefined, env: {}, readText: () => '' }),
  };
}

/** The document of a package. Throws its problems. */
function documentIn(files: PackageFiles): SourcesDocument<Processor> {
  const file = 'portico-sources.yaml';
  const read = readSources({ file, bytes: files.get(file)?.bytes ?? new Uint8Array() }, processorsSchema);
  if ('document' in read) return read.document;
  throw new Error(read.problems.map(({ line, message }) => `${line}: ${message}`).join('\n'));
}

/** Syncs a package in memory. */
export async function syncTexts(
  texts: Texts,
  host: SourceHost,
  {
    update = [],
    locked = false,
    process = () => Promise.resolve({ tree: new Map(), steps: [] }),
  }: {
    readonly update?: 'all' | readonly string[];
    readonly locked?: boolean;
    readonly process?: RunProcessors<Processor>;
  } = {},
): Promise<Sync & { readonly texts: Record<string, string> }> {
  const files = filesOf(texts);
  const result = await syncSources({
    document: documentIn(files),
    files,
    update: update === 'all' ? update : new Set(update),
    locked,
    fetch: createSourceFetch(host),
    process,
    signal: new AbortController().signal,
  });
  return { ...result, texts: textsOf(result.files) };
}
