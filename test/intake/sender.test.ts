import { expect, test } from 'vitest';

import { createSenders } from '../../src/intake/sender.ts';

const sender = (trusted: string[], remoteAddress: string, told?: string): string =>
  createSenders(trusted).ofRequest({
    socket: { remoteAddress } as never,
    headers: told === undefined ? {} : { 'x-forwarded-for': told },
  });

test.each<[string, string[], string, string | undefined, string]>([
  ['its own address', [], '192.0.2.7', undefined, '192.0.2.7'],
  ['over a socket for both', [], '::ffff:192.0.2.7', undefined, '192.0.2.7'],
  ['a header of somebody who is no proxy', [], '192.0.2.7', '198.51.100.1', '192.0.2.7'],
  ['a header of a proxy', ['10.0.0.0/8'], '10.1.2.3', '198.51.100.1', '198.51.100.1'],
  [
    'what was written before the proxy',
    ['10.0.0.0/8'],
    '10.1.2.3',
    '127.0.0.1, 198.51.100.1',
    '198.51.100.1',
  ],
  ['two proxies', ['10.0.0.0/8', '::1'], '::1', '198.51.100.1, 10.0.0.2', '198.51.100.1'],
  ['a proxy that says nothing of use', ['10.0.0.0/8'], '10.1.2.3', 'unknown', '10.1.2.3'],
  ['more hops than anybody has', ['10.0.0.0/8'], '10.1.2.3', '10.0.0.1,'.repeat(30), '10.1.2.3'],
  ['a network of IPv6', [], '2001:db8:0:12::7', undefined, '2001:db8:0:12::/64'],
  ['another address of it', [], '2001:0db8::12:1:2:3:4', undefined, '2001:db8:0:12::/64'],
])('%s', (_name, trusted, address, told, wanted) => expect(sender(trusted, address, told)).toBe(wanted));
