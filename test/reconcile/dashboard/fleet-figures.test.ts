import { expect, test } from 'vitest';

import { createCatalog, type UpstreamLock } from '../../../src/catalog/catalog.ts';
import { createSharedCatalog, type SharedCatalog } from '../../../src/catalog/shared-catalog.ts';
import { readRollouts } from '../../../src/config/read-rollouts.ts';
import { fleetFigures } from '../../../src/reconcile/dashboard/fleet-figures.ts';
import { forgetEnded } from '../../../src/reconcile/rollout/rollouts.ts';
import { repositoryDirectory } from '../../../src/revision/package-path.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';
import { bareRepository } from '../../catalog/bare-repository.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

test('the fleet is counted by state, reason and distance, and told to Prometheus', async () => {
  const catalog = createCatalog();
  const up = bareRepository(1, 'acme/up', {
    revisions: new Map([[repositoryDirectory('web'), ['v1', 'v2', 'v3', 'v4', 'v5']]]),
  });
  catalog.put(up);
  const lockedTo = (revision: string): UpstreamLock => ({
    repo: up.urls[0]!,
    directory: '/web',
    ref: `web/${revision}`,
    commit: '',
  });
  for (const [at, revision] of ['v5', 'v4', 'v1', 'v1'].entries()) {
    const packages = [{ directory: repositoryDirectory('shop'), tree: '', lock: lockedTo(revision) }];
    catalog.put(bareRepository(10 + at, `acme/edge-${at}`, { packages }));
    const reason = revision === 'v5' ? 'up-to-date' : revision === 'v4' ? 'proposed' : 'limit';
    const behindSince = NOW - (5 - at) * 1_000;
    catalog.tell(10 + at, 'shop', { reason, message: '', ...(at > 0 && { behindSince }) });
  }
  const metrics = createMetrics();
  metrics.observeFleet(async () => fleetFigures({ catalog, now: () => new Date(NOW) }));
  const told = async (): Promise<string[]> => {
    const text = await metrics.registry.metrics();
    return text
      .split('\n')
      .filter((line) => /^portico_(?:rollouts|updates|variants|downstreams?_)/.test(line));
  };
  expect(await told()).toEqual([
    'portico_rollouts{state="running"} 0',
    'portico_rollouts{state="done"} 0',
    'portico_rollouts{state="stopped"} 0',
    'portico_rollouts{state="rolled-back"} 0',
    'portico_rollouts{state="unknown"} 0',
    'portico_updates{reason="up-to-date"} 1',
    'portico_updates{reason="proposed"} 1',
    'portico_updates{reason="limit"} 2',
    'portico_variants{condition="ready"} 0',
    'portico_variants{condition="not-ready"} 0',
    'portico_variants{condition="stalled"} 0',
    'portico_downstreams_behind{revisions="0"} 1',
    'portico_downstreams_behind{revisions="1"} 1',
    'portico_downstreams_behind{revisions="2"} 0',
    'portico_downstreams_behind{revisions="3-9"} 2',
    'portico_downstreams_behind{revisions="10+"} 0',
    'portico_downstream_lag_seconds{quantile="0.5"} 3',
    'portico_downstream_lag_seconds{quantile="0.9"} 4',
    'portico_downstream_lag_seconds{quantile="1"} 4',
  ]);
});

const ROLLOUT = `apiVersion: config.portico.dev/v1alpha1
kind: Rollout
metadata: { name: web }
spec:
  upstreams: [{ packages: ['**'] }]
  waves: [{ name: one, size: 1 }, { name: all }]
`;

const rolloutsOf = ({ catalog }: SharedCatalog): readonly unknown[] => {
  const { rollouts, waves } = fleetFigures({ catalog, now: () => new Date(NOW) });
  return [rollouts, waves].map((counts) => Object.fromEntries([...counts].filter(([, count]) => count > 0)));
};

test('two processes tell the same of a rollout, whichever of them looked at it, and nothing of one that is over', async () => {
  const [one, other] = [createSharedCatalog(), createSharedCatalog()];
  const share = (): void => {
    for (const entry of one.pending()) other.take(entry, true);
    one.stored(one.pending());
  };
  const file = '.github/portico/rollout.yaml';
  const { rollouts } = readRollouts({ file, bytes: new TextEncoder().encode(ROLLOUT) });
  const put = (names: readonly string[]): void =>
    one.catalog.put(
      bareRepository(1, 'acme/up', {
        revisions: new Map([
          [repositoryDirectory('web'), names],
          [repositoryDirectory('draft'), []],
        ]),
        documents: [{ file, id: 'i', documents: [], problems: [], rollouts }],
      }),
    );
  put(['v1', 'v2']);
  share();
  // Nobody has looked yet; what is not published has no rollout.
  expect(rolloutsOf(other)).toEqual([{ unknown: 1 }, {}]);
  one.catalog.tellRollout(1, 'web 1:web', { revision: 'v2', state: 'stopped', waves: ['failed', 'waiting'] });
  share();
  for (const process of [one, other])
    expect(rolloutsOf(process)).toEqual([{ stopped: 1 }, { failed: 1, waiting: 1 }]);
  one.catalog.tellRollout(1, 'web 1:web', { revision: 'v2', state: 'done', waves: ['passed', 'passed'] });
  share();
  expect(rolloutsOf(other)).toEqual([{ done: 1 }, {}]);
  // Of the next revision nothing is known because of the one before.
  put(['v1', 'v2', 'v3']);
  share();
  expect(rolloutsOf(other)).toEqual([{ unknown: 1 }, {}]);
  one.catalog.tellRollout(1, 'gone 1:web', { revision: 'v1', state: 'stopped', waves: ['failed'] });
  await forgetEnded({ catalog: one.catalog, enqueue: async () => {} }, 1);
  share();
  expect([...other.catalog.rollouts(1).keys()]).toEqual(['web 1:web']);
});

test('the age of the last sweep begins anew with each', async () => {
  const metrics = createMetrics();
  const age = async (): Promise<number> =>
    Number(/^portico_sweep_age_seconds (\S+)/m.exec(await metrics.registry.metrics())?.[1]);
  await new Promise((resolve) => setTimeout(resolve, 20));
  const before = await age();
  expect(before).toBeGreaterThan(0.015);
  metrics.jobEnded('sweep', 'retried', 1);
  expect(await age()).toBeGreaterThanOrEqual(before);
  metrics.jobEnded('sweep', 'done', 1);
  expect(await age()).toBeLessThan(before);
});

test('a downstream that was rolled back is not behind the revision that it left', () => {
  const { catalog } = createSharedCatalog();
  const web = repositoryDirectory('web');
  const file = '.github/portico/rollout.yaml';
  const { rollouts } = readRollouts({ file, bytes: new TextEncoder().encode(ROLLOUT) });
  catalog.put(
    bareRepository(1, 'acme/up', {
      revisions: new Map([[web, ['v1', 'v2', 'v3']]]),
      documents: [{ file, id: 'i', documents: [], problems: [], rollouts }],
    }),
  );
  const lock = { repo: 'https://forge.example/acme/up.git', directory: '/web', ref: 'web/v2', commit: 'c' };
  catalog.put(bareRepository(2, 'acme/shop', { packages: [{ directory: web, tree: '', lock }] }));
  const behind = (): unknown =>
    Object.fromEntries(
      [...fleetFigures({ catalog, now: () => new Date(NOW) }).behind].filter(([, count]) => count > 0),
    );
  expect(behind()).toEqual({ 1: 1 });
  const rolledBack = { revision: 'v3', state: 'rolled-back', waves: [], rolledBack: ['v3'] };
  catalog.tellRollout(1, 'web 1:web', rolledBack);
  expect(behind()).toEqual({ 0: 1 });
});
