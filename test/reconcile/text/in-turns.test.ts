import { expect, test } from 'vitest';

import { sweepJob, variantJob } from '../../../src/reconcile/jobs.ts';
import { inTurns } from '../../../src/reconcile/text/in-turns.ts';

const repository = (id: number) => ({ installationId: 1, id, owner: 'acme', name: `r${id}` });

test('one repository with many packages does not keep the others waiting', () => {
  const jobs = [
    ...['a', 'b', 'c'].map((path) => variantJob(repository(1), path)),
    ...['a', 'b'].map((path) => variantJob(repository(2), path)),
    variantJob(repository(3), 'a'),
    sweepJob(),
  ];
  expect(inTurns(jobs).map(({ key, priority }) => [key, priority])).toEqual([
    ['variant:1:a', 0],
    ['variant:2:a', 0],
    ['variant:3:a', 0],
    ['all', undefined],
    ['variant:1:b', -1],
    ['variant:2:b', -1],
    ['variant:1:c', -2],
  ]);
});
