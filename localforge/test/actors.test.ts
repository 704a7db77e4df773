// @module-tag story
import { afterAll, beforeAll, expect, test } from 'vitest';

import { realismOf } from '../src/realism/settings.ts';
import type { Behaviours } from '../src/realism/settings.ts';
import { closeClean, collaboration, names, REPO } from './collaboration-fixture.ts';
import type { Collaboration } from './collaboration-fixture.ts';

let forge: Collaboration;

const AT_ONCE = { share: 1, ms: 1 };

beforeAll(async () => {
  forge = await collaboration();
  const actors: Partial<Behaviours> = { actionsLag: AT_ONCE, fluxLag: AT_ONCE, argoLag: AT_ONCE };
  Object.assign(forge.forge.knobs.realism, actors);
});

afterAll(async () => closeClean(forge));

const CI = `name: CI
on: { push: { branches: [main, '!release/**'] }, pull_request: }
jobs:
  test: { steps: [{ run: make test }] }
  lint: { name: Lint, steps: [{ run: "make lint\\nexit 1" }] }
  never: { if: false }
`;

async function runsOf(ref: string): Promise<Record<string, string | null>> {
  const { data } = await forge.alice.rest.checks.listForRef({ ...REPO, ref });
  return Object.fromEntries(
    data.check_runs
      .filter(({ app }) => app?.slug === 'github-actions')
      .map(({ name, conclusion }) => [name, conclusion]),
  );
}

test('GitHub Actions runs the workflows of what is pushed and proposed, each run in a suite of its own', async () => {
  forge.hooks();
  const head = await forge.commit('main', { '.github/workflows/ci.yaml': CI }, { from: 'origin/main' });
  await forge.forge.settled();
  expect(await runsOf(head)).toEqual({ test: 'success', Lint: 'failure', never: 'skipped' });
  expect(names(forge.hooks()).filter((name) => name !== 'push')).toEqual([
    'check_suite.requested',
    'workflow_run.requested',
    'check_run.created',
    'check_run.created',
    'check_run.created',
    'workflow_run.in_progress',
    'check_run.completed',
    'check_run.completed',
    'check_run.completed',
    'check_suite.completed',
    'workflow_run.completed',
  ]);

  const topic = await forge.commit('topic', { 'a.yaml': 'a: 1\n' }, { from: 'origin/main' });
  await forge.forge.settled();
  expect(await runsOf(topic)).toEqual({});
  await forge.bob.rest.pulls.create({ ...REPO, title: 'A topic', head: 'topic', base: 'main' });
  await forge.forge.settled();
  expect(Object.keys(await runsOf(topic))).toHaveLength(3);

  // The same commit on another branch that runs is another run, in another suite.
  await forge.git(forge.clone, 'push', '-q', 'origin', 'topic:main');
  await forge.forge.settled();
  const { data } = await forge.alice.rest.checks.listSuitesForRef({ ...REPO, ref: topic, app_id: 15_368 });
  expect(data.check_suites.map(({ head_branch: branch, conclusion }) => [branch, conclusion])).toEqual(
    expect.arrayContaining([
      ['main', 'failure'],
      ['topic', 'failure'],
    ]),
  );

  const skipped = await forge.commit(
    'main',
    { 'b.yaml': 'b: 1\n' },
    { from: 'topic', message: 'Typo [skip ci]' },
  );
  await forge.forge.settled();
  expect(await runsOf(skipped)).toEqual({});
});

const WORKLOAD = (image: string): string => `apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: shop }
spec: { template: { spec: { containers: [{ name: web, image: ${image} }] } } }
`;

const FLUX = `apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: { name: blueprints, namespace: flux-system }
spec: { interval: 1m, url: 'https://github.example/acme/blueprints.git', ref: { branch: main } }
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: { name: shop, namespace: flux-system }
spec: { interval: 10m, path: ./shop, prune: true, wait: true, sourceRef: { kind: GitRepository, name: blueprints } }
---
apiVersion: notification.toolkit.fluxcd.io/v1beta3
kind: Provider
metadata: { name: github, namespace: flux-system, uid: 0c9c2e41-d2f9-4f9b-9c41-bebc1984d67a }
spec: { type: github, address: 'https://github.example/acme/blueprints' }
---
apiVersion: notification.toolkit.fluxcd.io/v1beta3
kind: Alert
metadata: { name: github, namespace: flux-system }
spec: { providerRef: { name: github }, eventSources: [{ kind: Kustomization, name: '*' }] }
`;

async function statusesOf(ref: string): Promise<string[]> {
  const { data } = await forge.alice.rest.repos.listCommitStatusesForRef({ ...REPO, ref });
  return data.map(({ context, state, description }) => `${context} ${state}: ${description ?? ''}`);
}

test('Flux reports on the newest commit that it fetched, and on what its health checks found', async () => {
  const [early, head] = [
    await forge.commit('main', { 'clusters/eu/flux.yaml': FLUX, 'shop/web.yaml': WORKLOAD('web:1') }),
    await forge.commit('main', { 'README.md': 'Beside it.\n' }),
  ];
  await forge.forge.settled();
  const succeeded = ['kustomization/shop/0c9c2e41 success: reconciliation succeeded'];
  expect(await statusesOf(head)).toEqual(succeeded);
  expect([[], succeeded]).toContainEqual(await statusesOf(early));

  const broken = await forge.commit('main', { 'shop/web.yaml': WORKLOAD('registry.invalid/web:2') });
  await forge.forge.settled();
  expect(await statusesOf(broken)).toEqual(['kustomization/shop/0c9c2e41 failure: health check failed']);

  const unwatched = await forge.commit('main', { 'clusters/eu/flux.yaml': FLUX.replace('wait: true, ', '') });
  await forge.forge.settled();
  expect(await statusesOf(unwatched)).toEqual(succeeded);

  const torn = await forge.commit('main', { 'shop/web.yaml': 'a: {\n' });
  await forge.forge.settled();
  expect(await statusesOf(torn)).toEqual(['kustomization/shop/0c9c2e41 failure: build failed']);
  await forge.commit('main', { 'clusters/eu/flux.yaml': '' });
});

const ARGO = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: shop
  namespace: argocd
  annotations:
    notifications.argoproj.io/subscribe.on-sync-running.github: ""
    notifications.argoproj.io/subscribe.on-deployed.github: ""
    notifications.argoproj.io/subscribe.on-health-degraded.github: ""
spec:
  source: { repoURL: 'https://github.example/acme/blueprints', path: shop, targetRevision: main }
  syncPolicy: { automated: {} }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: argocd-notifications-cm, namespace: argocd }
data:
  trigger.on-health-degraded: |
    - when: app.status.health.status == 'Degraded'
      send: [degraded]
  template.app-sync-running: |
    github: { deployment: { state: in_progress, environment: production } }
  template.app-deployed: |
    message: |
      {{.app.metadata.name}} is at {{ .app.status.operationState.syncResult.revision }}{{.app.nothing}}.
    github:
      status: { state: success, label: "continuous-delivery/{{.app.metadata.name}}" }
      deployment: { state: success, environment: production }
  template.degraded: |
    message: It is degraded.
    github:
      deployment: { state: failure, environment: production }
      checkRun: { name: "continuous-delivery/{{.app.metadata.name}}", conclusion: failure }
`;

async function deploymentsOf(ref: string): Promise<string[]> {
  const { data } = await forge.alice.rest.repos.listDeployments({ ...REPO, sha: ref });
  const said = data.map(async ({ id, environment, performed_via_github_app: app }) => {
    const statuses = await forge.alice.rest.repos.listDeploymentStatuses({ ...REPO, deployment_id: id });
    return `${environment} by ${app?.slug}: ${statuses.data.map(({ state }) => state).join(' ')}`;
  });
  return Promise.all(said);
}

test('Argo CD reports as its templates say, and only of commits that change what it syncs', async () => {
  forge.hooks();
  const head = await forge.commit('main', {
    'clusters/us/argo.yaml': ARGO,
    'shop/web.yaml': WORKLOAD('web:1'),
  });
  await forge.forge.settled();
  expect(await deploymentsOf(head)).toEqual(['production by argocd: success in_progress']);
  expect(await statusesOf(head)).toEqual([`continuous-delivery/shop success: shop is at ${head}<no value>.`]);
  const told = forge.hooks().filter(({ event }) => event === 'deployment_status');
  expect(told.map(({ payload }) => payload['check_run'])).toEqual([null, null]);

  const beside = await forge.commit('main', { 'README.md': 'Beside it again.\n' });
  await forge.forge.settled();
  expect([await deploymentsOf(beside), await statusesOf(beside)]).toEqual([[], []]);

  const broken = await forge.commit('main', { 'shop/web.yaml': WORKLOAD('registry.invalid/web:2') });
  await forge.forge.settled();
  expect(await deploymentsOf(broken)).toEqual(['production by argocd: failure in_progress']);
  const { data } = await forge.alice.rest.checks.listForRef({ ...REPO, ref: broken });
  expect(data.check_runs.filter(({ app }) => app?.slug === 'argocd')).toMatchObject([
    { name: 'continuous-delivery/shop', conclusion: 'failure' },
  ]);
});

test('they rest where the forge is not realistic', async () => {
  Object.assign(forge.forge.knobs.realism, realismOf(false));
  const head = await forge.commit('main', { 'shop/web.yaml': WORKLOAD('web:3') });
  await forge.forge.settled();
  expect([await runsOf(head), await deploymentsOf(head)]).toEqual([{}, []]);
});
