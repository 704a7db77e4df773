import { expect, test } from 'vitest';

import { tenantOf, withShares } from '../../src/bot/lanes.ts';
import { downstreamJob, LONG_STRANGER, repositoryJob, STRANGER, sweepJob } from '../../src/reconcile/jobs.ts';

test('what comes from a fork has the processes of strangers, and others once somebody who may asks for it', async () => {
  const shares: unknown[] = [];
  const handlers = { [STRANGER]: async () => {}, [LONG_STRANGER]: async () => {} };
  const within = withShares(handlers, async (share) => void shares.push(share.class));
  for (const kind of [STRANGER, LONG_STRANGER]) {
    for (const data of [{}, { again: {} }]) {
      await within[kind]?.({ kind, key: '', data, attempt: 1 }, new AbortController().signal);
    }
  }
  expect(shares).toEqual(['strangers', 'asked-strangers', 'long-strangers', 'asked-strangers']);
});

test('a job is the work of the installation of its repository', () => {
  const repository = { installationId: 7, id: 1, owner: 'acme', name: 'web' };
  expect(tenantOf(repositoryJob(repository))).toEqual({ tenant: '7' });
  expect(tenantOf(downstreamJob({ repository, directory: 'web' }))).toEqual({ tenant: '7' });
  expect(tenantOf(sweepJob())).toEqual({});
});
