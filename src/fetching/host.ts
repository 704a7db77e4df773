import { createHash } from 'node:crypto';

import type { ArchiveReading } from '../archive/read-archive.ts';
import type { InsideHost } from '../network/inside-host.ts';
import type { OutsideFetch } from '../network/outside-fetch.ts';
import { basic } from '../oci/authorization.ts';
import type { PackageFiles } from '../package/package.ts';
import { isCovered, type Credential, type CredentialFor } from './credentials.ts';
import type { Authorization } from './download.ts';
import type { ChartChoice, WantedChart } from './helm-index.ts';
import type { Pin } from './pin.ts';
import type { SourceCache } from './source-cache.ts';

/** What fetching needs of the machine and the network that it runs in. */
export interface SourceHost {
  readonly fetch: OutsideFetch;
  /** Hosts of one's own network that may be reached. */
  readonly inside: readonly InsideHost[];
  readonly credentialFor: CredentialFor;
  readonly cache: SourceCache;
  readonly registry: Registry;
  readonly reader: ForeignReader;
}

/** Reads what others wrote. A server has it read in processes that it may end. */
export interface ForeignReader {
  archive(bytes: Uint8Array, signal: AbortSignal): Promise<ArchiveReading>;
  /** Layers of an image, the lowest first; of a directory of it, where one is named. */
  layers(
    layers: readonly Uint8Array[],
    directory: string | undefined,
    signal: AbortSignal,
  ): Promise<ArchiveReading>;
  /** What `index.yaml` of a Helm repository says of one chart. Throws `SOURCE_INDEX`. */
  chart(index: Uint8Array, wanted: WantedChart, signal: AbortSignal): Promise<ChartChoice>;
}

/** The content of a place that is asked for: what the lock pins, or what the place leads to now. */
export interface ContentRequest<Place> {
  readonly host: SourceHost;
  readonly place: Place;
  /** Name of the credential in the host's file. */
  readonly credentials: string | undefined;
  readonly pinned: Pin | undefined;
  readonly signal: AbortSignal;
}

/** As whom a registry is asked. */
export interface RegistryAsker {
  /** Absent for whoever names none. */
  readonly credential?: Credential;
  /** The same for the place that issues the registry's tokens, where the credential is for that as well. */
  readonly credentialFor: CredentialFor;
  /** Name of the credential. */
  readonly name: string;
}

/** Images and artefacts of registries; names are `HOST/REPOSITORY`. */
export interface Registry {
  /** The digest that `HOST/REPOSITORY:TAG` leads to now, or that of `HOST/REPOSITORY@DIGEST` if the registry has it. */
  digestOf(reference: string, asker: RegistryAsker, signal: AbortSignal): Promise<string>;
  tags(name: string, asker: RegistryAsker, signal: AbortSignal): Promise<readonly string[]>;
  /** The files in it, every byte as the digest says; of a directory alone, with those at the top, where one is named. */
  pull(
    image: { readonly name: string; readonly digest: string; readonly directory: string },
    asker: RegistryAsker,
    signal: AbortSignal,
  ): Promise<PackageFiles>;
}

/** What is sent to an address where the source names a credential, and to which others of its origin. Throws `SOURCE_CREDENTIALS`. */
export function authorizationFor(
  { credentialFor }: SourceHost,
  credentials: string | undefined,
  url: URL,
): Authorization | undefined {
  if (credentials === undefined) return undefined;
  const value = basic(credentialFor(credentials, url));
  return { value, isFor: (other) => isCovered(credentialFor, credentials, other) };
}

/**
 * Names who asks, for what is remembered: what one credential was given is for no other, and whoever may not use it does not
 * learn what others were given by it. '' without a credential. Throws `SOURCE_CREDENTIALS`.
 */
export function askerOf({ credentialFor }: SourceHost, credentials: string | undefined, url: URL): string {
  if (credentials === undefined) return '';
  const { username, password } = credentialFor(credentials, url);
  const proof = createHash('sha256')
    .update(JSON.stringify([username, password]))
    .digest('hex');
  return `${credentials}#${proof.slice(0, 16)}`;
}

/** Bytes of all files: what remembering them costs. */
export function bytesOf(files: PackageFiles): number {
  return [...files.values()].reduce((sum, { bytes }) => sum + bytes.length + 200, 0);
}
