import { expect, test } from 'vitest';

import { createCatalog } from '../../../src/catalog/catalog.ts';
import { readRollouts } from '../../../src/config/read-rollouts.ts';
import type { Job } from '../../../src/reconcile/job.ts';
import { rolloutJob } from '../../../src/reconcile/jobs.ts';
import { createMemories } from '../../../src/reconcile/memories.ts';
import type { Ports } from '../../../src/reconcile/ports.ts';
import { createRolloutReconciler } from '../../../src/reconcile/rollout/rollout.ts';
import { heldByWave } from '../../../src/reconcile/rollout/rollouts.ts';
import { repositoryDirectory } from '../../../src/revision/package-path.ts';
import { bareRepository } from '../../catalog/bare-repository.ts';

const ROLLOUT = `apiVersion: config.portico.dev/v1alpha1
kind: Rollout
metadata: { name: web }
spec:
  upstreams: [{ packages: [web] }]
  waves: [{ name: canary, gate: { statuses: [flux] } }]
`;

test('no update passes a wave before every repository was looked at: its rollout may not be known yet', async () => {
  const catalog = createCatalog();
  catalog.expect([1, 2]);
  const ports = { catalog } as never;
  const down = { upstream: { access: { ref: { id: 1 } }, directory: 'web' } } as never;
  await expect(heldByWave(ports, down, 'v2')).rejects.toMatchObject({ code: 'INDEX_INCOMPLETE' });
  for (const id of [1, 2]) catalog.confirm(id);
  expect(await heldByWave(ports, down, 'v2')).toBeNull();
});

test('no rollout is looked at before that, since what it comes to may be recorded for good', async () => {
  const catalog = createCatalog();
  const file = '.github/portico/rollout.yaml';
  const { rollouts } = readRollouts({ file, bytes: new TextEncoder().encode(ROLLOUT) });
  catalog.expect([1, 2]);
  catalog.put(
    bareRepository(1, 'acme/up', {
      revisions: new Map([[repositoryDirectory('web'), ['v1', 'v2']]]),
      documents: [{ file, id: 'i', documents: [], problems: [], rollouts }],
    }),
  );
  const { ref } = catalog.get(1)!;
  const asked: Job[] = [];
  const ports = {
    catalog,
    memories: createMemories(),
    now: () => new Date(7),
    enqueue: async (job: Job) => void asked.push(job),
    open: async () => Promise.reject(new Error('it was looked at')),
  } as never as Ports;
  const reconcile = createRolloutReconciler(ports);
  await reconcile({ repository: ref });
  expect(asked).toEqual([rolloutJob(ref, 5, 7)]);
  catalog.confirm(2);
  await expect(reconcile({ repository: ref })).rejects.toThrow('it was looked at');
});
