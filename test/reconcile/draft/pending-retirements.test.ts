import { expect, test } from 'vitest';

import { PorticoError } from '../../../src/error.ts';
import { pendingRetirements } from '../../../src/reconcile/draft/pending-retirements.ts';
import type { RepositoryAccess, Ports } from '../../../src/reconcile/ports.ts';

test('an issue with more comments than are read keeps the others on the dashboard', async () => {
  const warned: unknown[] = [];
  const asked: number[] = [];
  const forge = {
    listIssues: async () => [
      { number: 7, title: 'Retire web@v1' },
      { number: 9, title: 'Flooded' },
    ],
    listComments: async (issue: number) => {
      asked.push(issue);
      if (issue === 9) throw new PorticoError('FORGE_TOO_MANY', 'a list on the forge has too many items');
      return [];
    },
  };
  const git = { refs: async () => new Map() };
  const world = { app: { botLogin: 'portico[bot]' }, log: { warn: (line: unknown) => warned.push(line) } };
  const found = await pendingRetirements(
    world as unknown as Ports,
    { forge, git } as unknown as RepositoryAccess,
    { id: 1 },
    { directory: '.' },
  );
  expect(found).toEqual([]);
  expect(asked).toEqual([9, 7]);
  expect(warned).toMatchObject([{ pull: 9 }]);
});
