/** Neither the order of what comes together nor how it is parted says anything: everything follows from the set. */

import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { offerOf } from '../../src/channels/offer.ts';
import type { ChannelDocument, PackageChannels } from '../../src/channels/package-channels.ts';
import { planUpdate } from '../../src/channels/plan.ts';
import type { BundleBlob, Catalog, ChannelEntry } from '../../src/fbc/catalog.ts';
import { catalogOfClaims, type ClaimedBundle } from '../../src/fbc/claimed-catalog.ts';
import { readCatalog } from '../../src/fbc/read-catalog.ts';
import { unionCatalogs } from '../../src/fbc/union.ts';
import { catalogYaml } from '../../src/fbc/write-catalog.ts';
import { documentsOf, filesOf } from '../fbc/catalog-text.ts';
import { MemoryRepository } from './memory-repository.ts';

const EMPTY: Catalog = { packages: [], channels: [], bundles: [], deprecations: [], others: [] };

/** A catalog of one channel, in as many parts as there are bundles: each has its bundle and its entry. */
function partsOf(entries: readonly Partial<ChannelEntry>[]): Catalog[] {
  const named = entries.map((entry, at) => ({ name: `p.v1.${at}.0`, ...entry }));
  const catalog = readCatalog(filesOf(documentsOf({ stable: named })));
  return named.map(({ name }) => ({
    ...EMPTY,
    packages: catalog.packages,
    channels: catalog.channels.map((one) => ({
      ...one,
      entries: one.entries.filter((entry) => entry.name === name),
    })),
    bundles: catalog.bundles.filter((bundle) => bundle.name === name),
  }));
}

function permutations<Item>(items: readonly Item[]): Item[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, at) => permutations(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));
}

const shuffled = <Item>(items: readonly Item[]): fc.Arbitrary<Item[]> =>
  fc.shuffledSubarray([...items], { minLength: items.length, maxLength: items.length });

/** The bytes of the union, or all conflicts. */
function outcome(catalogs: readonly Catalog[]): string {
  const { catalog, conflicts } = unionCatalogs(catalogs);
  return catalog === undefined ? JSON.stringify(conflicts) : catalogYaml(catalog);
}

test('every permutation of five parts is one catalog, byte for byte, and so is every conflict', () => {
  const chain = [0, 1, 2, 3].map((at) =>
    at === 0 ? {} : { replaces: `p.v1.${at - 1}.0`, skips: ['p.v1.0.5'] },
  );
  const [other] = partsOf([{ skipRange: '<1.0.0' }]);
  for (const parts of [partsOf([...chain, { replaces: 'p.v1.3.0' }]), [...partsOf(chain), other!]]) {
    const outcomes = permutations(parts).map((order) => outcome(order));
    expect(outcomes).toHaveLength(120);
    expect(new Set(outcomes).size).toBe(1);
  }
});

/** Parts of a chain of any shape, with a clash now and then. */
const manyParts = fc
  .array(
    fc.record({
      back: fc.integer({ min: 1, max: 4 }),
      skips: fc.array(fc.nat(12), { maxLength: 3 }),
      image: fc.nat(20),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((shapes) => {
    const parts = partsOf(
      shapes.map(({ back, skips }, at) => ({
        replaces: at - back < 0 ? '' : `p.v1.${at - back}.0`,
        skips: skips.map((skip) => `p.v1.${skip}.0`),
      })),
    );
    const clash = shapes.findIndex(({ image }) => image === 0);
    const clashing = parts[clash]?.bundles.map((bundle): BundleBlob => ({
      ...bundle,
      image: 'example.com/other:1',
    }));
    return clashing === undefined ? parts : [...parts, { ...EMPTY, bundles: clashing }];
  });

test('any partition of up to twelve parts, in any order and with repeats, is one catalog, byte for byte', () => {
  const asked = manyParts.chain((parts) =>
    fc.tuple(
      fc.constant(parts),
      fc.shuffledSubarray([...parts, ...parts], { minLength: 0 }),
      shuffled(parts),
      fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 12, maxLength: 12 }),
    ),
  );
  fc.assert(
    fc.property(asked, ([parts, repeats, order, sizes]) => {
      const whole = outcome(parts);
      expect(outcome([...order, ...repeats])).toBe(whole);
      // In batches, each a catalog of its own; where one of them is a conflict there is no catalog to go on with.
      const batches: Catalog[] = [];
      let rest = order;
      for (const size of [...sizes, order.length]) {
        if (rest.length === 0) break;
        const { catalog } = unionCatalogs(rest.slice(0, size));
        if (catalog === undefined) return;
        batches.push(catalog);
        rest = rest.slice(size);
      }
      expect(outcome(batches)).toBe(whole);
    }),
    { numRuns: 200 },
  );
});

test('entries stand by version and skips by name', () => {
  const parts = partsOf(Array.from({ length: 11 }, (_, at) => (at === 10 ? { skips: ['b', 'a', 'b'] } : {})));
  const { catalog } = unionCatalogs(parts.toReversed());
  const entries = catalog?.channels[0]?.entries ?? [];
  expect(entries.map(({ name }) => name)).toEqual(Array.from({ length: 11 }, (_, at) => `p.v1.${at}.0`));
  expect(entries.at(-1)?.skips).toEqual(['a', 'b']);
});

/** Bundles that say themselves where they belong, as old indexes had them. */
function claims(versions: readonly string[]): ClaimedBundle[] {
  const { bundles } = readCatalog(
    filesOf(documentsOf({ stable: versions.map((version) => ({ name: `p.v${version}` })) })),
  );
  return bundles.map((bundle, at) => ({
    bundle,
    claims: {
      channels: ['stable'],
      defaultChannel: 'stable',
      replaces: at === 0 ? '' : `p.v${versions[at - 1]}`,
      skips: [],
    },
  }));
}

test.each([
  ['replaces', ['1.0.0', '1.1.0', '1.1.1', '1.2.0']],
  ['semver', ['1.0.0', '1.1.0', '1.1.1', '1.2.0']],
  ['semver-skippatch', ['1.0.0', '1.1.0', '1.1.1', '1.2.0']],
  ['semver-skippatch', ['1.0.0', '1.0.1', '1.0.2']],
] as const)('bundles come one by one or together, in any order, to one graph by %s', (mode, versions) => {
  const all = claims(versions);
  const exports = permutations(all).flatMap((order) => {
    const [together, apart] = [new MemoryRepository(), new MemoryRepository()];
    expect(
      together.import([catalogOfClaims(order, mode).value!], { replaceChannels: true, unoffered: true }),
    ).toBeUndefined();
    for (const at of order.keys()) {
      const so = catalogOfClaims(order.slice(0, at + 1), mode).value!;
      expect(apart.import([so], { replaceChannels: true, unoffered: true })).toBeUndefined();
    }
    return [together.export(), apart.export()];
  });
  expect(new Set(exports).size).toBe(1);
  for (const version of versions) expect(exports[0]).toContain(`name: p.v${version}\n`);
});

const members = fc.uniqueArray(
  fc.record({
    revision: fc.integer({ min: 1, max: 12 }),
    waypoint: fc.boolean(),
    withdrawn: fc.option(fc.constant({ reason: 'broken' }), { nil: undefined, freq: 5 }),
    replaces: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
    skips: fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 3 }),
    skipRange: fc.option(fc.constantFrom('<5.0.0', '>=3.0.0 <9.0.0', '1.x || >7.0.0'), { nil: undefined }),
  }),
  { selector: ({ revision }) => revision, minLength: 1, maxLength: 12 },
);

const channel = (name: string, mode: ChannelDocument['mode'], all: readonly object[]): object => ({
  name,
  mode,
  headLine: 1,
  line: 1,
  members: all.map((one) => ({
    ...Object.fromEntries(Object.entries(one).filter(([, value]) => value !== undefined && value !== false)),
    line: 1,
  })),
});

test('the index and every plan are the same bytes for every order of members, channels and revisions', () => {
  const asked = members.chain((all) =>
    fc.tuple(fc.constant(all), shuffled(all), shuffled([1, 2, 3, 4, 5, 6, 7, 8, 9])),
  );
  fc.assert(
    fc.property(asked, ([all, order, numbers]) => {
      const told = [all, order].map((some, at) => {
        const channels = [channel('a', 'sequence', some), channel('b', 'graph', some)];
        const document = {
          package: 'p',
          packageLine: 1,
          defaultLine: 1,
          channels: at === 0 ? channels : channels.toReversed(),
          deprecations: [],
        } as unknown as PackageChannels;
        const revisions = (at === 0 ? numbers.toSorted((a, b) => a - b) : numbers).map(
          (number) => `v${number}`,
        );
        const offer = offerOf('p', revisions, document);
        const plans = ['a', 'b'].flatMap((name) =>
          [1, 5, 9, 13].map((number) =>
            planUpdate(offer, {
              at: { kind: 'revision', revision: `v${number}` },
              follow: { kind: 'channel', channel: name },
              newestInRange: () => undefined,
            }),
          ),
        );
        return JSON.stringify(plans);
      });
      expect(told[1]).toEqual(told[0]);
    }),
    { numRuns: 200 },
  );
});
