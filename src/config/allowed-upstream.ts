/** Addresses outside of the installation that packages may be cloned from, as `spec.upstreams.allow` lists them. */
import { isPublicName } from './public-name.ts';

const ENTRY = /^https?:\/\/[^/\s@?#*]+(?:\/[A-Za-z0-9_.-]+)*(?:\/\*)?$/;

/** Why an entry is refused, or undefined. An entry is a repository's address, or ends in `/*` for all below. */
export function allowedUpstreamProblem(entry: string): string | undefined {
  if (entry.length > 500) return 'must not be longer than 500 characters';
  if (!ENTRY.test(entry) || !URL.canParse(entry)) {
    return 'must be an address such as https://github.com/kptdev/kpt, or end in /* to allow everything below it';
  }
  return undefined;
}

/**
 * Whether a repository's address (without `.git`) is allowed by one of the entries. Hosts that are an IP address or
 * have no dot are never allowed: an address outside is meant, and inside lies what nobody should reach through Portico.
 *
 * @param own origin of the forge itself, which may be any host
 */
export function allowsUpstream(allow: readonly string[], address: string, own?: string): boolean {
  if (!URL.canParse(address)) return false;
  const url = new URL(address);
  const { username, password, search, hash, pathname } = url;
  // A name and a password, a query, encoded or empty parts, parameters of parts: an address needs none of them, and each is a way around.
  if ([username, password, search, hash].some((part) => part !== '') || /%|;|\/\//.test(pathname))
    return false;
  if (url.origin !== own && (url.protocol !== 'https:' || !isPublicName(url.hostname))) return false;
  const wanted = plain(url, own);
  return allow.some((entry) => {
    if (!URL.canParse(entry)) return false;
    const pattern = plain(new URL(entry), own);
    return pattern.endsWith('/*') ? wanted.startsWith(pattern.slice(0, -1)) : wanted === pattern;
  });
}

/** Which credential of Portico's host reads an address, or everything below one that ends in `/*`. */
export interface UpstreamCredential {
  readonly address: string;
  readonly name: string;
}

/** Pure: the credential that the configuration names for an address: the first of those whose entry covers it. */
export function credentialNamedFor(
  credentials: readonly UpstreamCredential[],
  address: string,
  own?: string,
): string | undefined {
  return credentials.find((one) => allowsUpstream([one.address], address, own))?.name;
}

/** Hosts to which `Acme/Web` and `acme/web` are one repository; to others they may be two. */
const IGNORES_CASE: readonly string[] = ['github.com', 'gitlab.com', 'bitbucket.org'];

function plain({ href, hostname, origin }: URL, own: string | undefined): string {
  const path = href.replace(/(?<!\/)\/+$/, '').replace(/\.git$/i, '');
  return origin === own || IGNORES_CASE.includes(hostname) ? path.toLowerCase() : path;
}
