import { afterAll, beforeAll, expect, test } from 'vitest';

import { below, configuration } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import { startStage, type Stage } from '../stage.ts';

let stage: Stage;

const SET = (repositories: readonly string[]): string => `apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata: { name: shops }
spec:
  upstream: { repo: up, package: web, revision: -1 }
  targets:
  - repositories: [${repositories.map((name) => `{ name: ${name}, packageNames: [shop] }`).join(', ')}]
`;
const ROLLOUT = (waves: string): string => `apiVersion: config.portico.dev/v1alpha1
kind: Rollout
metadata: { name: slow }
spec:
  upstreams: [{ packages: [web] }]
  waves: ${waves}
`;
const REGION = (region: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: region }\ndata: { region: ${region} }\n`;
const VARIANT = (path: string, more = ''): string => `apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata: { name: one }
spec:
  upstream: { repo: up, package: ${path}, revision: -1 }
  downstream: { repo: edge, package: one }
  injectors: [{ name: region }]
${more}`;
const TWO = '[{ name: canary, select: { repositories: [edge] }, gate: { manual: true } }, { name: all }]';

beforeAll(async () => {
  const obeys = 'branch: main\nsharing: { from: [acme/up], to: [acme/up] }\ncontrolledBy: [acme/up]';
  stage = await startStage({
    up: {
      spec: 'branch: main\nsharing: { to: [acme/*], from: [acme/*] }',
      files: below('web', smallPackage('web')),
    },
    edge: { spec: obeys },
    far: { spec: obeys },
    shy: { spec: 'branch: main\nsharing: { from: [acme/up], to: [acme/up] }' },
  });
  const up = stage.repository('up');
  await up.tag('web/v1', await up.push('main', { 'web/config.yaml': configMap('web', { color: 'v1' }) }));
  await stage.sweep();
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

test('a set of variants says which packages it would create, and who does not consent', async () => {
  const up = stage.repository('up');
  const pull = await up.propose('set', { '.github/portico/shops.yaml': SET(['edge', 'far', 'shy']) });
  const comment = await up.sticky(pull.number);
  expect(comment).toContain(
    '**2 packages would be created**: `acme/edge:shop` (from `acme/up:web`), `acme/far:shop` (from `acme/up:web`).',
  );
  expect(comment).toContain('acme/shy does not accept documents from acme/up');
  expect(comment).toContain('| `.github/portico/shops.yaml` | `not set` | `added` |');
  expect(await stage.writesOf(() => stage.look('up'), 'up')).toEqual([]);
  // A plan is no document: nothing was made of it.
  expect(await stage.repository('edge').pulls('all')).toEqual([]);
  // The command says the same.
  const { reply } = await up.command(pull.number, '/portico plan', 'rita');
  expect(reply).toContain('**2 packages would be created**');
});

test('another upstream, function or injected object of a variant says which packages it would change', async () => {
  const up = stage.repository('up');
  const file = '.github/portico/one.yaml';
  const inventory = '.github/portico/inventory/region.yaml';
  await up.tag('api/v1', await up.push('main', below('api', smallPackage('api'))));
  await up.push('main', { [file]: VARIANT('web'), [inventory]: REGION('here') });
  await stage.idle();
  await stage.look('up');
  const changes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    api: { [file]: VARIANT('api') },
    web: { [file]: VARIANT('web', '  pipeline: { mutators: [{ image: set-labels:v0.2.0 }] }\n') },
    object: { [inventory]: REGION('elsewhere') },
  };
  for (const [name, files] of Object.entries(changes)) {
    const { number } = await up.propose(`one-${name}`, files);
    const from = name === 'object' ? 'web' : name;
    expect(await up.sticky(number)).toContain(
      `**1 package would be made from other content**: \`acme/edge:one\` (from \`acme/up:${from}\`).`,
    );
  }
  const { number } = await up.propose('one-comment', { [file]: `# Nothing else.\n${VARIANT('web')}` });
  expect(await up.sticky(number)).not.toContain('would be made from other content');
  await up.push('main', { [file]: null, [inventory]: null });
  await stage.idle();
  await stage.look('up');
});

test('consent says which packages other repositories would create here', async () => {
  await stage.repository('up').push('main', { '.github/portico/shops.yaml': SET(['shy']) });
  await stage.idle();
  await stage.look('up');
  const shy = stage.repository('shy');
  const spec = 'branch: main\nsharing: { from: [acme/up], to: [acme/up] }\ncontrolledBy: [acme/up]';
  const pull = await shy.propose('obey', { '.github/portico.yaml': configuration('shy', spec) });
  expect((await shy.checksOf(pull.number)).get('portico/config')).toMatchObject({
    conclusion: 'action_required',
    output: { title: 'Weaker: controlledBy: none → acme/up; needs approval from the role admin' },
  });
  expect(await shy.sticky(pull.number)).toContain('**1 package would be created**: `acme/shy:shop`');
});

test('a rollout says who is in which wave, and one that is removed that no wave is left', async () => {
  const up = stage.repository('up');
  await up.push('main', { '.github/portico/shops.yaml': SET(['edge', 'far']) });
  await stage.idle();
  await stage.look('up');
  const file = '.github/portico/slow.yaml';
  const added = await up.propose('rollout', { [file]: ROLLOUT(TWO) });
  expect(await up.sticky(added.number)).toContain(
    'Rollout `slow` of `acme/up:web`: `canary`: `acme/edge:shop`; `all`: `acme/far:shop`.',
  );
  await up.push('main', { [file]: ROLLOUT(TWO) });
  await stage.idle();
  await stage.look('up');
  const faster = await up.propose('faster', { [file]: ROLLOUT('[{ name: canary }]') });
  const comment = await up.sticky(faster.number);
  expect(comment).toContain('**`rollouts[slow].waves[canary].gate.manual`**');
  expect(comment).toContain('**`rollouts[slow].waves[all]`**');
  expect(comment).toContain('Rollout `slow` of `acme/up:web`: `canary`: `acme/edge:shop`, `acme/far:shop`.');
  // A person's approval goes away, so that an admin is asked.
  expect((await up.checksOf(faster.number)).get('portico/config')?.conclusion).toBe('action_required');
  const removed = await up.propose('removed', { [file]: null });
  expect(await up.sticky(removed.number)).toContain(
    '**Updates of `acme/up:web` would go to all downstreams at once**',
  );
});
