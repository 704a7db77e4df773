import { expect, test } from 'vitest';

import { createCatalog, type Catalog, type CatalogRepository } from '../../../src/catalog/catalog.ts';
import { readRollouts } from '../../../src/config/read-rollouts.ts';
import { assignWaves } from '../../../src/package/rollout/assign.ts';
import { NO_ORDERS, planRollout, verdictOn } from '../../../src/package/rollout/plan.ts';
import { rolloutPart } from '../../../src/reconcile/rollout/body.ts';
import { followersOf } from '../../../src/reconcile/rollout/facts.ts';
import { rolloutsOf } from '../../../src/reconcile/rollout/scope.ts';
import { selects } from '../../../src/reconcile/rollout/selectors.ts';
import { repositoryDirectory } from '../../../src/revision/package-path.ts';
import { bareRepository } from '../../catalog/bare-repository.ts';

const ROLLOUT = `apiVersion: config.portico.dev/v1alpha1
kind: Rollout
metadata: { name: web }
spec:
  upstreams: [{ repo: up, packages: [web] }]
  waves:
  - { name: spy, select: { repositories: [secret] } }
  - { name: half, size: 50% }
  - name: all
`;

const locked = (id: number, name: string, more: Partial<CatalogRepository> = {}): CatalogRepository =>
  bareRepository(id, name, {
    packages: [
      {
        directory: repositoryDirectory('shop'),
        tree: 't'.repeat(40),
        lock: { repo: 'https://forge.example/acme/up.git', directory: 'web', ref: 'web/v1', commit: 'c' },
      },
    ],
    ...more,
  });

function catalogOf(
  control: Partial<CatalogRepository>,
  up: Partial<CatalogRepository> = {},
  text: string = ROLLOUT,
): Catalog {
  const catalog = createCatalog();
  const file = '.github/portico/rollout.yaml';
  const { rollouts } = readRollouts({ file, bytes: new TextEncoder().encode(text) });
  const documents = [{ file, id: 'i', documents: [], problems: [], rollouts }];
  catalog.put(
    bareRepository(1, 'acme/up', { revisions: new Map([[repositoryDirectory('web'), ['v1', 'v2']]]), ...up }),
  );
  catalog.put(bareRepository(2, 'acme/fleet', { documents, ...control }));
  catalog.put(locked(3, 'acme/secret'));
  catalog.put(locked(4, 'acme/open', { visibility: 'public' }));
  catalog.put(locked(5, 'acme/named', { controlledBy: ['acme/fleet'] }));
  return catalog;
}

const NAMED = { controlledBy: ['acme/fleet'] };

const told = (catalog: Catalog): readonly unknown[] => [
  rolloutsOf(catalog).governed.map(({ path }) => path),
  rolloutsOf(catalog).stalled.map(({ message }) => message.split(' ').slice(0, 5).join(' ')),
];

test('a rollout governs what names its place and may be known there, and says the same of all else (62)', () => {
  expect(told(catalogOf({}, NAMED))).toEqual([['web'], []]);
  const unknown = ['"up" is not a repository'];
  expect(told(catalogOf({}))).toEqual([[], unknown]);
  expect(told(catalogOf({ visibility: 'public' }, NAMED))).toEqual([[], unknown]);
  expect(told(catalogOf({}, { visibility: 'public' }))).toEqual([[], ['acme/up does not accept documents']]);
});

test('a downstream that may not be known where the rollout stands is in no wave but the last, and in no gate (73)', () => {
  const catalog = catalogOf({}, NAMED);
  const [governed] = rolloutsOf(catalog).governed;
  const all = followersOf(catalog, governed!);
  const waves = assignWaves(governed!.rollout, all, selects);
  expect(waves.map(({ name, members }) => [name, members.map((one) => one.name)])).toEqual([
    ['spy', []],
    ['half', ['acme/named:shop']],
    ['all', ['acme/open:shop']],
    ['rest', ['acme/secret:shop']],
  ]);
  expect(all.map(({ name, standing }) => [name, standing])).toContainEqual(['acme/secret:shop', 'out']);
  const state = { state: 'waiting', counted: 0, through: 0, why: '' } as const;
  const plan = {
    state: 'running',
    why: '',
    waves: waves.map((wave) => ({ ...wave, ...state })),
    waveOf: new Map(),
  } as const;
  const orders = { skipped: new Map(), done: false };
  const shown = rolloutPart([{ governed: governed!, revision: 'v2', orders, plan }]);
  expect(shown).toContain('`half`');
  expect(shown).not.toMatch(/rest|secret/);
});

test('a public downstream of another owner is in no wave but the last, and in no gate (62)', () => {
  const catalog = catalogOf({}, NAMED);
  catalog.put(locked(6, 'aaa/stranger', { visibility: 'public' }));
  const [governed] = rolloutsOf(catalog).governed;
  const all = followersOf(catalog, governed!);
  expect(all.map(({ name, standing }) => [name, standing])).toContainEqual(['aaa/stranger:shop', 'out']);
  const last = assignWaves(governed!.rollout, all, selects).at(-1)!;
  expect(last.members.map(({ name }) => name)).toEqual(['aaa/stranger:shop', 'acme/secret:shop']);
});

const rolloutOver = (name: string, glob: string): string =>
  `apiVersion: config.portico.dev/v1alpha1\nkind: Rollout\nmetadata: { name: ${name} }\nspec: { upstreams: [{ packages: ['${glob}'] }], waves: [{ name: all }] }\n`;

const catalogWithRollouts = (glob: string): Catalog => {
  const text = Array.from({ length: 300 }, (_, at) => rolloutOver(`r${at}`, glob)).join('---\n');
  const file = '.github/portico/r.yaml';
  const { rollouts } = readRollouts({ file, bytes: new TextEncoder().encode(text) });
  expect(rollouts).toHaveLength(300);
  const revisions = new Map(
    Array.from({ length: 1_000 }, (_, at) => [repositoryDirectory(`p${at}`), ['v1']] as const),
  );
  const catalog = createCatalog();
  const documents = [{ file, id: 'i', documents: [], problems: [], rollouts }];
  catalog.put(bareRepository(1, 'acme/up', { revisions, documents }));
  return catalog;
};

test('rollouts cost what there are of them, not rollouts times packages (66)', () => {
  const all = rolloutsOf(catalogWithRollouts('**'));
  expect(all.governed).toHaveLength(1_000);
  expect(all.stalled.length).toBeLessThanOrEqual(500);
  // Those beyond the limit let nothing pass: all waits for their waves.
  const none = rolloutsOf(catalogWithRollouts('nothing/here'));
  expect(none.governed.map(({ rollout }) => rollout.name)).toEqual(
    Array.from({ length: 1_000 }, () => 'r200'),
  );
  expect(none.stalled[0]?.message).toContain('this rollout governs all of them');
});

test.each([
  ['a wave with a name that is taken', ROLLOUT.replace('name: half', 'name: rest'), ['web']],
  ['upstreams that cannot be read', ROLLOUT.replace('repo: up', 'repo: [up]'), ['api', 'shop', 'web']],
  ['another kind', ROLLOUT.replace('kind: Rollout', 'kind: Rolout'), ['web']],
  ['no YAML', `${ROLLOUT}  broken: [`, ['api', 'shop', 'web']],
])('a rollout with a mistake holds what it may mean: %s', (_what, text, paths) => {
  const up = {
    ...NAMED,
    revisions: new Map([
      [repositoryDirectory('web'), ['v1']],
      [repositoryDirectory('api'), ['v1']],
    ]),
  };
  const { governed } = rolloutsOf(catalogOf({}, up, text));
  expect(governed.map(({ path }) => path).toSorted()).toEqual(paths);
  for (const { rollout } of governed) {
    const plan = planRollout({
      rollout,
      downstreams: [{ id: 'one', name: 'acme/one:web', standing: 'waiting' as const }],
      selects: () => true,
      since: 0,
      orders: NO_ORDERS,
      now: 1,
    });
    expect(plan).toMatchObject({ state: 'stopped', why: expect.stringContaining('rollout.yaml:') });
    expect(verdictOn(plan, 'one')).toBe('wave-stopped');
  }
});

test('a rollout without a mistake goes before one with a mistake in the same repository', () => {
  const both = `${ROLLOUT.replace('name: half', 'name: rest')}---\n${ROLLOUT.replace('name: web', 'name: good')}`;
  const { governed } = rolloutsOf(catalogOf({}, NAMED, both));
  expect(governed.map(({ rollout }) => rollout.name)).toEqual(['good']);
});

test('of two rollouts with one name the first goes on, and what the other is about waits', () => {
  const up = {
    ...NAMED,
    revisions: new Map([
      [repositoryDirectory('web'), ['v1']],
      [repositoryDirectory('api'), ['v1']],
    ]),
  };
  const both = `${ROLLOUT}---\n${ROLLOUT.replace('packages: [web]', 'packages: [api]')}`;
  const { governed } = rolloutsOf(catalogOf({}, up, both));
  expect(governed.map(({ path, rollout: { mistake } }) => [path, mistake !== undefined])).toEqual([
    ['web', false],
    ['api', true],
  ]);
});

test('rollouts whose names cannot be read are different ones', () => {
  const [a, b] = ['.github/portico/a.yaml', '.github/portico/b.yaml'].map((file) => {
    const bytes = new TextEncoder().encode(ROLLOUT.replace('name: web', 'name: [web]'));
    return readRollouts({ file, bytes }).rollouts[0]?.rollout.name;
  });
  expect(a).toMatch(/^unnamed-/);
  expect(a).not.toBe(b);
});
