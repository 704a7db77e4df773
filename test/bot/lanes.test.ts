import { expect, test } from 'vitest';

import { LANES, tenantOf, withShares } from '../../src/bot/lanes.ts';
import { readJob } from '../../src/bot/received-job.ts';
import { JOB_KINDS } from '../../src/reconcile/job.ts';
import { downstreamJob, LONG_STRANGER, repositoryJob, STRANGER, sweepJob } from '../../src/reconcile/jobs.ts';
import { repositoryDirectory } from '../../src/revision/package-path.ts';

const repository = { installationId: 7, id: 1, owner: 'acme', name: 'web' };

test('what comes from a fork has the processes of strangers, and others once somebody who may asks for it', async () => {
  const shares: unknown[] = [];
  const within = withShares(
    async () => {},
    async (share) => void shares.push(share.class),
  );
  for (const kind of [STRANGER, LONG_STRANGER]) {
    for (const more of [{}, { again: {} }]) {
      const job = readJob({ kind, key: '', data: { repository, number: 1, ...more }, attempt: 1 });
      await within(job, new AbortController().signal);
    }
  }
  expect(shares).toEqual(['strangers', 'asked-strangers', 'long-strangers', 'asked-strangers']);
});

test('every kind of job travels in one lane', () => {
  expect(LANES.flatMap(({ kinds }) => [...kinds]).toSorted()).toEqual(JOB_KINDS.toSorted());
});

test('a job is the work of the installation of its repository', () => {
  expect(tenantOf(repositoryJob(repository))).toEqual({ tenant: '7' });
  expect(tenantOf(downstreamJob({ repository, directory: repositoryDirectory('web') }))).toEqual({
    tenant: '7',
  });
  expect(tenantOf(sweepJob())).toEqual({});
});
