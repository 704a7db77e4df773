/** IP addresses and networks as numbers. Text forms are those that Go's net/netip takes, without zones. */

export interface Address {
  readonly family: 4 | 6;
  readonly bits: bigint;
}

export interface Network {
  readonly address: Address;
  readonly length: number;
}

function widthOf({ family }: Address): number {
  return family === 4 ? 32 : 128;
}

/** Undefined for anything else, for zones, leading zeros, and IPv4 written as IPv6. */
export function readAddress(text: string): Address | undefined {
  if (text.length > 45) return undefined;
  const bits = text.includes(':') ? readSix(text) : readFour(text);
  if (bits === undefined) return undefined;
  return { family: text.includes(':') ? 6 : 4, bits };
}

function readFour(text: string): bigint | undefined {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  let bits = 0n;
  for (const part of parts) {
    if (!/^(?:0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255) return undefined;
    bits = (bits << 8n) | BigInt(part);
  }
  return bits;
}

function readSix(text: string): bigint | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const parts = [...(head ?? []), ...(tail ?? [])];
  if (!parts.every((part) => /^[0-9a-fA-F]{1,4}$/.test(part))) return undefined;
  const missing = 8 - parts.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const filled = [...(head ?? []), ...Array.from({ length: missing }, () => '0'), ...(tail ?? [])];
  const bits = filled.reduce((all, part) => (all << 16n) | BigInt(`0x${part}`), 0n);
  return bits >> 32n === 0xffffn ? undefined : bits;
}

/** The one text of an address (RFC 5952). */
export function printAddress({ family, bits }: Address): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((by) => String((bits >> by) & 255n)).join('.');
  const parts = Array.from({ length: 8 }, (_, at) =>
    ((bits >> BigInt(112 - at * 16)) & 0xffffn).toString(16),
  );
  const run = longestZeros(parts);
  if (run === undefined) return parts.join(':');
  return `${parts.slice(0, run.from).join(':')}::${parts.slice(run.to).join(':')}`;
}

/** The first longest run of zeros, of two at least. */
function longestZeros(parts: readonly string[]): { readonly from: number; readonly to: number } | undefined {
  let best: { from: number; to: number } | undefined;
  for (let from = 0; from < parts.length; from++) {
    let to = from;
    while (parts[to] === '0') to++;
    if (to - from > Math.max(1, best === undefined ? 0 : best.to - best.from)) best = { from, to };
  }
  return best;
}

export function readNetwork(text: string): Network | undefined {
  const slash = text.lastIndexOf('/');
  const address = readAddress(text.slice(0, Math.max(0, slash)));
  const length = text.slice(slash + 1);
  if (slash === -1 || address === undefined || !/^(?:0|[1-9]\d{0,2})$/.test(length)) return undefined;
  return Number(length) > widthOf(address) ? undefined : { address, length: Number(length) };
}

/** The network with its host bits cleared. */
export function masked({ address, length }: Network): Network {
  const host = BigInt(widthOf(address) - length);
  return { address: { ...address, bits: (address.bits >> host) << host }, length };
}

export function contains(network: Network, address: Address): boolean {
  if (network.address.family !== address.family) return false;
  const host = BigInt(widthOf(address) - network.length);
  return network.address.bits >> host === address.bits >> host;
}

const KNOWN = (text: string): Network =>
  readNetwork(text) ?? { address: { family: 4, bits: 0n }, length: 32 };
const LOOPBACK = ['127.0.0.0/8', '::1/128'].map(KNOWN);
const LINK_LOCAL = ['169.254.0.0/16', 'fe80::/10'].map(KNOWN);
const LINK_LOCAL_MULTICAST = ['224.0.0.0/24', 'ff02::/16'].map(KNOWN);
const MULTICAST = ['224.0.0.0/4', 'ff00::/8'].map(KNOWN);

function isIn(networks: readonly Network[], address: Address): boolean {
  return networks.some((network) => contains(network, address));
}

/** What kind of address it is, as Go's netip names the kinds. */
export const KINDS: Readonly<Record<string, (address: Address) => boolean>> = {
  isUnspecified: ({ bits }) => bits === 0n,
  isLoopback: (address) => isIn(LOOPBACK, address),
  isLinkLocalUnicast: (address) => isIn(LINK_LOCAL, address),
  // Go: ff02::/16 with any flags (the second byte's low half is 2).
  isLinkLocalMulticast: (address) =>
    isIn(LINK_LOCAL_MULTICAST, address) ||
    (address.family === 6 && address.bits >> 120n === 0xffn && ((address.bits >> 112n) & 15n) === 2n),
  isGlobalUnicast: (address) =>
    address.bits !== 0n &&
    !(address.family === 4 && address.bits === 0xffffffffn) &&
    !isIn([...LOOPBACK, ...MULTICAST, ...LINK_LOCAL], address),
};
