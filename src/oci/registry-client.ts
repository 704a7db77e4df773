/** One client for all registries: what a reference leads to, its content by digest, and putting content there. */
import { z } from 'zod';

import { PorticoError } from '../error.ts';
import { insideHostFor, type InsideHost } from '../network/inside-host.ts';
import { createOutsideFetch, type OutsideFetch } from '../network/outside-fetch.ts';
import { readBody } from '../network/read-body.ts';
import type { IsTokenHost, RegistryCredential } from './authorization.ts';
import { digestLike, digestOf, isDigest } from './digest.ts';
import { MAX_MANIFEST_BYTES, parseManifest, type Descriptor, type Manifest } from './manifest.ts';
import { ACCEPT } from './media-types.ts';
import { referenceText, registryHost, type Reference } from './reference.ts';
import { createRegistryHttp, type RegistryHttp } from './registry-http.ts';
import { REGISTRY_LIMITS, type RegistryLimits } from './registry-limits.ts';
import { uploadBlob } from './upload.ts';

/** A manifest whose bytes have the digest. */
export type FetchedManifest = Manifest & {
  readonly digest: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
};

export interface RegistryClient {
  /** The digest that a reference leads to, as the registry says it; undefined where there is nothing. */
  resolve(reference: Reference, signal?: AbortSignal): Promise<string | undefined>;
  /** Throws `REGISTRY_NOT_FOUND`; `REGISTRY_DIGEST` where the bytes are not those of the digest. */
  manifest(reference: Reference, signal?: AbortSignal): Promise<FetchedManifest>;
  /** Content of the reference's repository. Throws `REGISTRY_DIGEST` and `REGISTRY_LIMIT`. */
  blob(reference: Reference, descriptor: Descriptor, signal?: AbortSignal): Promise<Uint8Array>;
  /** Every tag of the reference's repository; none where there is no such repository. */
  tags(reference: Reference, signal?: AbortSignal): Promise<readonly string[]>;
  /** Puts content there unless it is there. */
  upload(reference: Reference, bytes: Uint8Array, signal?: AbortSignal): Promise<'uploaded' | 'present'>;
  /** Puts a manifest below the reference's tag, or else below its digest. What it names has to be there. */
  putManifest(
    reference: Reference,
    manifest: { readonly mediaType: string; readonly bytes: Uint8Array },
    signal?: AbortSignal,
  ): Promise<void>;
  readonly limits: RegistryLimits;
}

export interface RegistryClientOptions {
  /** Hosts of one's own network that may be reached, by plain HTTP where they say so. */
  readonly inside?: readonly InsideHost[];
  /** By the registry as references have it, such as `ghcr.io`. */
  readonly credentialFor?: (registry: string) => RegistryCredential | undefined;
  /** None unless given. */
  readonly isTokenHost?: IsTokenHost;
  readonly limits?: Partial<RegistryLimits>;
  readonly fetch?: OutsideFetch;
}

const tagList = z.object({ tags: z.array(z.string()).nullable() });
/** Bytes of one page of a list of tags. */
const MAX_TAG_BYTES = 4 * 1024 * 1024;

/** Makes a client; tokens that registries give are kept as long as it is. */
export function createRegistryClient(options: RegistryClientOptions = {}): RegistryClient {
  const { inside = [], credentialFor = () => undefined, isTokenHost = () => false } = options;
  const limits = { ...REGISTRY_LIMITS, ...options.limits };
  const fetch = options.fetch ?? createOutsideFetch({ inside });
  const registries = new Map<string, { readonly base: URL; readonly http: RegistryHttp }>();

  const registryOf = (reference: Reference): { readonly base: URL; readonly http: RegistryHttp } => {
    const held = registries.get(reference.registry);
    if (held !== undefined) return held;
    const host = registryHost(reference);
    const plain = insideHostFor(inside, new URL(`http://${host}`))?.plain === true;
    const base = new URL(`${plain ? 'http' : 'https'}://${host}/`);
    const credential = (): RegistryCredential | undefined => credentialFor(reference.registry);
    const made = { base, http: createRegistryHttp({ fetch, base, credential, isTokenHost, limits }) };
    registries.set(reference.registry, made);
    return made;
  };

  const at = (reference: Reference, path: string): URL =>
    new URL(`/v2/${reference.repository}/${path}`, registryOf(reference).base);

  const manifestAt = (reference: Reference): URL =>
    at(reference, `manifests/${reference.digest ?? tagOf(reference)}`);

  const manifest = async (reference: Reference, signal?: AbortSignal): Promise<FetchedManifest> => {
    const what = referenceText(reference);
    const request = { headers: { accept: ACCEPT }, scope: scopeOf(reference, 'pull'), what, signal };
    const { bytes, mediaType, contentDigest } = await registryOf(reference).http.send(
      manifestAt(reference),
      request,
      async (answer) => ({
        bytes: await within(what, MAX_MANIFEST_BYTES, () => readBody(answer, MAX_MANIFEST_BYTES)),
        mediaType: answer.headers.get('content-type') ?? '',
        contentDigest: answer.headers.get('docker-content-digest'),
      }),
    );
    const wanted =
      reference.digest ?? (contentDigest !== null && isDigest(contentDigest) ? contentDigest : undefined);
    const { hash, value } = digestLike(wanted ?? '');
    hash.update(bytes);
    const digest = value();
    if (wanted !== undefined && digest !== wanted) throw tampered(what, wanted, digest);
    return { ...parseManifest(bytes, mediaType, what), digest, mediaType, bytes };
  };

  return {
    limits,
    manifest,

    resolve: async (reference, signal) => {
      const what = referenceText(reference);
      const request = { headers: { accept: ACCEPT }, scope: scopeOf(reference, 'pull'), what, signal };
      const { http } = registryOf(reference);
      const found = await http.send(
        manifestAt(reference),
        { ...request, method: 'HEAD', accept: [404] },
        ({ status, headers }) => (status === 404 ? undefined : (headers.get('docker-content-digest') ?? '')),
      );
      if (found === undefined || isDigest(found)) return found;
      // Registries need not say it; then it is computed.
      return (await manifest(reference, signal)).digest;
    },

    blob: async (reference, descriptor, signal) => {
      const { digest, size } = descriptor;
      const what = `${referenceText({ ...reference, digest })} (${descriptor.mediaType})`;
      if (size > limits.blobBytes) throw tooLarge(what, limits.blobBytes);
      const request = { scope: scopeOf(reference, 'pull'), what, signal };
      return await registryOf(reference).http.send(
        at(reference, `blobs/${digest}`),
        request,
        async (answer) => {
          const { hash, value } = digestLike(digest);
          const bytes = await within(what, size, () => readBody(answer, size, hash));
          const found = value();
          if (found !== digest) throw tampered(what, digest, found);
          return bytes;
        },
      );
    },

    tags: async (reference, signal) => {
      const found: string[] = [];
      const { http, base } = registryOf(reference);
      const what = `the tags of ${reference.registry}/${reference.repository}`;
      let url: URL | undefined = at(reference, 'tags/list');
      while (url !== undefined) {
        const asked: URL = url;
        const request = { scope: scopeOf(reference, 'pull'), what, accept: [404], signal };
        url = await http.send(asked, request, async (answer) => {
          if (answer.status === 404) return undefined;
          const bytes = await within(what, MAX_TAG_BYTES, () => readBody(answer, MAX_TAG_BYTES));
          found.push(...(readTags(bytes, what).tags ?? []));
          return nextPage(answer.headers.get('link'), asked, base);
        });
        if (found.length > limits.tags) {
          throw new PorticoError('REGISTRY_LIMIT', `${what}: there are more than ${limits.tags}`, {
            blame: 'user',
            hint: 'Name one tag, or a digest.',
          });
        }
        if (found.length === 0) break;
      }
      return found;
    },

    upload: async (reference, bytes, signal) => {
      const { http, base } = registryOf(reference);
      const scope = scopeOf(reference, 'pull,push');
      return await uploadBlob(
        { http, base, at: (path) => at(reference, path), scope, limits, signal },
        bytes,
      );
    },

    putManifest: async (reference, { mediaType, bytes }, signal) => {
      const digest = digestOf(bytes);
      const what = referenceText(reference);
      const url = at(reference, `manifests/${reference.tag ?? digest}`);
      const request = {
        method: 'PUT' as const,
        headers: { 'content-type': mediaType },
        body: bytes,
        scope: scopeOf(reference, 'pull,push'),
        what,
        signal,
      };
      await registryOf(reference).http.send(url, request, async (answer) => {
        await answer.body?.cancel();
        const kept = answer.headers.get('docker-content-digest');
        if (kept !== null && kept !== digest) throw tampered(what, digest, kept);
      });
    },
  };
}

function tagOf(reference: Reference): string {
  if (reference.tag !== undefined) return reference.tag;
  throw new PorticoError('REFERENCE_INVALID', `${referenceText(reference)} has neither a tag nor a digest`, {
    blame: 'user',
    hint: 'Add :TAG or @sha256:…; there is no default tag.',
  });
}

function scopeOf({ repository }: Reference, actions: 'pull' | 'pull,push'): string {
  return `repository:${repository}:${actions}`;
}

function tampered(what: string, wanted: string, found: string): PorticoError {
  return new PorticoError('REGISTRY_DIGEST', `${what}: the content should be ${wanted} and is ${found}`, {
    blame: 'user',
    hint: 'Nothing was used. Ask the operator of the registry, and do not trust its content until the cause is known.',
  });
}

function tooLarge(what: string, most: number): PorticoError {
  return new PorticoError('REGISTRY_LIMIT', `${what} has more than ${most} bytes`, {
    blame: 'user',
    hint: 'Packages and bundles are smaller; check the reference.',
  });
}

async function within<T>(what: string, most: number, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof PorticoError && error.code === 'ANSWER_TOO_LARGE') throw tooLarge(what, most);
    throw error;
  }
}

function readTags(bytes: Uint8Array, what: string): z.infer<typeof tagList> {
  try {
    return tagList.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
  } catch (cause) {
    throw new PorticoError('REGISTRY_REFUSED', `${what}: the registry's list cannot be read`, {
      blame: 'user',
      cause,
      hint: 'Check that this is the address of a registry.',
    });
  }
}

/** The next page (RFC 8288); only where it is on the registry itself. */
function nextPage(link: string | null, from: URL, base: URL): URL | undefined {
  const [, target] = /<([^>]{1,2000})>\s*;\s*rel="?next"?/i.exec(link ?? '') ?? [];
  if (target === undefined || !URL.canParse(target, from.href)) return undefined;
  const next = new URL(target, from);
  return next.origin === base.origin ? next : undefined;
}
