import { afterAll, beforeAll, expect, test } from 'vitest';

import { below, configuration } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import { startStage, type Stage } from '../stage.ts';

let stage: Stage;

const SET = `apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata: { name: shops }
spec:
  upstream: { repo: up, package: web, revision: v1 }
  targets: [{ repositories: [{ name: edge, packageNames: [shop] }, { name: far, packageNames: [shop] }] }]
`;
const ROLLOUT = `apiVersion: config.portico.dev/v1alpha1
kind: Rollout
metadata: { name: slow }
spec:
  upstreams: [{ packages: [web] }]
  waves:
  - { name: labelled, select: { labels: { ring: canary } }, gate: { manual: true } }
  - { name: stocked, select: { inventory: { kind: ConfigMap, labels: { ring: canary } } }, gate: { manual: true } }
  - { name: deployed, select: { deployment: true }, gate: { manual: true } }
  - { name: all }
`;
const DESCRIBED = (name: string, ring: string): string => `apiVersion: config.porch.kpt.dev/v1alpha1
kind: Repository
metadata: { name: ${name}, labels: { ring: ${ring} } }
spec: { type: git, git: { repo: ${stage.repository(name).url}, branch: main } }
`;
const OBJECT = (ring: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: far, labels: { ring: ${ring} } }\n`;
const VARIANT = (name: string, path = 'web'): string => `apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata: { name: own }
spec:
  upstream: { repo: up, package: ${path}, revision: v1 }
  downstream: { repo: ${name}, package: brought }
`;
const DEFAULTS = (more: string): Record<string, string> => ({
  '.github/portico.yaml': configuration('.github', `branch: main${more}`),
});
const SHARING = 'sharing: { from: [acme/up], to: [acme/up] }';
const DOWN = `branch: main\n${SHARING}\ncontrolledBy: [acme/up]`;
const AUTO = `branch: main\n${SHARING}\nupdates: { automerge: all }`;

beforeAll(async () => {
  const packages = { ...below('web', smallPackage('web')), ...below('api', smallPackage('api')) };
  const documents = { '.github/portico/rollout.yaml': ROLLOUT, '.github/portico/shops.yaml': SET };
  stage = await startStage({
    up: {
      spec: 'branch: main\nsharing: { to: [acme/*], from: [acme/*] }',
      files: { ...packages, ...documents },
    },
    edge: { spec: DOWN },
    far: { spec: DOWN },
    stock: { spec: `branch: main\n${SHARING}\ninventory: { directory: objects }` },
    auto: { spec: AUTO },
    '.github': { spec: 'branch: main' },
    manual: { spec: `branch: main\n${SHARING}` },
  });
  const up = stage.repository('up');
  for (const name of ['web', 'api'])
    await up.tag(
      `${name}/v1`,
      await up.push('main', { [`${name}/more.yaml`]: configMap('more', { a: 'b' }) }),
    );
  await up.push('main', { '.github/portico/far.yaml': DESCRIBED('far', 'late') });
  await stage.sweep();
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

/** What the check of a proposal by two writers says. */
async function judged(name: string, branch: string, files: Readonly<Record<string, string | null>>) {
  const repo = stage.repository(name);
  const { number } = await repo.propose(branch, files, { as: 'bob' });
  await repo.review(number, 'APPROVE', undefined, 'carol');
  const check = (await repo.checksOf(number)).get('portico/config');
  return `${check?.conclusion}: ${check?.output.title}`;
}

const WAVES =
  'action_required: Weaker: waves of a rollout: as in effect → others; needs approval from the role admin';

test('a label that moves a downstream to an earlier wave needs an admin (147)', async () => {
  const moved = await judged('up', 'label', { '.github/portico/edge.yaml': DESCRIBED('edge', 'canary') });
  expect(moved).toBe(
    'action_required: Weaker: rollouts[slow]: acme/edge:shop: wave all → wave labelled; needs approval from the role admin',
  );
  const other = await judged('up', 'other', { '.github/portico/edge.yaml': DESCRIBED('edge', 'other') });
  expect(other).toBe('success: The configuration is valid');
});

test('so does an inventory of another repository, without naming the rollout (147)', async () => {
  expect(await judged('stock', 'moved', { 'objects/far.yaml': OBJECT('canary') })).toBe(WAVES);
  expect(await judged('stock', 'other', { 'objects/far.yaml': OBJECT('other') })).toMatch(/^success/);
});

test('so does a field of the downstream, and a rollout that it no longer goes by (147)', async () => {
  const files = { '.github/portico.yaml': configuration('edge', `${DOWN}\ndeployment: true`) };
  expect(await judged('edge', 'deployment', files)).toContain('acme/edge:shop: wave all → wave deployed');
  await stage.repository('up').push('main', { '.github/portico/edge.yaml': DESCRIBED('edge', 'canary') });
  await stage.idle();
  await stage.look('up');
  const gone = await judged('up', 'gone', { '.github/portico/edge.yaml': null });
  expect(gone).toContain('acme/edge:shop: wave labelled → wave all');
});

test('so do defaults of the organization that waves select by (147)', async () => {
  expect(await judged('.github', 'waves', DEFAULTS('\ndeployment: true'))).toBe(WAVES);
  expect(await judged('.github', 'other', DEFAULTS('\ndashboard: false'))).toMatch(/^success/);
});

test('a variant that brings a package which merges automatically needs an admin (148)', async () => {
  const file = '.github/portico/own.yaml';
  expect(await judged('auto', 'added', { [file]: VARIANT('auto') })).toMatch(
    /^action_required: Weaker: package acme\/auto:brought: not set → from acme\/up:web/,
  );
  // Where a person merges it, the package itself is reviewed.
  expect(await judged('manual', 'added', { [file]: VARIANT('manual') })).toMatch(/^success/);
  await stage.repository('auto').push('main', { [file]: VARIANT('auto') });
  await stage.idle();
  await stage.look('auto');
  expect(await judged('auto', 'moved', { [file]: VARIANT('auto', 'api') })).toMatch(
    /^action_required: Weaker: package acme\/auto:brought: from acme\/up:web → from acme\/up:api/,
  );
  expect(await judged('auto', 'comment', { [file]: `# Nothing else.\n${VARIANT('auto')}` })).toMatch(
    /^success/,
  );
});
