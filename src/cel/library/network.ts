/** `ip`, `cidr` and `url` of Kubernetes (apiserver cel/library/ip.go, cidr.go, urls.go). */
import { celFunc, celMethod, type CelFunc } from '@bufbuild/cel';
import type { ReflectMessage } from '@bufbuild/protobuf/reflect';

import { shortenValue } from '../../text/cut-text.ts';
import { opaque } from '../opaque.ts';
import {
  contains,
  KINDS,
  masked,
  printAddress,
  readAddress,
  readNetwork,
  type Address,
  type Network,
} from './address.ts';
import { BOOL, INT, MAP, STRING } from './types.ts';
import { readUrl, type Url } from './url.ts';

const ipType = opaque<Address>('net.IP');
const cidrType = opaque<Network>('net.CIDR');
const urlType = opaque<Url>('kubernetes.URL');

export const NETWORK_TYPES = [ipType.desc, cidrType.desc, urlType.desc];

function quoted(text: string): string {
  return JSON.stringify(shortenValue(text, 100));
}

function known<Value>(value: Value | undefined, message: string): Value {
  if (value === undefined) throw new Error(message);
  return value;
}

function ip(text: string): Address {
  return known(readAddress(text), `IP address ${quoted(text)} parse error`);
}

function cidr(text: string): Network {
  return known(readNetwork(text), `network address ${quoted(text)} parse error`);
}

function url(text: string): Url {
  return known(readUrl(text), `URL parse error: ${quoted(text)}`);
}

const wrapIp = (address: Address): ReflectMessage => ipType.wrap(address, printAddress(address));
const wrapCidr = (network: Network): ReflectMessage => cidrType.wrap(network, printNetwork(network));
const ipOf = (value: unknown): Address => known(ipType.unwrap(value), 'not an IP address');
const cidrOf = (value: unknown): Network => known(cidrType.unwrap(value), 'not a network');
const urlOf = (value: unknown): Url => known(urlType.unwrap(value), 'not a URL');

function printNetwork({ address, length }: Network): string {
  return `${printAddress(address)}/${length}`;
}

function containsNetwork(outer: Network, inner: Network): boolean {
  return outer.length <= inner.length && contains(outer, masked(inner).address);
}

export const addresses: CelFunc[] = [
  celFunc('ip', [STRING], ipType.type, (text) => wrapIp(ip(text))),
  celFunc('isIP', [STRING], BOOL, (text) => readAddress(text) !== undefined),
  celFunc('ip.isCanonical', [STRING], BOOL, (text) => printAddress(ip(text)) === text),
  celFunc('string', [ipType.type], STRING, (value) => printAddress(ipOf(value))),
  celMethod('family', ipType.type, [], INT, function () {
    return BigInt(ipOf(this).family);
  }),
  ...Object.entries(KINDS).map(([name, test]) =>
    celMethod(name, ipType.type, [], BOOL, function () {
      return test(ipOf(this));
    }),
  ),
  celFunc('cidr', [STRING], cidrType.type, (text) => wrapCidr(cidr(text))),
  celFunc('isCIDR', [STRING], BOOL, (text) => readNetwork(text) !== undefined),
  celFunc('string', [cidrType.type], STRING, (value) => printNetwork(cidrOf(value))),
  celMethod('containsIP', cidrType.type, [ipType.type], BOOL, function (address) {
    return contains(cidrOf(this), ipOf(address));
  }),
  celMethod('containsIP', cidrType.type, [STRING], BOOL, function (text) {
    return contains(cidrOf(this), ip(text));
  }),
  celMethod('containsCIDR', cidrType.type, [cidrType.type], BOOL, function (other) {
    return containsNetwork(cidrOf(this), cidrOf(other));
  }),
  celMethod('containsCIDR', cidrType.type, [STRING], BOOL, function (text) {
    return containsNetwork(cidrOf(this), cidr(text));
  }),
  celMethod('ip', cidrType.type, [], ipType.type, function () {
    return wrapIp(cidrOf(this).address);
  }),
  celMethod('masked', cidrType.type, [], cidrType.type, function () {
    return wrapCidr(masked(cidrOf(this)));
  }),
  celMethod('prefixLength', cidrType.type, [], INT, function () {
    return BigInt(cidrOf(this).length);
  }),
];

const PARTS: readonly [string, (url: Url) => string][] = [
  ['getScheme', ({ scheme }) => scheme],
  ['getHost', ({ host }) => host],
  ['getHostname', ({ hostname }) => hostname],
  ['getPort', ({ port }) => port],
  ['getEscapedPath', ({ path }) => path],
];

export const urls: CelFunc[] = [
  celFunc('url', [STRING], urlType.type, (text) => urlType.wrap(url(text), text)),
  celFunc('isURL', [STRING], BOOL, (text) => readUrl(text) !== undefined),
  ...PARTS.map(([name, part]) =>
    celMethod(name, urlType.type, [], STRING, function () {
      return part(urlOf(this));
    }),
  ),
  celMethod('getQuery', urlType.type, [], MAP, function () {
    return urlOf(this).query;
  }),
];
