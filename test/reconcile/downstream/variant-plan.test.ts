import { expect, test } from 'vitest';

import { createCatalog, type Catalog, type CatalogRepository } from '../../../src/catalog/catalog.ts';
import { readVariantDocuments } from '../../../src/package/variant/read-document.ts';
import { variantPlan } from '../../../src/reconcile/downstream/variant-plan.ts';
import { repositoryDirectory } from '../../../src/revision/package-path.ts';
import { bareRepository } from '../../catalog/bare-repository.ts';

function documents(file: string, text: string): CatalogRepository['documents'] {
  return [{ file, id: text, ...readVariantDocuments(text) }];
}

const SET = `apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata: {name: s}
spec:
  upstream: {repo: up, package: web, workspaceName: main}
  targets:
`;

/** Everybody shares within the organisation, and obeys the documents that stand in it. */
const AGREED: Partial<CatalogRepository> = {
  sharing: { to: [], from: [], within: true },
  controlledBy: ['acme/*'],
};

function catalogOf(set: string, ...more: CatalogRepository[]): Catalog {
  const catalog = createCatalog();
  const all = [
    bareRepository(1, 'acme/up', { revisions: new Map([[repositoryDirectory('web'), ['v1', 'v2']]]) }),
    bareRepository(2, 'acme/control', { documents: documents('s.yaml', set) }),
    bareRepository(3, 'acme/edge', {
      labels: { edge: '', zone: 'a' },
      directory: repositoryDirectory('packages'),
    }),
    bareRepository(4, 'acme/other', { labels: { zone: 'b' } }),
    bareRepository(5, 'stranger/edge', { labels: { edge: '' } }),
    ...more,
  ];
  for (const one of all) catalog.put({ ...AGREED, ...one });
  catalog.expect(all.map(({ ref }) => ref.id));
  return catalog;
}

test('topics and custom properties stand for labels, among repositories of one owner', () => {
  const selector = '  - repositorySelector: {matchExpressions: [{key: edge, operator: Exists}]}\n';
  const { planned, stalled } = variantPlan(catalogOf(SET + selector));
  expect(stalled).toEqual([]);
  expect(planned.map(({ uid, downstream, revision }) => [uid, downstream.directory, revision])).toEqual([
    ['2/default/s-edge-web', 'packages/web', undefined],
  ]);
});

test('a template may name a repository that no document and no topic speaks of', () => {
  const target =
    '  - repositories: [{name: plain}]\n    template: {labelExprs: [{key: at, valueExpr: repository.name}]}\n';
  const foreign = '  - repositories: [{name: stranger/edge}]\n    template: {labels: {a: b}}\n';
  const { planned, stalled } = variantPlan(
    catalogOf(SET + target + foreign, bareRepository(6, 'acme/plain')),
  );
  expect(planned.map(({ name, variant }) => [name, variant.spec.labels])).toEqual([
    ['s-plain-web', { at: 'plain' }],
  ]);
  expect(stalled.map(({ message }) => message)).toEqual([
    expect.stringContaining('"stranger/edge" is not a repository of acme'),
  ]);
});

test('nobody reaches the repositories of another owner', () => {
  const { planned, stalled } = variantPlan(catalogOf(`${SET}  - repositories: [{name: stranger/edge}]\n`));
  expect(planned).toEqual([]);
  expect(stalled[0]?.message).toContain('"stranger/edge" is not a repository of acme');
});

test('of a hundred sets and one, the one behind them makes nothing, and what it made stays', () => {
  const sets = Array.from({ length: 101 }, (_, at) =>
    `${SET}  - repositories: [{name: edge, packageNames: [p${at}]}]\n`.replace('{name: s}', `{name: s${at}}`),
  );
  const plan = variantPlan(catalogOf(sets.join('---\n')));
  const { planned, stalled } = plan;
  expect(planned).toHaveLength(100);
  expect(stalled.map(({ name, message }) => [name, message])).toEqual([
    ['s100', expect.stringContaining('more than 100 sets')],
  ]);
  expect(plan.isGone('2/default/s100-edge-p100', 3, 'p100')).toBe(false);
});

test('one package is kept by one variant', () => {
  const second = SET.replace('{name: s}', '{name: t}');
  const target = '  - repositories: [{name: edge}]\n';
  const { planned, stalled } = variantPlan(catalogOf(`${SET}${target}---\n${second}${target}`));
  expect(planned.map(({ name }) => name)).toEqual(['s-edge-web']);
  expect(stalled.map(({ name, line }) => [name, line])).toEqual([['t-edge-web', 9]]);
});

test('a package path that git refuses stalls that target alone', () => {
  const target = '  - repositories: [{name: edge, packageNames: [a..b, fine]}]\n';
  const { planned, stalled } = variantPlan(catalogOf(SET + target));
  expect(planned.map(({ downstream }) => downstream.path)).toEqual(['fine']);
  expect(stalled).toHaveLength(1);
});

test('a variant is gone when its documents are whole, everything was looked at, and nobody asks for it', () => {
  const target = '  - repositories: [{name: edge}]\n';
  const catalog = catalogOf(SET + target);
  expect(variantPlan(catalog).isGone('2/default/s-edge-web', 3, 'web')).toBe(false);
  expect(variantPlan(catalog).isGone('2/default/s-edge-web', 4, 'web')).toBe(true);
  expect(variantPlan(catalog).isGone('2/default/old', 3, 'old')).toBe(true);
  expect(variantPlan(catalog).isGone('9/default/unknown', 3, 'old')).toBe(false);
  catalog.expect([1, 2, 3, 4, 5, 6]);
  expect(variantPlan(catalog).isGone('2/default/old', 3, 'old')).toBe(false);
});

function variant(name: string, more: string): string {
  return `apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata: {name: ${name}}\nspec: {upstream: {repo: up, package: web}${more}}\n`;
}

function inventory(text: string): CatalogRepository {
  return bareRepository(6, 'acme/inventory', { inventory: documents('teams.yaml', text) });
}

function gone(text: string, name: string, ...more: CatalogRepository[]): boolean {
  return variantPlan(catalogOf(text, ...more)).isGone(`2/default/${name}`, 3, 'left');
}

test('what a document or target that is wrong may ask for is not gone; the rest is', () => {
  const good = '  - repositories: [{name: edge}]\n';
  const lost = `${good}  - repositories: [{name: nowhere}]\n`;
  expect(gone(SET + lost, 's-edge-left')).toBe(true);
  expect(gone(SET + lost, 's-nowhere-web')).toBe(false);
  expect(gone(SET + lost, 'old')).toBe(true);

  // It fails before anybody knows whose package it would be; a name may be cut, and made legal.
  const lateName = `${good}  - repositories: [{name: edge}]\n    template: {downstream: {packageExpr: target.nothing}}\n`;
  const long = 'a.very.long.name.of.a.set.that.has.more.than.fifty.letters.in.it';
  expect(gone(SET + lateName, 's-edge-left')).toBe(false);
  expect(gone(SET + lateName, 'old')).toBe(true);
  expect(gone(SET.replace('{name: s}', `{name: ${long}}`) + lateName, `${long.slice(0, 54)}-12345678`)).toBe(
    false,
  );
  expect(gone(SET.replace('{name: s}', '{name: s.t}') + lateName, 's-t-edge-apps-left-12345678')).toBe(false);
  // It fails later.
  const label = `${good}  - repositories: [{name: edge, packageNames: [left]}]\n    template: {labelExprs: [{key: a, valueExpr: target.nothing}]}\n`;
  expect(gone(SET + label, 's-edge-left')).toBe(false);
  expect(gone(SET + label, 's-edge-other')).toBe(true);

  expect(gone(variant('old', ''), 'old')).toBe(false);
  expect(gone(variant('old', ''), 'other')).toBe(true);
  expect(gone(variant('old', ', downstream: {repo: nowhere, package: left}'), 'old')).toBe(false);
  expect(gone(variant("''", ''), 'other')).toBe(false);
  expect(gone(SET, 's-edge-left')).toBe(false);
  expect(gone(SET, 'other')).toBe(true);
  expect(gone(`${SET}${good}---\n{[`, 'other')).toBe(false);

  // Objects may be missing that would be selected.
  const objects = `${good}  - objectSelector: {apiVersion: v1, kind: Team}\n`;
  expect(gone(SET + objects, 's-edge-left', inventory('{['))).toBe(false);
  expect(gone(SET + good, 's-edge-left', inventory('{['))).toBe(true);
});

/** A target whose package is known only once its repository is. */
function namedAfter(repository: string): string {
  return `  - repositories: [{name: ${repository}}]\n    template: {downstream: {packageExpr: "'on-' + repository.name"}}\n`;
}

test('a repository that is archived or deleted keeps what its set made there, and nothing else', () => {
  // `other` was a target, too, until a moment ago.
  const plan = variantPlan(catalogOf(SET + namedAfter('edge') + namedAfter('archived')));
  expect(plan.planned.map(({ name }) => name)).toEqual(['s-edge-on-edge']);
  expect(plan.stalled[0]?.message).toContain(
    'one that was archived or deleted must be taken out of the document',
  );
  expect(plan.isGone('2/default/s-archived-on-archived', 9, 'on-archived')).toBe(false);
  expect(plan.isGone('2/default/s-other-on-other', 4, 'on-other')).toBe(true);
});

test('two variants of one name are told apart by file and package', () => {
  const target = '  - repositories: [{name: edge}]\n';
  const second = SET.replace('{name: s}', '{name: t}');
  const { stalled } = variantPlan(catalogOf(`${SET}${target}---\n${second}${target}`));
  expect(stalled.map(({ message }) => message)).toEqual([
    'acme/edge:web already belongs to default/s-edge-web (the set s in s.yaml); a package can have only one variant',
  ]);
  const twin = catalogOf(
    `${SET}  - repositories: [{name: edge, packageNames: [b-c]}]\n---\n${SET.replace('{name: s}', '{name: s-edge}')}  - repositories: [{name: b, packageNames: [c]}]\n`,
    bareRepository(6, 'acme/b'),
  );
  expect(variantPlan(twin).stalled.map(({ message }) => message)).toEqual([
    'the set s in s.yaml also declares default/s-edge-b-c, for acme/edge:b-c; rename one of them',
  ]);
});

test('a plan is made anew only when something changed', () => {
  const catalog = catalogOf(`${SET}  - repositories: [{name: edge}]\n`);
  const before = variantPlan(catalog);
  catalog.put({ ...AGREED, ...bareRepository(4, 'acme/other', { labels: { zone: 'b' } }) });
  expect(variantPlan(catalog)).toBe(before);
  catalog.put(bareRepository(4, 'acme/other', { commit: 'd' }));
  expect(variantPlan(catalog)).not.toBe(before);
});

const listed = (names: readonly string[]): Partial<CatalogRepository> => ({
  sharing: { to: names, from: ['acme/*'] },
});

test('an inventory goes where its repository shares, and a set that selects it no further', () => {
  const object = 'apiVersion: example.com/v1\nkind: Team\nmetadata: {name: t, labels: {kind: edge}}\n';
  const plan = (set: string, shares: readonly string[]) =>
    variantPlan(
      catalogOf(
        SET + set,
        {
          ...bareRepository(2, 'acme/control', { documents: documents('s.yaml', SET + set) }),
          ...listed(['acme/*']),
        },
        {
          ...bareRepository(3, 'acme/edge', {
            directory: repositoryDirectory('packages'),
            labels: { zone: 'a' },
          }),
          ...listed(['acme/*']),
        },
        { ...bareRepository(7, 'acme/teams', { inventory: documents('t.yaml', object) }), ...listed(shares) },
        {
          ...bareRepository(1, 'acme/up', { revisions: new Map([[repositoryDirectory('web'), ['v1']]]) }),
          ...listed(['acme/*']),
        },
      ),
    );
  const injected = (shares: readonly string[]) =>
    plan('  - repositories: [{name: edge}]\n', shares).planned.map(({ inventory }) => inventory.length);
  expect(injected(['acme/control', 'acme/edge'])).toEqual([1]);
  // Who may not have it is made without it, also where the repository with the document may.
  expect(injected(['acme/control'])).toEqual([0]);
  expect(injected(['acme/edge'])).toEqual([0]);

  const selecting = `  - objectSelector: {apiVersion: example.com/v1, kind: Team}
    template: {downstream: {repo: edge}}
`;
  expect(plan(selecting, ['acme/*']).stalled).toEqual([]);
  expect(plan(selecting, ['acme/*']).planned).toHaveLength(1);
  const { planned, stalled } = plan(selecting, ['acme/control']);
  expect(planned).toEqual([]);
  expect(stalled.map(({ message }) => message)).toEqual([
    expect.stringContaining('acme/edge may not receive all objects that the set can select'),
  ]);
});

const made = (set: string, ...more: CatalogRepository[]): [string[], string[]] => {
  const { planned, stalled } = variantPlan(catalogOf(SET + set, ...more));
  return [planned.map(({ name }) => name), stalled.map(({ message }) => message)];
};

test('a selector sees only who obeys the documents, and a name only who may be known (62)', () => {
  const named = '  - repositories: [{name: edge}]\n';
  const selector = '  - repositorySelector: {matchExpressions: [{key: zone, operator: Exists}]}\n';
  const edge = bareRepository(3, 'acme/edge', { labels: { zone: 'a' } });
  const other = bareRepository(4, 'acme/other', { labels: { zone: 'b' }, controlledBy: ['acme/elsewhere'] });
  expect(made(selector, edge, other)).toEqual([['s-edge-web'], []]);
  expect(made(named, { ...edge, controlledBy: [] })).toEqual([
    [],
    [
      'acme/edge does not accept documents from acme/control: add "controlledBy: [acme/control]" to its spec in .github/portico.yaml',
    ],
  ]);
  const unshared = { ...edge, controlledBy: [], sharing: { to: [], from: [] } };
  const [, [hidden]] = made(named, unshared);
  const [, [absent]] = made(named.replace('edge', 'nowhere'), edge);
  expect(hidden).toBe(absent!.replace('nowhere', 'edge'));
});

test('variants cost what there are of them, not variants times revisions (66)', () => {
  let looks = 0;
  const names = Array.from({ length: 1_000 }, (_, at) => `v${at + 1}`);
  const counted = new Proxy(names, {
    get(target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) looks += 1;
      return Reflect.get(target, key) as unknown;
    },
  });
  const variants = Array.from(
    { length: 1_000 },
    (_, at) =>
      `apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata: { name: n${at} }\nspec: { upstream: { repo: own, package: web, revision: ${at + 1} }, downstream: { repo: own, package: p${at} } }\n`,
  );
  const catalog = createCatalog();
  const own = {
    revisions: new Map([[repositoryDirectory('web'), counted]]),
    documents: documents('v.yaml', variants.join('---\n')),
  };
  catalog.put(bareRepository(1, 'acme/own', own));
  const { planned, stalled } = variantPlan(catalog);
  expect(stalled).toEqual([]);
  expect(planned.map(({ revision }) => revision)).toEqual(names);
  expect(looks).toBeLessThanOrEqual(20_000);
});
