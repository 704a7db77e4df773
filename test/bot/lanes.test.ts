import { expect, test } from 'vitest';

import { inTime, LANES, tenantOf, shareOf } from '../../src/bot/lanes.ts';
import { readJob } from '../../src/bot/received-job.ts';
import { JOB_KINDS } from '../../src/reconcile/job.ts';
import { downstreamJob, LONG_STRANGER, repositoryJob, STRANGER, sweepJob } from '../../src/reconcile/jobs.ts';
import { repositoryDirectory } from '../../src/revision/package-path.ts';

const repository = { installationId: 7, id: 1, owner: 'acme', name: 'web' };

test('what comes from a fork has the processes of strangers, and others once somebody who may asks for it', () => {
  const classes = [STRANGER, LONG_STRANGER].flatMap((kind) =>
    [{}, { again: {} }].map((more) => {
      const job = readJob({ kind, key: '', data: { repository, number: 1, ...more }, attempt: 1 });
      return shareOf(job).class;
    }),
  );
  expect(classes).toEqual(['strangers', 'asked-strangers', 'long-strangers', 'asked-strangers']);
});

test('every kind of job travels in one lane', () => {
  expect(LANES.flatMap(({ kinds }) => [...kinds]).toSorted()).toEqual(JOB_KINDS.toSorted());
});

test('what a sweep asks for comes after everything that came of a delivery', () => {
  const author = { ...repositoryJob(repository), priority: -1_000 };
  const command = { ...repositoryJob(repository), priority: 10 };
  const priorities = [inTime(author, { delivery: 'one' }), inTime(command, {}), inTime(author, {})].map(
    ({ priority = 0 }) => priority,
  );
  expect(priorities).toEqual(priorities.toSorted((a, b) => b - a));
  expect(inTime(command, { delivery: 'one' })).toBe(command);
});

test('a job is the work of the installation of its repository', () => {
  expect(tenantOf(repositoryJob(repository))).toEqual({ tenant: '7' });
  expect(tenantOf(downstreamJob({ repository, directory: repositoryDirectory('web') }))).toEqual({
    tenant: '7',
  });
  expect(tenantOf(sweepJob())).toEqual({});
});
