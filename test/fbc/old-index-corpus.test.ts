/** Golden cases of indexes from before catalogs were files (`../shared/corpus/catalog`). Those commands are gone; their rules are kept for imports. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { readFolder } from '../../src/cli/folder.ts';
import {
  packageOfBundles,
  packagesOfBundles,
  type OldBundle,
  type OldPackage,
} from '../../src/fbc/old-index.ts';
import { readPackageManifests } from '../../src/fbc/package-manifests.ts';
import { parseVersion, type Parsed, type Version } from '../../src/fbc/version.ts';
import { casesOf, type Case } from './corpus-case.ts';
import { addToGraph, isSkipPatchCandidate, type AddedBundle, type OldGraph } from './old-graph.ts';
import { deprecateBundle, tailOf } from './old-index-commands.ts';

const json = (one: Case, path: string): unknown =>
  JSON.parse(readFileSync(join(one.directory, path), 'utf8'));
const version = (text: string): Version => parseVersion(text).value ?? expect.fail(text);
const valueOf = <Value>({ value, problem }: Parsed<Value>): Value => value ?? expect.fail(problem ?? '');

function heads(one: Case): void {
  const { value, problem } = packageOfBundles(json(one, 'input/bundles.json') as OldBundle[], 'replaces');
  expect({ valid: value !== undefined, problem }).toMatchObject({ valid: one.expected.outcome === 'valid' });
  if (value === undefined) return;
  expect(value.defaultChannel).toBe(one.expected.defaultChannel);
  expect(Object.fromEntries([...value.channels].map(([name, { head }]) => [name, head]))).toEqual(
    one.expected.heads,
  );
}

function everyOrder(one: Case): void {
  const bundles = json(one, 'input/bundles.json') as OldBundle[];
  const { default: defaultChannel, ...channels } = json(one, 'expected/graph.json') as Record<
    string,
    string | { head: string; edges: string[] }
  >;
  for (const order of permutations(bundles)) {
    const made = valueOf(packageOfBundles(order, 'semver-skippatch'));
    expect(made.defaultChannel).toBe(defaultChannel);
    expect(Object.fromEntries([...made.channels].map(([name, channel]) => [name, edgesOf(channel)]))).toEqual(
      channels,
    );
  }
}

function edgesOf({
  head,
  entries,
}: {
  head: string;
  entries: ReadonlyMap<string, { replaces: string; skips: readonly string[] }>;
}): object {
  const edges = [...entries].flatMap(([name, { replaces, skips }]) => [
    ...(replaces === '' ? [] : [`${replaces} -> ${name} (replaces)`]),
    ...skips.map((skip) => `${skip} -> ${name} (skips)`),
  ]);
  return { head, edges };
}

function permutations<Item>(items: readonly Item[]): Item[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, at) => permutations(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));
}

interface Operations {
  readonly existing: readonly string[];
  readonly steps: readonly {
    readonly op: string;
    readonly add?: string[];
    readonly remove?: string[];
    readonly images?: string[];
  }[];
}

function operations(one: Case): void {
  const byImage = new Map(
    (json(one, 'input/bundles.json') as OldBundle[]).map((bundle) => [bundle.image ?? '', bundle]),
  );
  const { existing, steps } = json(one, 'input/ops.json') as Operations;
  const index = new Map(existing.map((image) => [image, byImage.get(image) ?? expect.fail(image)]));
  let deprecated: ReadonlySet<string> = new Set();
  let problem: string | undefined;
  for (const { add = [], remove = [], images = [] } of steps) {
    for (const image of remove) {
      deprecated = new Set([...deprecated].filter((name) => name !== index.get(image)?.name));
      index.delete(image);
    }
    for (const image of add) index.set(image, byImage.get(image) ?? expect.fail(image));
    problem ??= packagesOfBundles([...index.values()]).problem;
    for (const image of images) {
      const bundle = index.get(image);
      if (bundle === undefined || problem !== undefined) continue;
      const own = [...index.values()].filter((other) => other.package === bundle.package);
      const done = deprecateBundle(own, deprecated, bundle);
      deprecated = done.value ?? deprecated;
      problem = done.problem;
    }
  }
  const { outcome, error_text: text, error_contains: part = '', memberships } = one.expected;
  expect({ failed: problem !== undefined }).toEqual({ failed: outcome === 'error' });
  expect(problem ?? '').toContain(text ?? part);
  if (memberships === undefined) return;
  const packages = [...valueOf(packagesOfBundles([...index.values()]))];
  const found = packages.flatMap(([, bundles]) => {
    const { channels } = valueOf(packageOfBundles(bundles, 'replaces', deprecated));
    return [...channels].flatMap(([name, { entries }]) =>
      bundles
        .filter((bundle) => entries.has(bundle.name))
        .map((bundle) => [`${bundle.image}/${name}`, bundle.name] as const),
    );
  });
  expect(new Set(found.map(([place]) => place))).toEqual(new Set(memberships));
  const ends = found.filter(([, name]) => deprecated.has(name)).map(([place]) => place);
  expect(ends).toEqual(one.expected.deprecated);
}

function tail(one: Case): void {
  const {
    bundles,
    heads: named,
    bundle,
  } = json(one, 'input/package.json') as {
    bundles: OldBundle[];
    heads: Record<string, string>;
    bundle: string;
  };
  const channels: OldPackage['channels'] = new Map(
    Object.entries(named).flatMap(([channel, head]) => {
      const claims = bundles.map((other) => ({
        ...other,
        package: 'p',
        version: '',
        channels: other.name === head ? [channel] : [],
      }));
      return [...valueOf(packageOfBundles(claims, 'replaces')).channels];
    }),
  );
  const wanted = Object.entries(one.expected.tail ?? {}).map(([name, entry]) => [
    name,
    { channels: [], replaces: [], replacedBy: [], ...entry },
  ]);
  expect(Object.fromEntries(tailOf(bundle, channels))).toEqual(Object.fromEntries(wanted));
}

function manifests(one: Case): void {
  const read = (): ReturnType<typeof readPackageManifests> =>
    readPackageManifests(readFolder(join(one.directory, 'input')));
  if (one.expected.outcome === 'error') return expect(read).toThrow(one.expected.error_contains);
  const { name, defaultChannel, channels } = read();
  const graph = [...channels].map(([channel, { head, entries }]) => {
    const nodes = [...entries].map(([node, { replaces, skips }]) => [
      node,
      {
        version: '',
        replaces: [replaces, ...skips].filter((below) => below !== '').sort((a, b) => (a < b ? -1 : 1)),
      },
    ]);
    return [channel, { head, nodes: Object.fromEntries(nodes) as unknown }] as const;
  });
  expect({ name, defaultChannel, channels: Object.fromEntries(graph) }).toEqual(
    json(one, 'expected/graph.json'),
  );
}

function additions(one: Case): void {
  if (one.id.endsWith('candidate')) {
    const pairs = json(one, 'input/pairs.json') as { added: string; compare: string; expected: boolean }[];
    for (const { added, compare, expected } of pairs) {
      expect(isSkipPatchCandidate(version(added), version(compare))).toBe(expected);
    }
    return;
  }
  const bundle = json(one, 'input/bundle.json') as AddedBundle & { defaultChannelAnnotation: string };
  const added = addToGraph(
    json(one, 'input/graph.json') as OldGraph,
    { ...bundle, defaultChannel: bundle.defaultChannelAnnotation },
    { skipPatch: one.id.includes('skippatch') },
  );
  if (one.expected.outcome === 'error')
    expect(added.problem).toContain(one.expected.error_contains ?? one.expected.error_text);
  else expect(valueOf(added)).toEqual(json(one, 'expected/graph.json'));
}

const RUN: Record<string, (one: Case) => void> = {
  'replaces-heads': heads,
  'order-independence': everyOrder,
  'registry-ops': operations,
  'deprecate-tail': tail,
  packagemanifests: manifests,
  'graph-add': additions,
};
const known = casesOf(Object.keys(RUN));

test.skipIf(known.length === 0).each(known.map((one): [string, Case] => [one.id, one]))('%s', (_id, one) =>
  RUN[one.family]?.(one),
);

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
    const made = permutations(bundles).map((order) => {
      const { defaultChannel, channels } = valueOf(packageOfBundles(order, mode, new Set(['p.v1.1.0'])));
      return JSON.stringify([
        defaultChannel,
        [...channels].map(([name, channel]) => [name, edgesOf(channel)]),
      ]);
    });
    expect(new Set(made).size).toBe(1);
  }
});
