// @module-tag story
import { afterAll, beforeAll, expect, test } from 'vitest';

import { recipeFor } from '../../deploy/recipes.ts';
import { below, locked } from '../../e2e/packages.ts';
import { kptfile } from '../small-package.ts';
import { startStage, type Stage } from '../stage.ts';

/** Two fleets, one that Flux deploys and one that Argo CD deploys; updates merge themselves, so that nobody but the tools decides. */
let stage: Stage;

const WAVES = ['canary', 'early', 'wide'];
const FLEETS = ['flux', 'argo'] as const;
type Fleet = (typeof FLEETS)[number];
const reposOf = (fleet: Fleet): string[] => WAVES.map((wave) => `${fleet}-${wave}`);

const rollout = (fleet: Fleet, gate: string): string => `apiVersion: config.portico.dev/v1alpha1
kind: Rollout
metadata: { name: ${fleet} }
spec:
  upstreams: [{ packages: [${fleet}] }]
  waves:
${WAVES.map((wave) => `  - { name: ${wave}, select: { repositories: ['*-${wave}'] }, gate: { ${gate} } }\n`).join('')}`;

const workload = (image: string): string => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  selector:
    matchLabels: { app: web }
  template:
    metadata:
      labels: { app: web }
    spec:
      containers:
        - name: web
          image: ${image}
`;

const packageOf = (fleet: Fleet, image: string): Record<string, string> => ({
  Kptfile: kptfile(fleet),
  'web.yaml': workload(image),
});

beforeAll(async () => {
  const spec =
    'branch: main\ndeployment: true\nupdates: { follow: latest, automerge: all }\npublish: { requireApprovals: 0 }';
  stage = await startStage(
    {
      up: {
        files: {
          ...below('flux', packageOf('flux', 'example.com/web:1')),
          ...below('argo', packageOf('argo', 'example.com/web:1')),
          '.github/portico/flux.yaml': rollout('flux', 'statuses: [flux]'),
          '.github/portico/argo.yaml': rollout('argo', 'deployments: [production]'),
        },
      },
      ...Object.fromEntries(FLEETS.flatMap(reposOf).map((name) => [name, { spec }])),
    },
    { shares: true },
  );
  const up = stage.repository('up');
  const at = await up.head('main');
  for (const fleet of FLEETS) {
    await up.tag(`${fleet}/v1`, at);
    for (const name of reposOf(fleet)) {
      const Kptfile = locked(kptfile(fleet), up.url, fleet, `${fleet}/v1`, at);
      const recipe = fleet === 'flux' ? 'flux/fleet' : 'argo-cd/notifications';
      await stage.repository(name).push('main', {
        ...below('shop', { ...packageOf(fleet, 'example.com/web:1'), Kptfile }),
        ...recipeFor(recipe, { repository: `acme/${name}`, folder: 'shop' }),
      });
    }
  }
  await stage.sweep();
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

interface Told {
  readonly repository: { readonly name: string };
  readonly ref?: string;
  readonly state?: string;
  readonly deployment_status?: { readonly state: string };
}

/** What was published and what the tools said meanwhile, in the order in which the forge told of it. */
async function toldDuring(work: () => Promise<unknown>): Promise<string[]> {
  const { deliveries } = stage.forge.context.records;
  const before = deliveries.all({ order: 'desc', limit: 1 })[0]?.id ?? 0;
  await work();
  await stage.idle();
  return deliveries.all().flatMap(({ id, event, payload }) => {
    if (id <= before || !['create', 'status', 'deployment_status'].includes(event)) return [];
    const { repository, ref = '', state, deployment_status: status } = JSON.parse(payload) as Told;
    if (event === 'create' && !ref.startsWith('shop/')) return [];
    return [`${repository.name}: ${event === 'create' ? ref : (state ?? status?.state ?? '')}`];
  });
}

const newest: Record<Fleet, number> = { flux: 1, argo: 1 };

/** Publishes the next revision by hand, which becomes the one before downstream: those began with the first. */
async function release(fleet: Fleet, image: string): Promise<void> {
  newest[fleet] += 1;
  const up = stage.repository('up');
  await up.tag(
    `${fleet}/v${newest[fleet]}`,
    await up.push('main', { [`${fleet}/web.yaml`]: workload(image) }),
  );
}

const madeIn = (name: string, fleet: Fleet): string => `${name}: shop/v${newest[fleet] - 1}`;

/** Each is published and told to be well before anything happens in the next. A tool may be faster than the tag. */
function expectInTurn(told: readonly string[], fleet: Fleet): void {
  const names = reposOf(fleet);
  const firsts = names.map((name) => told.findIndex((line) => line.startsWith(`${name}: `)));
  const ends = names.map((name) => [told.indexOf(madeIn(name, fleet)), told.indexOf(`${name}: success`)]);
  expect(ends.flat(), told.join('\n')).not.toContain(-1);
  for (const [at, first] of firsts.slice(1).entries())
    expect(first, told.join('\n')).toBeGreaterThan(Math.max(...ends[at]!));
}

/** The canary alone has it, the tool said so much, and the rollout went no further. */
async function expectStopped(told: readonly string[], fleet: Fleet, said: readonly string[]): Promise<void> {
  const canary = `${fleet}-canary`;
  expect(told.toSorted()).toEqual(
    [...said.map((one) => `${canary}: ${one}`), madeIn(canary, fleet)].toSorted(),
  );
  await stage.dashboard('up');
  const { data } = await stage.as('alice').rest.issues.listForRepo({ ...stage.repository('up').where });
  const board = data.find(({ title }) => title === 'Portico dashboard')?.body ?? '';
  expect(board).toContain(`\`acme/up:${fleet}\` upstream \`v${newest[fleet]}\` is stopped`);
}

test('Flux: three waves, each after the statuses of the one before', async () => {
  const canary = 'flux-canary';
  // Something else is pushed behind what is published, and Flux may report on that alone.
  let beside: Promise<string> | undefined;
  const off = stage.forge.onEffect(({ repo, route }) => {
    if (repo === `acme/${canary}` && route.endsWith('/merge'))
      beside ??= stage.repository(canary).push('main', { 'README.md': 'Beside it.\n' });
  });
  const told = await toldDuring(async () => {
    await release('flux', 'example.com/web:2');
    await stage.idle();
    await beside;
  });
  off();
  expect(beside).toBeDefined();
  expectInTurn(told, 'flux');
});

test('Flux: a failing status stops it', async () => {
  await expectStopped(await toldDuring(() => release('flux', 'registry.invalid/web:3')), 'flux', ['failure']);
});

test('Argo CD: three waves, each after the deployments of the one before', async () => {
  expectInTurn(await toldDuring(() => release('argo', 'example.com/web:2')), 'argo');
});

test('Argo CD: a failing deployment stops it', async () => {
  const told = await toldDuring(() => release('argo', 'registry.invalid/web:3'));
  await expectStopped(told, 'argo', ['in_progress', 'failure']);
});
