import { expect, test } from 'vitest';

import type { PackageBatch } from '../../../src/reconcile/job.ts';
import { downstreamJob } from '../../../src/reconcile/jobs.ts';
import { inTurn, updateJobs } from '../../../src/reconcile/repository/update-jobs.ts';
import { inTurns } from '../../../src/reconcile/text/in-turns.ts';
import { repositoryDirectory } from '../../../src/revision/package-path.ts';

const repository = (id: number, updates = {}) => ({
  ref: { installationId: 1, id, owner: 'acme', name: `r${id}` },
  updates,
});

const pathsOf = ({ data }: ReturnType<typeof updateJobs>[number]): readonly string[] =>
  data.about === 'packages' ? data.packages : data.about === 'package' ? [data.package] : [];

const packagesOf = (jobs: ReturnType<typeof updateJobs>): unknown[] => jobs.map(pathsOf);

test('ten packages of a repository share a job, each once', () => {
  const paths = Array.from({ length: 12 }, (_one, at) => `a${String(at).padStart(2, '0')}`);
  const jobs = updateJobs(
    [...paths, 'a00'].toReversed().map((path) => ({ repository: repository(1), path })),
  );
  expect(packagesOf(jobs)).toEqual([paths.slice(0, 10), paths.slice(10)]);
  expect(new Set(jobs.map(({ key }) => key)).size).toBe(2);
  // The same packages are the same job, in whatever order they are asked for.
  const again = updateJobs(paths.map((path) => ({ repository: repository(1), path })));
  expect(again.map(({ key }) => key)).toEqual(jobs.map(({ key }) => key));
});

test('of a group one package stands for all', () => {
  const updates = { groups: [{ name: 'front', packages: ['apps/**'] }] };
  const places = ['apps/b', 'infra', 'apps/a'].map((path) => ({ repository: repository(1, updates), path }));
  expect(packagesOf(updateJobs(places))).toEqual([['apps/a', 'infra']]);
  const urgent = repository(1, { ...updates, priority: ['apps/b'] });
  const jobs = updateJobs(['apps/b', 'apps/a', 'infra'].map((path) => ({ repository: urgent, path })));
  expect(packagesOf(jobs)).toEqual([['apps/b'], ['infra']]);
});

test('what a configuration puts first comes before the updates of others', () => {
  const first = repository(1, { priority: ['z', 'm*'] });
  const places = [
    ...['a', 'm1', 'm2', 'z'].map((path) => ({ repository: first, path })),
    ...['a', 'b'].map((path) => ({ repository: repository(2), path })),
  ];
  const jobs = inTurns(updateJobs(places)).toSorted((a, b) => (b.priority ?? 0) - (a.priority ?? 0));
  expect(packagesOf(jobs)).toEqual([['z', 'm1', 'm2'], ['a', 'b'], ['a']]);
});

test('while calls are scarce the first package of each repository comes before the second of any', () => {
  const order: string[] = [];
  const waiting: PackageBatch[] = [1, 2].map((id) => ({
    repository: repository(id).ref,
    packages: ['a', 'b', 'c'],
  }));
  for (const look of waiting) {
    const { now, later } = inTurn(look, 60);
    order.push(...now.map((path) => `${look.repository.name} ${path}`));
    if (later === undefined) continue;
    expect(later.priority).toBe(-(look.turn ?? 0) - 1);
    waiting.push({ ...later.data, packages: pathsOf(later) });
  }
  expect(order).toEqual(['r1 a', 'r2 a', 'r1 b', 'r2 b', 'r1 c', 'r2 c']);
  expect(inTurn({ repository: repository(1).ref, packages: ['a', 'b'] }, 0)).toEqual({ now: ['a', 'b'] });
});

test('a publication is at most a minute behind its updates', () => {
  const repository = { id: 1, installationId: 1, owner: 'acme', name: 'up' };
  expect(downstreamJob({ repository, directory: repositoryDirectory('web') }).startAfterSeconds).toBeLessThan(
    60,
  );
});
