// @module-tag story
import { afterAll, beforeAll, expect, test } from 'vitest';

import { WEB_CHANNELS } from '../../channels/web-channels.ts';
import { below, locked } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import { startStage, type Stage } from '../stage.ts';

/** Channels that an annotation names: of a variant's document, and of a Kptfile. */
let stage: Stage;

const SPEC = 'branch: main\npublish: { requireApprovals: 0 }';
const FILE = '.github/portico/channels/web.yaml';
const web = smallPackage('web', { data: { color: 'v0' } });

function file(stable: string): string {
  return `${WEB_CHANNELS}  members: [${stable}]
`;
}

const VARIANT = `apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata: {name: made, annotations: {portico.dev/follow-channel: stable}}
spec:
  upstream: {repo: up, package: web}
  downstream: {repo: edge, package: made}
`;

async function titles(name: string): Promise<string[]> {
  return (await stage.repository(name).pulls()).map(({ title }) => title);
}

beforeAll(async () => {
  stage = await startStage(
    {
      up: { spec: SPEC, files: below('web', web) },
      edge: { spec: SPEC },
      shop: { spec: `${SPEC}\nupdates: { follow: latest }` },
      held: { spec: `${SPEC}\nupdates: { follow: v1 }` },
    },
    { shares: true },
  );
  const up = stage.repository('up');
  for (const revision of ['v1', 'v2', 'v3']) {
    const commit = await up.push('main', { 'web/config.yaml': configMap('web', { color: revision }) });
    await up.tag(`web/${revision}`, commit);
  }
  await up.push('main', { [FILE]: file('v1, v2') });
  await stage.idle();
  const commit = (await up.tags()).get('web/v1')!;
  const annotated = web['Kptfile']!.replace(
    '    config.kubernetes.io/local-config',
    '    portico.dev/follow-channel: stable\n    config.kubernetes.io/local-config',
  );
  const Kptfile = locked(annotated, up.url, 'web', 'web/v1', commit);
  const files = below('web', { ...web, 'config.yaml': configMap('web', { color: 'v1' }), Kptfile });
  await stage.repository('shop').push('main', files);
  await stage.repository('held').push('main', files);
  await stage.repository('edge').push('main', { '.github/portico/made.yaml': VARIANT });
  await stage.idle();
}, 600_000);

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

test('both go where the channel leads, and back with it; a pin of the configuration stays', async () => {
  const up = stage.repository('up');
  expect([await titles('edge'), await titles('shop'), await titles('held')]).toEqual([
    ['Create made at upstream v2'],
    ['Update web to upstream v2'],
    [],
  ]);
  const [made] = await stage.repository('edge').pulls();
  await stage.repository('edge').press(made!.number);
  const [update] = await stage.repository('shop').pulls();
  await stage.repository('shop').press(update!.number);
  await up.push('main', { [FILE]: file('v1, v2, v3') });
  await stage.idle();
  expect([await titles('edge'), await titles('shop')]).toEqual([
    ['Update made to upstream v3'],
    ['Update web to upstream v3'],
  ]);
  const [next] = await stage.repository('edge').pulls();
  expect(next?.body).toContain('Channel `stable`, **step 1 of 1: v2 → v3.**');
  // The board of the upstream knows what each follows.
  await stage.dashboard('up');
  const { data } = await stage.as('alice').rest.issues.listForRepo(up.where);
  const board = data.find(({ title }) => title === 'Portico dashboard')?.body ?? '';
  expect(board).toMatch(/\| `acme\/edge:made` \| `web\/stable` \| `v2` \| `proposed` \|/);
  expect(board).toMatch(/\| `acme\/shop:web` \| `web\/stable` \| `v2` \| `proposed` \|/);
  expect(board).not.toContain('acme/held:web` | `web/stable');

  await up.push('main', { [FILE]: file('v1, v2, {revision: v3, withdrawn: {reason: broken}}') });
  await stage.idle();
  expect([await titles('edge'), await titles('shop')]).toEqual([[], []]);
  await up.push('main', { [FILE]: file('v1, {revision: v2, withdrawn: {reason: broken}}') });
  await stage.idle();
  expect([await titles('edge'), await titles('shop')]).toEqual([
    ['Roll back made to upstream v1 (v2 is withdrawn)'],
    ['Roll back web to upstream v1 (v2 is withdrawn)'],
  ]);
});

const ROLLOUT = `apiVersion: config.portico.dev/v1alpha1
kind: Rollout
metadata: { name: apps }
spec:
  upstreams: [{ packages: [web] }]
  waves: [{ name: all }]
`;

test('an open proposal does not say of a revision that its rollout rolled back that it is next', async () => {
  const up = stage.repository('up');
  await up.push('main', { '.github/portico/rollout.yaml': ROLLOUT });
  await stage.idle();
  const { number } = await up.propose('on', {
    [FILE]: file('v1, {revision: v2, withdrawn: {reason: broken}}, v3'),
  });
  const next = async () => (await up.checksOf(number)).get('portico/graph')?.output.summary;
  expect(await next()).toContain('| `acme/edge:made` | `v2` | on to v3 (v2 withdrawn: broken). |');
  const { data: issue } = await stage.as('alice').rest.issues.create({ ...up.where, title: 'Back' });
  await up.command(issue.number, '/portico rollout rollback apps web@v3');
  expect(await next()).toContain(
    '| `acme/edge:made` | `v2` | nothing: the rollout of the package rolled back v3. |',
  );
});
