import { gunzipSync } from 'node:zlib';

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { readArchive } from '../../src/archive/read-archive.ts';
import { artifactOf } from '../../src/oci/artifact.ts';
import { gzip } from '../../src/oci/deflate.ts';
import { layerOf } from '../../src/oci/layer.ts';
import type { PackageFile } from '../../src/package/package.ts';

const file = (text: string | Uint8Array, mode: PackageFile['mode'] = '100644'): PackageFile => ({
  mode,
  bytes: Buffer.from(text),
});

describe('compression', () => {
  test('every gzip gives back what went in', async () => {
    const runs = fc.array(
      fc.oneof(
        fc.uint8Array({ maxLength: 300 }),
        fc
          .tuple(fc.uint8Array({ minLength: 1, maxLength: 8 }), fc.nat(2000))
          .map(([part, length]) => Buffer.alloc(length, part)),
      ),
      { maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(runs, fc.nat(40), async (parts, repeats) => {
        const once = Buffer.concat(parts);
        const bytes = Buffer.concat(Array.from({ length: repeats % 4 === 0 ? 20 : 1 }, () => once));
        expect(Buffer.compare(gunzipSync(await gzip(bytes)), bytes)).toBe(0);
      }),
      { numRuns: 300 },
    );
  });

  test('runs up to the longest and distances up to the farthest', async () => {
    const noise = Buffer.from(
      Array.from({ length: 40_000 }, (_, at) => Math.imul(at + 1, 0x9e37_79b1) >>> 24),
    );
    for (const length of [3, 4, 10, 11, 257, 258, 259, 300, 517]) {
      for (const distance of [1, 2, 4, 5, 32_767, 32_768, 32_769]) {
        const bytes = Buffer.concat([
          noise.subarray(0, distance),
          noise.subarray(0, length),
          noise.subarray(9),
        ]);
        expect(Buffer.compare(gunzipSync(await gzip(bytes)), bytes), `${length} ${distance}`).toBe(0);
      }
    }
    expect((await gzip(Buffer.alloc(1_000_000, 'abc'))).length).toBeLessThan(7000);
  });
});

describe('layers', () => {
  const files = new Map([
    ['Kptfile', file('apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n')],
    ['deploy/run.sh', file('#!/bin/sh\nexit 0\n', '100755')],
    ['ünïcode/ñ.yaml', file('a: 1\n')],
    [`${'p'.repeat(60)}/${'q'.repeat(60)}`, file('prefix')],
    [`${'p'.repeat(155)}/${'q'.repeat(100)}`, file('the longest of both')],
    [`${'p'.repeat(156)}/${'q'.repeat(100)}`, file('too long for the prefix')],
    [`a/${'q'.repeat(101)}`, file('too long for the name')],
    ['empty', file('')],
    ['block', file('x'.repeat(512))],
  ]);

  test('have these very bytes, whatever the machine and the order', async () => {
    const digests = new Set<string>();
    for (const order of [[...files], [...files].reverse()]) {
      const { digest } = await artifactOf(new Map(order), {
        version: 'v1',
        source: 'https://example.com/acme',
      });
      digests.add(digest);
    }
    // Written down once: whoever changes it gives every published revision another digest.
    expect([...digests]).toEqual(['sha256:2fd5d239ce09eabc85ec5f366f6fef6cf45a7f0c2ed55374f2fef6864fb874e0']);
  });

  test('are read again as they were', async () => {
    const read = readArchive(await layerOf(files));
    const sorted = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
    expect('files' in read && [...read.files]).toEqual(sorted);
  });

  test('hold any tree', async () => {
    const name = fc
      .stringMatching(/^[a-zäß€😀.]{1,120}$/u)
      .filter((text) => !/^\.+$/.test(text) && !text.startsWith('.wh.'));
    const tree = fc.uniqueArray(fc.tuple(name, name, fc.uint8Array({ maxLength: 600 }), fc.boolean()), {
      maxLength: 12,
      selector: ([top]) => top.normalize('NFC').toLowerCase(),
    });
    await fc.assert(
      fc.asyncProperty(tree, async (entries) => {
        const any = new Map(
          entries.map(([top, below, bytes, run]) => [
            `${top}/${below}`,
            file(bytes, run ? '100755' : '100644'),
          ]),
        );
        const read = readArchive(await layerOf(any));
        expect('files' in read ? Object.fromEntries(read.files) : read).toEqual(Object.fromEntries(any));
      }),
      { numRuns: 60 },
    );
  });
});
