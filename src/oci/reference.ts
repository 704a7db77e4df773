/** Names of artefacts in registries, as all tools write them: `HOST/REPOSITORY[:TAG][@DIGEST]`. */
import { PorticoError } from '../error.ts';
import { shortenValue } from '../text/cut-text.ts';
import { isDigest } from './digest.ts';

export interface Reference {
  /** Host and port as they are typed, in lower case; `docker.io` for Docker Hub. */
  readonly registry: string;
  readonly repository: string;
  readonly tag?: string;
  /** Where there is a tag too, the digest decides. */
  readonly digest?: string;
}

const DOCKER_HUB = 'docker.io';
/** Docker Hub's name in references is not that of its registry. */
const HOSTS: ReadonlyMap<string, string> = new Map([
  [DOCKER_HUB, 'registry-1.docker.io'],
  ['index.docker.io', 'registry-1.docker.io'],
]);

const HOST = /^(?:[a-z0-9][a-z0-9.-]{0,252}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/;
const PART = /^[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*$/;
const TAG = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;
/** Characters of a repository's name that registries take. */
const MAX_LENGTH = 255;

/**
 * Reads a reference. The part before the first slash is a host where it has a dot or a port or is `localhost`; otherwise the
 * repository is Docker Hub's, as Docker has it. Behind `oci://` a host always stands first. Without tag and digest neither
 * is assumed. Throws `REFERENCE_INVALID`.
 */
export function parseReference(text: string): Reference {
  const wrong = (why: string): PorticoError =>
    new PorticoError(
      'REFERENCE_INVALID',
      `${JSON.stringify(shortenValue(text, 300))} is not an artefact: ${why}`,
      {
        blame: 'user',
        hint: 'Write HOST/REPOSITORY:TAG or HOST/REPOSITORY@sha256:…, such as ghcr.io/acme/web:v3.',
      },
    );
  const isUrl = text.startsWith('oci://');
  const { name, tag, digest } = split(isUrl ? text.slice('oci://'.length) : text);
  if (digest !== undefined && !isDigest(digest)) throw wrong('the part after @ is not a digest');
  if (tag !== undefined && !TAG.test(tag))
    throw wrong('the tag must be letters, digits and _ . - (at most 128)');
  const slash = name.indexOf('/');
  const first = slash < 0 ? '' : name.slice(0, slash);
  const hasHost = slash > 0 && (isUrl || isPlainlyHost(first));
  const registry = hasHost ? first.toLowerCase() : DOCKER_HUB;
  if (isUrl && !hasHost) throw wrong('no host follows oci://');
  if (!HOST.test(registry) || !URL.canParse(`https://${registry}`)) throw wrong(`${registry} is not a host`);
  const below = hasHost ? name.slice(slash + 1) : name;
  const repository = HOSTS.has(registry) && !below.includes('/') ? `library/${below}` : below;
  if (repository.length > MAX_LENGTH) throw wrong(`the repository has more than ${MAX_LENGTH} characters`);
  if (!repository.split('/').every((part) => PART.test(part))) {
    throw wrong('the repository must be lower-case letters and digits, separated by . _ - or /');
  }
  return { registry, repository, ...(tag !== undefined && { tag }), ...(digest !== undefined && { digest }) };
}

function split(text: string): { readonly name: string; readonly tag?: string; readonly digest?: string } {
  const at = text.indexOf('@');
  const named = at < 0 ? text : text.slice(0, at);
  const digest = at < 0 ? {} : { digest: text.slice(at + 1) };
  const colon = named.lastIndexOf(':');
  // A colon before the last slash belongs to a port.
  if (colon < named.lastIndexOf('/') || colon < 0) return { name: named, ...digest };
  return { name: named.slice(0, colon), tag: named.slice(colon + 1), ...digest };
}

function isPlainlyHost(first: string): boolean {
  return first === 'localhost' || /[.:]/.test(first);
}

/** The reference as text, which reads as the same reference. */
export function referenceText({ registry, repository, tag, digest }: Reference): string {
  const scheme = isPlainlyHost(registry) ? '' : 'oci://';
  const named = `${scheme}${registry}/${repository}`;
  return `${named}${tag === undefined ? '' : `:${tag}`}${digest === undefined ? '' : `@${digest}`}`;
}

/** Host and port of the registry that answers for a reference. */
export function registryHost({ registry }: Reference): string {
  return HOSTS.get(registry) ?? registry;
}
