/** Images and artefacts of registries, and charts that lie in one. */
import { PorticoError } from '../error.ts';
import type { PackageFiles } from '../package/package.ts';
import { chooseVersion } from '../sources/choose-version.ts';
import type { Content } from '../sources/sync.ts';
import { askerOf, bytesOf, type ContentRequest, type RegistryAsker, type SourceHost } from './host.ts';

/** What is asked for: a digest, a tag, or the newest tag in a range. */
export interface ImagePlace {
  /** `HOST/REPOSITORY`. */
  readonly image: string;
  readonly tag?: string;
  readonly digest?: string;
  readonly semver?: string;
  /** Only what is in this directory of the image is read, and what stands at its top; all of it where absent. */
  readonly directory?: string;
  /** Instead of the image's files, one with a setter of this name, whose value is the pinned image. */
  readonly setter?: string;
}

const PINNED = /^(.+)@(sha256:[0-9a-f]{64})$/;

/** Throws `SOURCE_NO_VERSION`, `SOURCES_LOCK`, and what registries and archives do. */
export async function registryContent({
  host,
  place,
  credentials,
  pinned,
  signal,
}: ContentRequest<ImagePlace>): Promise<Content> {
  const { image } = place;
  const { asker, who } = askerAt(host, image, credentials);
  if (pinned !== undefined) {
    const [, name = '', digest = ''] = PINNED.exec(pinned.resolved) ?? [];
    if (name !== image) {
      throw new PorticoError('SOURCES_LOCK', `the lock pins ${pinned.resolved}, and the source is ${image}`, {
        blame: 'user',
        hint: 'Restore the lock from git, or resolve the source again with --update.',
      });
    }
    const files = await filesOf({ host, place, digest, who, asker, signal });
    const { resolved, version } = pinned;
    return { resolved, files, ...(version !== undefined && { version }) };
  }
  const { digest, tag } = await resolve({ host, place, who, asker, signal });
  const files = await filesOf({ host, place, digest, who, asker, signal });
  return { resolved: `${image}@${digest}`, files, ...(tag !== undefined && { version: tag }) };
}

/** What the place leads to now; nothing is pulled. */
export async function resolveImage(
  host: SourceHost,
  place: ImagePlace,
  credentials: string | undefined,
  signal: AbortSignal,
): Promise<{ readonly resolved: string; readonly version?: string }> {
  const { asker, who } = askerAt(host, place.image, credentials);
  const { digest, tag } = await resolve({ host, place, who, asker, signal });
  return { resolved: `${place.image}@${digest}`, ...(tag !== undefined && { version: tag }) };
}

function askerAt(
  host: SourceHost,
  image: string,
  name: string | undefined,
): { readonly asker: RegistryAsker; readonly who: string } {
  const { credentialFor } = host;
  const url = new URL(`https://${image}`);
  const who = askerOf(host, name, url);
  if (name === undefined) return { asker: { name: '', credentialFor }, who };
  return { asker: { name, credentialFor, credential: credentialFor(name, url) }, who };
}

async function resolve({
  host: { cache, registry },
  place: { image, tag, digest, semver },
  who,
  asker,
  signal,
}: {
  readonly host: SourceHost;
  readonly place: ImagePlace;
  readonly who: string;
  readonly asker: RegistryAsker;
  readonly signal: AbortSignal;
}): Promise<{ readonly digest: string; readonly tag?: string }> {
  if (digest !== undefined) return { digest, ...(tag !== undefined && { tag }) };
  const chosen = semver === undefined ? (tag ?? 'latest') : chooseVersion(await tags(), semver);
  if (chosen === undefined) {
    throw new PorticoError('SOURCE_NO_VERSION', `${image} has no tag in ${semver}`, {
      blame: 'user',
      hint: 'Look up its tags; a range takes those that are versions, such as 1.2.3.',
    });
  }
  const found = await cache.learn<string>(
    `tag ${who} ${image}:${chosen}`,
    async (_before, stop) => ({ value: await registry.digestOf(`${image}:${chosen}`, asker, stop) }),
    signal,
  );
  return { digest: found, tag: chosen };

  async function tags(): Promise<readonly string[]> {
    return await cache.learn<readonly string[]>(
      `tags ${who} ${image}`,
      async (_before, stop) => ({ value: await registry.tags(image, asker, stop) }),
      signal,
    );
  }
}

async function filesOf({
  host: { cache, registry },
  place: { image, directory = '', setter },
  digest,
  who,
  asker,
  signal,
}: {
  readonly host: SourceHost;
  readonly place: ImagePlace;
  readonly digest: string;
  readonly who: string;
  readonly asker: RegistryAsker;
  readonly signal: AbortSignal;
}): Promise<PackageFiles> {
  const pinned = `${image}@${digest}`;
  if (setter !== undefined) {
    await registry.digestOf(pinned, asker, signal);
    return new Map([[SETTERS_FILE, { mode: '100644', bytes: settersFile(setter, pinned) }]]);
  }
  return await cache.content(
    `image ${who} ${pinned} ${directory}`,
    (stop) => registry.pull({ name: image, digest, directory }, asker, stop),
    bytesOf,
    signal,
  );
}

const SETTERS_FILE = 'setters.yaml';

/** As the function apply-setters reads it, by `configPath`. */
function settersFile(setter: string, image: string): Uint8Array {
  return new TextEncoder().encode(`apiVersion: v1
kind: ConfigMap
metadata:
  name: ${setter}
  annotations:
    config.kubernetes.io/local-config: "true"
data:
  ${setter}: "${image}"
`);
}
