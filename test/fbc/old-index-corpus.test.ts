/** The golden cases of indexes from before catalogs were files. Those commands are gone; Portico keeps their rules for imports. */
import { describe, expect, test } from 'vitest';

import {
  packageOfBundles,
  packagesOfBundles,
  type OldBundle,
  type OldPackage,
} from '../../src/fbc/old-index.ts';
import type { Parsed } from '../../src/fbc/version.ts';
import { answerOfPortico, type CatalogCase, catalogCases } from '../corpus/catalogs/cases.ts';
import { deprecateBundle } from './old-index-deprecation.ts';

type Answer = Record<string, unknown>;

const valueOf = <Value>({ value, problem }: Parsed<Value>): Value => value ?? expect.fail(problem ?? '');

/** What each bundle of each channel replaces or skips. */
function graphOf({ defaultChannel, channels }: OldPackage): Answer {
  const shown = [...channels].map(([name, { head, entries }]) => {
    const nodes = [...entries].map(([entry, { replaces, skips }]) => [
      entry,
      [...new Set([replaces, ...skips])].filter((below) => below !== '').sort(),
    ]);
    return [name, { head, nodes: Object.fromEntries(nodes) as unknown }];
  });
  return { defaultChannel, channels: Object.fromEntries(shown) as unknown };
}

function permutations<Item>(items: readonly Item[]): Item[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, at) => permutations(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));
}

/** The one answer that every order of the bundles gives. */
function inEveryOrder(
  bundles: readonly OldBundle[],
  answer: (order: readonly OldBundle[]) => Answer,
): Answer {
  const answers = permutations(bundles).map((order) => JSON.stringify(answer(order)));
  expect(new Set(answers).size).toBe(1);
  return JSON.parse(answers[0]!) as Answer;
}

function heads({ bundles = [] }: CatalogCase): Answer {
  return inEveryOrder(bundles, (order) => {
    const { value, problem } = packageOfBundles(order, 'replaces');
    if (value === undefined) return { error: problem };
    const named = [...value.channels].map(([name, { head }]) => [name, head]);
    return { defaultChannel: value.defaultChannel, heads: Object.fromEntries(named) as unknown };
  });
}

function added({ bundles = [], options = {} }: CatalogCase): Answer {
  return inEveryOrder(bundles, (order) => {
    const { value, problem } = packageOfBundles(order, options.mode ?? 'semver');
    return value === undefined ? { error: problem } : { name: order[0]!.package, ...graphOf(value) };
  });
}

/** The steps in turn: each works on all bundles that are there, so that batches cannot matter. */
function changed({ bundles = [], steps = [] }: CatalogCase): Answer {
  const byImage = new Map(bundles.map((bundle) => [bundle.image ?? '', bundle]));
  const index = new Map<string, OldBundle>();
  let deprecated: ReadonlySet<string> = new Set();
  for (const { add = [], deprecate, overwrite } of steps) {
    const [before, after] = overwrite ?? [];
    if (before !== undefined) {
      deprecated = new Set([...deprecated].filter((name) => name !== index.get(before)?.name));
      index.delete(before);
    }
    for (const image of [...add, ...(after === undefined ? [] : [after])]) {
      index.set(image, byImage.get(image) ?? expect.fail(image));
    }
    const grouped = packagesOfBundles([...index.values()]);
    if (grouped.value === undefined) return { error: grouped.problem };
    const bundle = index.get(deprecate ?? '');
    if (bundle === undefined) continue;
    const done = deprecateBundle(grouped.value.get(bundle.package) ?? [], deprecated, bundle);
    if (done.value === undefined) return { error: done.problem };
    deprecated = done.value;
  }
  const places = [...valueOf(packagesOfBundles([...index.values()]))].flatMap(([, own]) =>
    [...valueOf(packageOfBundles(own, 'replaces', deprecated)).channels].flatMap(([channel, { entries }]) =>
      own
        .filter(({ name }) => entries.has(name))
        .map(({ image, name }) => ({ name, place: `${image} in ${channel}` })),
    ),
  );
  const ends = places.filter(({ name }) => deprecated.has(name));
  return {
    members: places.map(({ place }) => place).sort(),
    deprecated: ends.map(({ place }) => place).sort(),
  };
}

const ANSWER = { heads, add: added, index: changed } as const;

describe.each(Object.entries(ANSWER))('portico answers as the tool to %s:', (question, answer) => {
  const cases = catalogCases(question as keyof typeof ANSWER);

  test.each(cases.map((one) => [one.name, one] as const))('%s', (_name, one) => {
    expect(answer(one)).toEqual(answerOfPortico(one));
  });
});

test('every order of bundles gives one package, by every rule', () => {
  const bundles = ['1.0.0', '1.1.0', '1.1.1', '1.2.0', '2.0.0-rc.1'].map((text, at, all): OldBundle => ({
    name: `p.v${text}`,
    package: 'p',
    version: text,
    replaces: at === 0 ? '' : `p.v${all[at - 1]}`,
    channels: at % 2 === 0 ? ['stable', 'fast'] : ['fast'],
    defaultChannel: at > 2 ? 'fast' : 'stable',
  }));
  for (const mode of ['replaces', 'semver', 'semver-skippatch'] as const) {
    const made = inEveryOrder(bundles, (order) =>
      graphOf(valueOf(packageOfBundles(order, mode, new Set(['p.v1.1.0'])))),
    );
    expect(made['defaultChannel']).toBe('fast');
  }
});
