/** Whom a request comes from, as far as the door shares out by it: nobody is believed for it. */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, type Socket } from 'node:net';

export interface Senders {
  /** Of a connection: the address at its other end. */
  ofSocket(socket: Pick<Socket, 'remoteAddress'>): string;
  /** Of a request: behind a proxy that is trusted, the last address before it in `X-Forwarded-For`. */
  ofRequest(request: Pick<IncomingMessage, 'headers' | 'socket'>): string;
}

/** @param trusted addresses and networks (`10.0.0.0/8`) of proxies whose `X-Forwarded-For` is believed */
export function createSenders(trusted: readonly string[] = []): Senders {
  const proxies = new BlockList();
  for (const entry of trusted) {
    const [address = '', bits] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) proxies.addAddress(address, family);
    else proxies.addSubnet(address, Number(bits), family);
  }
  const isProxy = (address: string): boolean => proxies.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  return {
    ofSocket: ({ remoteAddress }) => networkOf(plain(remoteAddress ?? '')),
    ofRequest({ headers, socket }) {
      let nearest = plain(socket.remoteAddress ?? '');
      const forwarded = [headers['x-forwarded-for'] ?? []]
        .flat()
        .join(',')
        .split(',', MAX_HOPS + 1);
      // Each proxy adds whom it heard from at the end; what stands before the first untrusted one anybody may have written.
      for (const hop of forwarded.length > MAX_HOPS ? [] : forwarded.toReversed()) {
        const address = plain(hop.trim());
        if (isIP(nearest) === 0 || !isProxy(nearest) || isIP(address) === 0) break;
        nearest = address;
      }
      return networkOf(nearest);
    },
  };
}

/** Addresses in `X-Forwarded-For`; a longer list is ignored as a whole. */
const MAX_HOPS = 20;

/** IPv4 as IPv4, also where it came over a socket for both. */
function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d{1,3}\.)/i, '').replace(/%.*$/, '');
}

/** One customer of a provider has a whole network of IPv6 addresses: the first 64 bits count. */
function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail = ''] = address.split('::', 2);
  const before = head === '' ? [] : head.split(':');
  const after = tail === '' ? [] : tail.split(':');
  const gap = address.includes('::') ? Math.max(0, 8 - before.length - after.length) : 0;
  const groups = [...before, ...Array.from({ length: gap }, () => '0'), ...after];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
