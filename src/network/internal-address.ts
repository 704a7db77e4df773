/** Which IP addresses are reached by everybody, and which lie in somebody's own network. */
import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** What IANA's registry of special-purpose addresses lists as not globally reachable, with multicast and what is reserved. */
const INTERNAL_IPV4: readonly (readonly [network: string, bits: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];

/** Global unicast is one eighth of IPv6; these parts of it are not, or carry an IPv4 address of which nothing is known. */
const GLOBAL_IPV6 = ['2000::', 3] as const;
const INTERNAL_IPV6: readonly (readonly [network: string, bits: number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

/** Networks without IPv4 reach it by addresses that end in the IPv4 address (RFC 6052). */
const NAT64 = ['64:ff9b::', 96] as const;

const internalIpv4 = listed(INTERNAL_IPV4, 'ipv4');
const internalIpv6 = listed(INTERNAL_IPV6, 'ipv6');
const globalIpv6 = listed([GLOBAL_IPV6], 'ipv6');
const nat64 = listed([NAT64], 'ipv6');

/** Whether an IP address is not that of a public host. What is no address counts as one inside. */
export function isInternalAddress(address: string): boolean {
  if (isIPv4(address)) return internalIpv4.check(address, 'ipv4');
  // A zone names a link of this very machine.
  if (!isIPv6(address) || address.includes('%')) return true;
  if (nat64.check(address, 'ipv6')) return internalIpv4.check(lastFour(address), 'ipv4');
  return !globalIpv6.check(address, 'ipv6') || internalIpv6.check(address, 'ipv6');
}

/** The last four bytes, written as an IPv4 address. */
function lastFour(address: string): string {
  // The parser of URLs writes every IPv6 address in groups of hexadecimal digits.
  const groups = new URL(`http://[${address}]/`).hostname.slice(1, -1).split(':');
  const [high = '', low = ''] = groups.slice(-2);
  const [upper, lower] = [Number.parseInt(high || '0', 16), Number.parseInt(low || '0', 16)];
  return [upper >> 8, upper & 0xff, lower >> 8, lower & 0xff].join('.');
}

function listed(
  networks: readonly (readonly [network: string, bits: number])[],
  family: 'ipv4' | 'ipv6',
): BlockList {
  const list = new BlockList();
  for (const [network, bits] of networks) list.addSubnet(network, bits, family);
  return list;
}
