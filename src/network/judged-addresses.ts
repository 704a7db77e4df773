/** For programs that connect by themselves, such as git: where they may connect to. */
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';

import { isPublicName } from '../config/public-name.ts';
import { PorticoError } from '../error.ts';
import { insideHostFor, type InsideHost } from './inside-host.ts';
import { isInternalAddress } from './internal-address.ts';

export interface JudgedAddressesOptions {
  /** Hosts of one's own network that may be reached all the same. */
  readonly inside?: readonly InsideHost[];
  readonly resolve?: (name: string) => Promise<readonly LookupAddress[]>;
}

/**
 * The IP addresses behind an address, once all of them were judged; none for a host that is allowed by name. The rule is that
 * of `OutsideFetch`. Throws `ADDRESS_REFUSED` and `HOST_UNREACHABLE`.
 */
export async function judgedAddresses(
  url: URL,
  { inside = [], resolve = bySystem }: JudgedAddressesOptions = {},
): Promise<readonly string[]> {
  const { protocol, hostname, username, password } = url;
  const host = insideHostFor(inside, url);
  if (username !== '' || password !== '') throw refused(url, 'has a user or a password in it');
  if (protocol !== 'https:' && !(protocol === 'http:' && host?.plain === true)) {
    throw refused(url, 'is not https');
  }
  if (host !== undefined) return [];
  const literal = hostname.replace(/^\[|\]$/g, '');
  const isLiteral = /^[\d.]+$/.test(literal) || hostname.startsWith('[');
  if (isLiteral ? isInternalAddress(literal) : !isPublicName(hostname)) {
    throw refused(url, 'is in an internal network');
  }
  if (isLiteral) return [literal];
  const found = await resolve(hostname).catch((cause: unknown) => {
    throw new PorticoError('HOST_UNREACHABLE', `${url.host} cannot be reached: its name was not resolved`, {
      blame: 'forge',
      cause,
      hint: 'Check the address, and try again later.',
    });
  });
  if (found.some(({ address }) => isInternalAddress(address))) {
    throw refused(url, 'leads into an internal network');
  }
  return found.map(({ address }) => address);
}

function bySystem(name: string): Promise<readonly LookupAddress[]> {
  return lookup(name, { all: true });
}

/** Why an address is not asked. */
export function refused(url: URL, why: string): PorticoError {
  return new PorticoError('ADDRESS_REFUSED', `${url.origin} ${why}`, {
    blame: 'user',
    hint: 'Use a public https address. The operator of Portico can allow hosts of your own network (INSIDE_HOSTS).',
  });
}
