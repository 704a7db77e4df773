import { judgedAddresses, type JudgedAddressesOptions } from './judged-addresses.ts';
import type { OutsideFetch } from './outside-fetch.ts';

/** For git, which connects by itself, and to addresses that others chose. */
export interface GitReach {
  /** The IP addresses that were judged; none where the host is allowed by name. Throws `ADDRESS_REFUSED` and `HOST_UNREACHABLE`. */
  addresses(url: URL): Promise<readonly string[]>;
  /** One question; a redirect is an answer. Throws the same. */
  ask(url: URL, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response>;
}

/** Where git may connect to by the rule of `OutsideFetch`, and questions beside it by that. */
export function gitReach(fetchOutside: OutsideFetch, options: JudgedAddressesOptions): GitReach {
  return {
    addresses: (url) => judgedAddresses(url, options),
    ask: (url, headers, signal) => fetchOutside(url, { headers, signal }),
  };
}
