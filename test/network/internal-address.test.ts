import { describe, expect, test } from 'vitest';

import { insideHostFor, parseInsideHost } from '../../src/network/inside-host.ts';
import { isInternalAddress } from '../../src/network/internal-address.ts';

describe('addresses', () => {
  test.each([
    ['0.0.0.0'],
    ['10.1.2.3'],
    ['100.64.0.1'],
    ['100.127.255.255'],
    ['127.0.0.1'],
    ['169.254.169.254'],
    ['172.16.0.1'],
    ['172.31.255.255'],
    ['192.0.0.8'],
    ['192.168.1.1'],
    ['198.18.0.1'],
    ['198.19.255.255'],
    ['203.0.113.7'],
    ['224.0.0.1'],
    ['240.0.0.1'],
    ['255.255.255.255'],
    ['::'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['::ffff:8.8.8.8'],
    ['::127.0.0.1'],
    ['64:ff9b::10.0.0.1'],
    ['64:ff9b::7f00:1'],
    ['64:ff9b:1::8.8.8.8'],
    ['100::1'],
    ['2001::1'],
    ['2001:db8::1'],
    ['2002:7f00:1::'],
    ['3fff::1'],
    ['5f00::1'],
    ['fc00::1'],
    ['fd12:3456::1'],
    ['fe80::1'],
    ['fe80::1%eth0'],
    ['2606:4700::1%eth0'],
    ['fec0::1'],
    ['ff02::1'],
    ['not an address'],
    [''],
  ])('%s is inside', (address) => expect(isInternalAddress(address)).toBe(true));

  test.each([
    ['8.8.8.8'],
    ['100.63.255.255'],
    ['100.128.0.0'],
    ['172.15.255.255'],
    ['172.32.0.0'],
    ['192.0.1.1'],
    ['198.17.255.255'],
    ['198.20.0.0'],
    ['223.255.255.255'],
    ['2606:4700:4700::1111'],
    ['2a00:1450::1'],
    ['2001:4860:4860::8888'],
    ['64:ff9b::8.8.8.8'],
    ['64:ff9b::808:808'],
  ])('%s is public', (address) => expect(isInternalAddress(address)).toBe(false));
});

describe('hosts of the own network', () => {
  test.each([
    ['registry.corp.example', 'https://registry.corp.example/v2/', true],
    ['registry.corp.example', 'https://registry.corp.example:8443/v2/', true],
    ['Registry.Corp.example:443', 'https://registry.corp.example/v2/', true],
    ['registry.corp.example:5000', 'https://registry.corp.example:5000/', true],
    ['registry.corp.example:5000', 'https://registry.corp.example/', false],
    ['corp.example', 'https://registry.corp.example/', false],
    ['http://127.0.0.1:5000', 'http://127.0.0.1:5000/', true],
    ['http://127.0.0.1:80', 'http://127.0.0.1/', true],
    ['127.1', 'https://127.0.0.1/', true],
    ['[::1]:5000', 'https://[::1]:5000/', true],
    ['::1', 'https://[::1]/', false],
  ])('%s allows %s: %s', (entry, url, allowed) => {
    const host = parseInsideHost(entry);
    expect(insideHostFor(host === undefined ? [] : [host], new URL(url)) !== undefined).toBe(allowed);
  });

  test.each([
    [''],
    ['a b'],
    ['ftp://host'],
    ['https://host/path'],
    ['user@host'],
    ['host:99999'],
    ['*.example'],
  ])('%j is none', (entry) => expect(parseInsideHost(entry)).toBeUndefined());
});
