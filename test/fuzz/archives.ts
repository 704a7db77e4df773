/** Archives of strangers, and bundles in them. */

import { gzipSync } from 'node:zlib';

import * as fc from 'fast-check';
import { test } from 'vitest';

import { ARCHIVE_LIMITS } from '../../src/archive/archive-limits.ts';
import { readArchive } from '../../src/archive/read-archive.ts';
import { readLayers } from '../../src/archive/read-layers.ts';
import { convertRegistry } from '../../src/bundle/convert-registry.ts';
import { objectFiles } from '../../src/bundle/object-files.ts';
import { readRegistryBundle } from '../../src/bundle/registry-bundle.ts';
import { judgeBundle } from '../../src/bundle/validate-bundle.ts';
import { checkPackage } from '../../src/package/limits.ts';
import { readYaml } from '../../src/package/yaml/edit.ts';
import { pax, tar, zip } from '../archive/archives.ts';
import { bundleFiles, CSV, webhookCsv } from '../bundle/bundle-files.ts';
import { damaged, fuzz } from './fuzzing.ts';

const LIMITS = { ...ARCHIVE_LIMITS, totalBytes: 1 << 20, freeBytes: 1 << 20, entries: 100 };

const names = fc.constantFrom(
  'a',
  'A',
  'a/b',
  './c',
  '../x',
  '/abs',
  '.wh.a',
  'd/',
  'é',
  'e\u0301',
  '.git/x',
  '',
);
const bodies = fc.constantFrom('', 'x', 'kind: A\n', pax('path', 'q'), pax('size', '3'), 'x'.repeat(600));
const whole = fc.oneof(
  fc
    .array(
      fc.record({ name: names, type: fc.constantFrom('0', '0', '5', 'x', 'g', 'L', '2', 'S'), body: bodies }),
      {
        maxLength: 6,
      },
    )
    .map((entries) => tar(...entries)),
  fc
    .array(fc.record({ name: names, body: bodies, method: fc.constantFrom(0, 8, 12) }), { maxLength: 6 })
    .map((entries) => zip(entries)),
);
const wounds = fc.array(fc.tuple(fc.nat(), fc.nat(255), fc.constantFrom('set', 'cut', 'double')), {
  maxLength: 4,
});

function wounded(
  archive: Buffer,
  hurt: readonly (readonly [number, number, string])[],
  packed: boolean,
): Buffer {
  let bytes = Buffer.from(packed ? gzipSync(archive, { level: 1 }) : archive);
  for (const [where, value, how] of hurt) {
    if (bytes.length === 0) break;
    const at = where % bytes.length;
    if (how === 'set') bytes[at] = value;
    else bytes = Buffer.concat(how === 'cut' ? [bytes.subarray(0, at)] : [bytes, bytes.subarray(at)]);
  }
  return bytes;
}

test('archives are read within their limits or refused', () =>
  fuzz({
    name: 'archives',
    weight: 3,
    inputs: [whole, wounds, fc.boolean()],
    check: (archive, hurt, packed) => {
      const read = readArchive(wounded(archive, hurt, packed), LIMITS);
      if ('refused' in read) {
        if (read.refused.message === '') throw new Error('a refusal without a reason');
        return;
      }
      checkPackage(read.files, 'archive');
      const total = [...read.files.values()].reduce((sum, { bytes }) => sum + bytes.length, 0);
      if (total > LIMITS.totalBytes || read.files.size > LIMITS.entries) throw new Error('past the limits');
    },
  }));

const layerNames = fc.constantFrom(
  'a',
  'A',
  'd/a',
  'd/e/b',
  './d/e/c',
  'd',
  'd/e',
  'd/.wh.a',
  '.wh.d',
  'd/e/.wh..wh..opq',
  '.wh..wh..opq',
  'usr/x\\y',
  '../x',
);
const layer = fc
  .array(fc.record({ name: layerNames, type: fc.constantFrom('0', '0', '0', '5', '2', '3'), body: bodies }), {
    maxLength: 6,
  })
  .map((entries) => tar(...entries));

test('layers of images are put one on another or refused, and a directory of them holds nothing else', () =>
  fuzz({
    name: 'layers',
    weight: 2,
    inputs: [fc.array(layer, { maxLength: 3 }), wounds, fc.constantFrom('', 'd', 'd/e')],
    check: (layers, hurt, directory) => {
      const [first, ...others] = layers;
      const broken = first === undefined ? [] : [wounded(first, hurt, false), ...others];
      const read = readLayers(broken, LIMITS, directory);
      if ('refused' in read) {
        if (read.refused.message === '') throw new Error('a refusal without a reason');
        return;
      }
      checkPackage(read.files, 'layers');
      for (const path of read.files.keys()) {
        // A file may stand where the directory, or one above it, is looked for.
        const isAbove = !path.includes('/') || `${directory}/`.startsWith(`${path}/`);
        if (directory !== '' && !isAbove && !path.startsWith(`${directory}/`)) {
          throw new Error(`${path} is outside`);
        }
      }
    },
  }));

const GOOD = [CSV(), CSV({}, ['OwnNamespace']), webhookCsv()].map((files) => files['manifests/csv.yaml']!);
const PIECES = [
  'null',
  '[]',
  '{}',
  '1',
  '"x"',
  '- ',
  ': ',
  '\n',
  '~',
  '!!binary x',
  '&a',
  '*a',
  '12345678901234567890',
  '<&>',
  '__proto__: x\n',
];

test('bundles are converted or refused', () =>
  fuzz({
    name: 'bundles',
    weight: 2,
    inputs: [damaged(GOOD, PIECES), fc.constantFrom('', 'ops', 'ops,other'), fc.boolean()],
    check: (csv, targets, certified) => {
      const files = bundleFiles({ ...webhookCsv(), 'manifests/csv.yaml': csv });
      judgeBundle(files, { format: 'registry-v1', knownApis: new Set() });
      const read = readRegistryBundle(files);
      if ('problems' in read) return;
      const options = {
        installNamespace: 'ops',
        targetNamespaces: targets.split(','),
        ...(certified && { certificateProvider: 'cert-manager' as const }),
      };
      const conversion = convertRegistry(read.value, options);
      if ('refused' in conversion) {
        if (conversion.refused.some((reason) => reason === '')) throw new Error('a refusal without a reason');
        return;
      }
      for (const { bytes } of objectFiles(conversion.objects).values())
        readYaml(Buffer.from(bytes).toString());
    },
  }));
