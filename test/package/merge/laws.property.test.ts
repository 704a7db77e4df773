import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';

import type { MergeResult } from '../../../src/package/merge/merge-types.ts';
import { mergePackages } from '../../../src/package/merge/merge.ts';
import type { PackageFile, PackageFiles } from '../../../src/package/package.ts';
import { editYaml, readYaml } from '../../../src/package/yaml/edit.ts';
import type { YamlEdit, YamlValue } from '../../../src/package/yaml/edit.ts';
import { data, mapData, noise, noisyText, RUNS } from '../yaml/noise.ts';
import type { Noise } from '../yaml/noise.ts';
import { repeated } from './repeated-keys.ts';
import { textOf } from './trees.ts';

// The long run takes minutes.
vi.setConfig({ testTimeout: 3_600_000 });

/** Counterexamples are readable as they are; making them smaller takes minutes. */
/** Merges cost more than edits: a quarter in the everyday run. */
const TRIES = process.env['FC_RUNS'] === undefined ? RUNS / 4 : RUNS;
const QUICK = { endOnFailure: process.env['FC_SHRINK'] === undefined };

const name = fc.constantFrom('web', 'db', 'cache', 'proxy');
const word = fc.constantFrom('a', 'b-1', 'on', '8080', 'x: y', 'long text with words', '1.10');

const deployment = fc
  .record({
    name,
    replicas: fc.nat(9),
    labels: fc.dictionary(word, word, { maxKeys: 3 }),
    images: fc.uniqueArray(name, { minLength: 1, maxLength: 4 }),
    env: fc.uniqueArray(word, { maxLength: 4 }),
  })
  .map(({ name, replicas, labels, images, env }): YamlValue => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels },
    spec: {
      replicas,
      template: {
        spec: {
          containers: images.map((image) => ({
            name: image,
            image: `${image}:1.0`,
            env: env.map((key) => ({ name: key, value: key })),
          })),
        },
      },
    },
  }));
const config = fc
  .record({ name, data: fc.dictionary(word, fc.constantFrom('v', 'one\ntwo\nthree\n', ''), { maxKeys: 5 }) })
  .map(({ name, data }): YamlValue => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data }));
const custom = fc.record({ name, spec: mapData }).map(({ name, spec }): YamlValue => ({
  apiVersion: 'example.org/v1',
  kind: 'Widget',
  metadata: { name },
  spec,
}));

interface Generated {
  readonly documents: readonly YamlValue[];
  readonly files: PackageFiles;
}

/** Packages of some files with some documents each, no two resources of one identity. */
const generated: fc.Arbitrary<Generated> = fc
  .tuple(
    fc.uniqueArray(fc.oneof(deployment, config, custom), {
      minLength: 1,
      maxLength: 6,
      selector: (one) => JSON.stringify([(one as Data)['kind'], ((one as Data)['metadata'] as Data)['name']]),
    }),
    fc.array(noise, { minLength: 6, maxLength: 6 }),
    fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
  )
  .map(([documents, how, together]) => ({ documents, files: packageOf(documents, how, together) }));

type Data = Record<string, YamlValue>;

function packageOf(
  documents: readonly YamlValue[],
  how: readonly Noise[],
  together: readonly boolean[],
): PackageFiles {
  const files = new Map<string, PackageFile>();
  let text = '';
  for (const [at, document] of documents.entries()) {
    const last = at === documents.length - 1 || together[at] !== true;
    const own = noisyText(document, { ...how[at]!, crlf: false, openEnd: last && how[at]!.openEnd });
    text += (text === '' ? '' : '---\n') + own;
    if (!last) continue;
    files.set(`file-${at}.yaml`, file(how[at]!.crlf ? text.replaceAll('\n', '\r\n') : text));
    text = '';
  }
  files.set('README.md', file('one\ntwo\nthree\n'));
  return files;
}

function file(text: string): PackageFile {
  return { mode: '100644', bytes: new TextEncoder().encode(text) };
}

/** Any edits of the package, by data: what a hostile or clumsy person might do. */
function scrambled(
  files: PackageFiles,
  picks: readonly number[],
  values: readonly YamlValue[],
): PackageFiles {
  const result = new Map(files);
  for (const [turn, pick] of picks.entries()) {
    const paths = [...result.keys()].filter((path) => path.endsWith('.yaml'));
    const path = paths[pick % paths.length];
    if (path === undefined) break;
    if (pick % 13 === 0) result.delete(path);
    else if (pick % 13 === 1) {
      result.set(`moved-${path}`, result.get(path)!);
      result.delete(path);
    } else {
      const text = textOf(result.get(path));
      const documents = readYaml(text);
      const document = (pick >> 3) % documents.length;
      const places = leaves(documents[document]!).filter(
        // Who a resource is stays: renames are guessed, and guesses have no laws.
        (place) => place.length > 1 && !(place[0] === 'metadata' && place[1] === 'name'),
      );
      const place = places[(pick >> 5) % Math.max(1, places.length)];
      if (place === undefined) continue;
      const edit: YamlEdit =
        pick % 3 === 0
          ? { op: 'delete', document, path: place }
          : { op: 'set', document, path: place, value: values[turn % values.length]! };
      result.set(path, file(editYaml(text, [edit])));
    }
  }
  return result;
}

function leaves(value: YamlValue, here: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (value === null || typeof value !== 'object') return [here];
  return Object.entries(value).flatMap(([key, item]) =>
    leaves(item, [...here, Array.isArray(value) ? Number(key) : key]),
  );
}

function bytesOf(files: PackageFiles): Record<string, string> {
  return Object.fromEntries(
    [...files].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, one]) => [path, textOf(one)]),
  );
}

function dataOf(files: PackageFiles): Record<string, unknown> {
  return JSON.parse(
    JSON.stringify(
      Object.fromEntries(
        [...files]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([path, one]) => [
            path,
            path.endsWith('.yaml') ? readYaml(textOf(one)).map(sorted) : textOf(one),
          ]),
      ),
    ),
  ) as Record<string, unknown>;
}

function sorted(value: YamlValue): YamlValue {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.fromEntries(
    Object.entries(value as Data)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
}

const picks = fc.array(fc.nat(1_000_000), { maxLength: 6 });
const values = fc.array(data, { minLength: 1, maxLength: 6 });

/** Shows the texts of a counterexample, which bytes would hide. */
function told<Result>(files: Record<string, PackageFiles>, check: () => Result): Result {
  try {
    return check();
  } catch (error) {
    const texts = Object.entries(files).map(([what, tree]) =>
      [
        what,
        ...[...tree]
          .filter(([path]) => path !== 'README.md')
          .map(([path, one]) => `[${path}]\n${textOf(one)}`),
      ].join('\n'),
    );
    throw new Error(
      `${texts.join('\n======== ')}\n${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
}

describe('laws of the merge', () => {
  test('nothing new upstream: local stays byte for byte; nothing local: upstream comes byte for byte', () => {
    fc.assert(
      fc.property(generated, picks, values, (base, edits, fresh) => {
        const other = scrambled(base.files, edits, fresh);
        told({ base: base.files, other }, () => {
          expect(
            bytesOf(mergePackages({ base: base.files, upstream: base.files, local: other }).files),
          ).toEqual(bytesOf(other));
          expect(
            bytesOf(mergePackages({ base: base.files, upstream: other, local: base.files }).files),
          ).toEqual(bytesOf(other));
        });
      }),
      { numRuns: TRIES, ...QUICK },
    );
  });

  test('merging twice changes nothing', () => {
    fc.assert(
      fc.property(generated, picks, picks, values, (base, one, two, fresh) => {
        const upstream = scrambled(base.files, one, fresh);
        const local = scrambled(base.files, two, fresh.toReversed());
        const merged = mergePackages({ base: base.files, upstream, local }).files;
        told({ base: base.files, upstream, local, merged }, () => {
          expect(bytesOf(mergePackages({ base: base.files, upstream, local: merged }).files)).toEqual(
            bytesOf(merged),
          );
          expect(bytesOf(mergePackages({ base: upstream, upstream, local: merged }).files)).toEqual(
            bytesOf(merged),
          );
        });
      }),
      { numRuns: TRIES, ...QUICK },
    );
  });

  test('merging twice changes nothing where items of a list share a key', () => {
    fc.assert(
      fc.property(repeated, ({ base, upstream, local }) => {
        const merged = mergePackages({ base, upstream, local }).files;
        told({ base, upstream, local, merged }, () => {
          for (const old of [base, upstream])
            expect(bytesOf(mergePackages({ base: old, upstream, local: merged }).files)).toEqual(
              bytesOf(merged),
            );
        });
      }),
      // Ten times as often in the long form: the packages are small.
      { numRuns: process.env['FC_RUNS'] === undefined ? RUNS : RUNS * 10, ...QUICK },
    );
  });

  test('disjoint changes both arrive, without a conflict, in either role', () => {
    fc.assert(
      fc.property(
        generated,
        fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 1000, max: 9999 })), {
          minLength: 40,
          maxLength: 40,
        }),
        (base, choices) => {
          const both = new Map(base.files);
          const mine = new Map(base.files);
          const theirs = new Map(base.files);
          let turn = 0;
          for (const [path, one] of base.files) {
            if (!path.endsWith('.yaml')) continue;
            const documents = readYaml(textOf(one));
            for (const [document, value] of documents.entries()) {
              for (const place of leaves(value)) {
                const [toMine, fresh] = choices[turn++ % choices.length]!;
                const identity =
                  place[0] === 'apiVersion' ||
                  place[0] === 'kind' ||
                  place.at(-1) === 'name' ||
                  place.includes('metadata');
                const atomic = place.some(
                  (part, at) =>
                    typeof part === 'number' && !['containers', 'env'].includes(String(place[at - 1])),
                );
                if (identity || atomic || fresh % 3 === 0) continue;
                const edit: YamlEdit = { op: 'set', document, path: place, value: fresh };
                for (const target of [both, toMine ? mine : theirs])
                  target.set(path, file(editYaml(textOf(target.get(path)), [edit])));
              }
            }
          }
          told({ base: base.files, theirs, mine }, () => {
            const result: MergeResult = mergePackages({ base: base.files, upstream: theirs, local: mine });
            expect(result.conflicts).toEqual([]);
            expect(dataOf(result.files)).toEqual(dataOf(both));
            const swapped = mergePackages({ base: base.files, upstream: mine, local: theirs });
            expect(dataOf(swapped.files)).toEqual(dataOf(both));
          });
        },
      ),
      { numRuns: TRIES, ...QUICK },
    );
  });

  test('any three packages merge, with every conflict settled either way', () => {
    fc.assert(
      fc.property(generated, picks, picks, values, (base, one, two, fresh) => {
        const upstream = scrambled(base.files, one, fresh);
        const local = scrambled(base.files, two, fresh.toReversed());
        const input = { base: base.files, upstream, local };
        const { conflicts } = mergePackages(input);
        for (const side of ['upstream', 'local'] as const) {
          const decisions = new Map(conflicts.map(({ id }) => [id, side]));
          const settled = told({ base: base.files, upstream, local }, () =>
            mergePackages({ ...input, decisions }),
          );
          expect(settled.conflicts.filter(({ id }) => decisions.has(id))).toEqual([]);
          for (const [path, file] of settled.files) if (path.endsWith('.yaml')) readYaml(textOf(file));
        }
      }),
      { numRuns: TRIES, ...QUICK },
    );
  });
});
